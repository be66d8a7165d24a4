// `nodal merchant`: create, list, show and change merchants, and go live.
import { createMerchantWithOwner, goLive, LEFT_BEHIND, TAKEN_OVER } from "../installation/index.ts";
import { readBalances, readOwed } from "../ledger/index.ts";
import {
  changeMerchant,
  describeProfile,
  FEE_PAYERS,
  listMerchants,
  profileRecord,
  signInLink,
  todayOf,
  withTimeZone,
  type Merchant,
  type MerchantChanges,
} from "../merchants/index.ts";
import { readWaitingPayouts, type WaitingPayouts } from "../payouts/index.ts";
import type { FieldError } from "../platform/errors.ts";
import { fail, readOnlyField } from "../platform/http/field.ts";
import { email, ifSent, oneOf, optional, wholeNumber } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import {
  flag,
  group,
  installationCommand,
  merchantCommand,
  option,
  orWord,
  REVEAL,
  shownBy,
  type GivenOptions,
  type Show,
} from "./command.ts";
import { kycCommand } from "./merchant-kyc.ts";
import { memberOptions, memberValues } from "./member-options.ts";
import { publicUrlOf } from "./on-database.ts";
import { formatRecord, listAnswer, paragraphs, recordAnswer, waitsForApproval } from "./output.ts";

/** Ids, one per line. */
const OWNERS = readOnlyField({ type: "string" }, "a list of Owners' ids", (value, path, errors) => {
  const lines = String(value).split("\n");
  if (lines.every((line) => /^[0-9]{1,16}$/.test(line))) return lines.map(BigInt);
  fail(errors, path, "invalid", "must be an id, which `nodal user list` shows.");
  return [];
});

const listed = (title: string, lines: readonly string[]): string =>
  [`${title}:`, ...lines.map((line) => `  ${line}`)].join("\n");

const goLiveCommand = merchantCommand({
  description: "create a live merchant from this sandbox, once; the sandbox stays",
  notes: () =>
    paragraphs(
      "The merchant needs its own bank account, and at least one Owner with a second factor.",
      listed("Copied to the live merchant", TAKEN_OVER),
      listed("Not copied", LEFT_BEHIND),
    ),
  options: {
    owner: option(
      "<id>",
      "an enabled Owner (`nodal user list`) who gets access to the live merchant; can be repeated; default: all of them",
      optional(OWNERS),
      { isRepeated: true, named: "logins" },
    ),
  },
  async run({ pool, config, merchant }, { owner }) {
    const kycRequired = config.KYC_REQUIRED === "on";
    const { live, logins, sandbox } = await goLive({ pool, merchant, kycRequired }, { logins: owner, by: null });
    const record = {
      merchant_id: String(live.merchantId),
      sandbox_id: String(sandbox.merchantId),
      name: live.name,
      live: live.live,
      sign_in_url: signInLink(publicUrlOf(config), live),
    };
    const people = logins.map(({ email }) => email);
    return {
      json: { ...record, logins: people, takes_over: TAKEN_OVER, leaves_behind: LEFT_BEHIND },
      text: paragraphs(
        formatRecord(record),
        listed("Can sign in, with the same password and second factor", people),
        listed("Copied", TAKEN_OVER),
        listed("Not copied", LEFT_BEHIND),
        "Payouts are off until a payout provider is connected: `nodal provider connect`. " +
          "It needs its own access keys: `nodal key create`.",
      ),
    };
  },
});

const RATE_LIMIT_MAXIMUM = 10_000_000;
const create = installationCommand({
  description: "create a merchant with an access key and a first user; their secrets are shown only once",
  example: 'nodal merchant create --name "Asha Traders" --email asha@example.com',
  options: {
    ...memberOptions(profileRecord.members, profileRecord.fields),
    userEmail: option("<address>", "e-mail of its first dashboard user; default: --email", optional(email())),
    live: flag("real money from its start, and no sandbox; needs a bank account"),
    reveal: REVEAL,
  },
  check: checkBankPair,
  async run(installation, { reveal, userEmail, live, ...values }) {
    const sent = memberValues(profileRecord.members, values);
    const profile = { ...withTimeZone(profileRecord.read(sent)), live: live ?? false };
    const created = await createMerchantWithOwner(installation, {
      profile,
      userEmail,
      kycRequired: installation.config.KYC_REQUIRED === "on",
    });
    const { merchant, accessKeyId, secret, templateId, user } = created;
    const { merchant_id, ...rest } = describe(merchant, shownBy(reveal));
    return recordAnswer(
      {
        merchant_id,
        access_key_id: accessKeyId,
        secret_access_key: secret,
        user_email: user.email,
        user_password: user.password,
        sign_in_url: signInLink(publicUrlOf(installation.config), merchant),
        template_id: String(templateId),
        ...rest,
      },
      "Save the secret and the password: they are shown only once.",
    );
  },
});

const list = installationCommand({
  description: "list every merchant",
  example: "nodal merchant list",
  options: { reveal: REVEAL },
  async run({ pool }, { reveal }) {
    const merchants = (await listMerchants(pool)).map((merchant) => describe(merchant, shownBy(reveal)));
    const whenEmpty = "There are no merchants yet: create one with `nodal merchant create`.";
    const columns = ["merchant_id", "name", "email", "status", "live", "kyc_status", "created_at"] as const;
    return listAnswer(merchants, whenEmpty, columns);
  },
});

const show = merchantCommand({
  description: "show a merchant's profile, settings and balances",
  options: { reveal: REVEAL },
  async run({ pool, merchant }, { reveal }) {
    const { availablePaise, heldPaise } = await readBalances(pool, merchant.bucket, merchant.merchantId);
    const owedPaise = await readOwed(pool, merchant.bucket, merchant.merchantId);
    return recordAnswer({
      ...describe(merchant, shownBy(reveal)),
      today: todayOf(merchant).toString(),
      available_balance: formatPaise(availablePaise),
      held_balance: formatPaise(heldPaise),
      ledger_balance: formatPaise(availablePaise + heldPaise),
      ...(owedPaise > 0n ? { owed: formatPaise(owedPaise) } : {}),
    });
  },
});

const set = merchantCommand({
  description: 'change the given settings only; "" clears one',
  example: "--rate-limit 600",
  options: {
    ...memberOptions(profileRecord.members, profileRecord.changes),
    rateLimit: option(
      "<n>",
      "requests per minute, or `default` for the installation's limit",
      ifSent(orWord("default", wholeNumber(1, RATE_LIMIT_MAXIMUM))),
    ),
    fees: option("<who>", "who pays the provider's transfer fees: `merchant` or `platform`", ifSent(oneOf(FEE_PAYERS))),
    suspend: flag("refuse the merchant's requests", ["activate"]),
    activate: flag("end a suspension"),
    reveal: REVEAL,
  },
  check(given, errors) {
    checkBankPair(given, errors);
    if (Object.keys(given).some((name) => name !== "merchant" && name !== "reveal")) return;
    const problem = "Nothing to change: see `nodal merchant set --help`.";
    fail(errors, "merchant", "required", problem);
  },
  async run({ pool, ids, merchant: { merchantId } }, { reveal, rateLimit, fees, suspend, activate, ...values }) {
    const changes: MerchantChanges = {
      ...withTimeZone(profileRecord.readChanges(memberValues(profileRecord.members, values))),
      ...(rateLimit === undefined ? {} : { rateLimitPerMinute: rateLimit }),
      ...(fees === undefined ? {} : { feesPaidBy: fees }),
      ...(suspend ? { status: "suspended" } : {}),
      ...(activate ? { status: "active" } : {}),
    };
    const context = { pool, ids, merchant: { merchantId } };
    const { merchant: changed, approvalId } = await changeMerchant(context, changes);
    const waiting = suspend ? describeWaiting(await readWaitingPayouts(pool, changed)) : null;
    const record = {
      ...describe(changed, shownBy(reveal)),
      ...(approvalId === null ? {} : { approval_id: String(approvalId) }),
    };
    return {
      json: { ...record, ...(waiting === null ? {} : { waiting }) },
      text: paragraphs(
        formatRecord(record),
        waitsForApproval("The bank account", approvalId),
        waiting === null ? "" : sayWaiting(waiting),
      ),
    };
  },
});

export const merchantCommands = group("create, list, show and change merchants, and take them live", {
  create,
  list,
  show,
  set,
  kyc: kycCommand,
  "go-live": goLiveCommand,
});

function describeWaiting({ unsent, atBank, approvals }: WaitingPayouts) {
  return {
    unsent_transfers: Number(unsent.count),
    unsent_amount: formatPaise(unsent.amountPaise),
    transfers_at_bank: Number(atBank.count),
    amount_at_bank: formatPaise(atBank.amountPaise),
    approvals: Number(approvals),
  };
}

function sayWaiting(waiting: ReturnType<typeof describeWaiting>): string {
  return (
    `Accepted and not sent: ${waiting.unsent_transfers} transfers of ${waiting.unsent_amount} together, which wait for ` +
    `\`--activate\` (one that was being sent at this moment still goes).\n` +
    `At the bank: ${waiting.transfers_at_bank} of ${waiting.amount_at_bank} together; what becomes of them is booked.\n` +
    `Waiting for approval: ${waiting.approvals}, which can be rejected only.`
  );
}

/** An account number with another bank's IFSC would misdirect money: both or neither. */
function checkBankPair({ bankAccount, ifsc }: GivenOptions, errors: FieldError[]): void {
  if (Boolean(bankAccount) === Boolean(ifsc) && (bankAccount === undefined) === (ifsc === undefined)) return;
  if (bankAccount) fail(errors, "ifsc", "required", "is required together with --bank-account.");
  else fail(errors, "bankAccount", "required", "is required together with --ifsc.");
}

function describe(merchant: Merchant, show: Show) {
  return {
    ...describeProfile(merchant, show),
    rate_limit_per_minute: merchant.rateLimitPerMinute,
    status: merchant.status,
    live: merchant.live,
    fees_paid_by: merchant.feesPaidBy,
    kyc_status: merchant.kycStatus,
    counterpart_id: merchant.counterpartId === null ? null : String(merchant.counterpartId),
    created_at: formatTimestamp(merchant.createdAt, merchant.timeZone),
  };
}
