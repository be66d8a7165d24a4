// `nodal merchant`: create, list, show, set.
// What belongs here: options and what is printed. The work is done in merchants/.
import { Option, type Command } from "commander";
import { readBalances } from "../ledger/index.ts";
import {
  changeMerchant,
  DEFAULT_TIME_ZONE,
  describeProfile,
  listMerchants,
  profileFields,
  requireMerchant,
  signInLink,
  todayOf,
  type Merchant,
  type MerchantChanges,
  type MerchantProfile,
} from "../merchants/index.ts";
import { readWaitingPayouts, type WaitingPayouts } from "../payouts/index.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { email, optional, wholeNumber } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { goLive } from "../subscriptions/index.ts";
import { onInstallation, publicUrlOf, type Answer, type Installation } from "./command.ts";
import { createMerchantWithOwner } from "./new-merchants.ts";
import {
  flag,
  merchantId,
  optionsOf,
  REVEAL_OPTION,
  shownBy,
  type GivenOptions,
  type MerchantOption,
  type Show,
  type Values,
} from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";
import { waitsForApproval } from "./waits-for-approval.ts";

const RATE_LIMIT_MAXIMUM = 10_000_000;
type ProfileName = keyof MerchantProfile;
const PROFILE_NAMES = Object.keys(profileFields) as ProfileName[];

const CREATE_FIELDS = { ...profileFields, userEmail: optional(email()), reveal: flag() };

const PROFILE_OPTIONS: readonly (readonly [string, string])[] = [
  ["--name <text>", "name of the business"],
  ["--email <address>", "e-mail address"],
  ["--mobile <number>", "mobile number of 10 digits"],
  ["--address <text>", "street address"],
  ["--city <text>", "city"],
  ["--state <text>", "state, which decides the kind of GST"],
  ["--zipcode <digits>", "postal code of 6 digits"],
  ["--gstin <gstin>", "GSTIN"],
  ["--pan <pan>", "PAN"],
  ["--bank-account <number>", "bank account that withdrawals go to, together with --ifsc"],
  ["--ifsc <ifsc>", "IFSC of the bank account"],
  ["--bank-holder <text>", "holder of the bank account; default: the name"],
  ["--time-zone <name>", `time zone of timestamps; default: ${DEFAULT_TIME_ZONE}`],
];

/** Adds `merchant` and its subcommands. */
export function registerMerchant(program: Command): void {
  const merchant = program.command("merchant").description("create, list, show and change merchants");

  const create = merchant
    .command("create")
    .description("create a merchant with its first access key and its first user, whose secrets are shown only now");
  for (const [flags, description] of PROFILE_OPTIONS) create.option(flags, description);
  create
    .option("--user-email <address>", "e-mail by which its first user signs in to the dashboard; default: --email")
    .option(...REVEAL_OPTION)
    .addHelpText("after", example('nodal merchant create --name "Asha Traders" --email asha@example.com'))
    .action(onInstallation(optionsOf(CREATE_FIELDS, checkBankPair), createMerchant));

  merchant
    .command("list")
    .description("list every merchant")
    .option(...REVEAL_OPTION)
    .addHelpText("after", example("nodal merchant list"))
    .action(onInstallation(optionsOf({ reveal: flag() }), answerList));

  merchant
    .command("show")
    .description("show a merchant's profile, settings and balances")
    .option("--merchant <id>", "the merchant's id")
    .option(...REVEAL_OPTION)
    .addHelpText("after", example("nodal merchant show --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId(), reveal: flag() }), showMerchant));

  const set = merchant
    .command("set")
    .description('change what is given and nothing else; "" clears an entry')
    .option("--merchant <id>", "the merchant's id");
  for (const [flags, description] of PROFILE_OPTIONS) set.option(flags, description);
  set
    .option("--rate-limit <n>", "requests a minute, or `default` for the installation's limit")
    .addOption(new Option("--suspend", "refuse the merchant's requests").conflicts("activate"))
    .addOption(new Option("--activate", "end a suspension"))
    .addOption(
      new Option("--live", "transfers move real money from now on; there is no way back").conflicts([
        ...PROFILE_NAMES,
        "rateLimit",
        "suspend",
        "activate",
      ]),
    )
    .option(...REVEAL_OPTION)
    .addHelpText("after", example("nodal merchant set --merchant 1000001 --rate-limit 600"))
    .action(onInstallation(readChanges, setMerchant));
}

async function createMerchant(
  { config, pool, ids }: Installation,
  { reveal, userEmail, ...values }: Values<typeof CREATE_FIELDS>,
): Promise<Answer> {
  const profile: MerchantProfile = {
    ...profileText(values, PROFILE_NAMES),
    timeZone: values.timeZone ?? DEFAULT_TIME_ZONE,
  };
  const created = await createMerchantWithOwner(pool, ids, profile, userEmail);
  const { merchant, accessKeyId, secret, templateId, user } = created;
  const { merchant_id, ...rest } = describe(merchant, shownBy(reveal));
  const keys = { access_key_id: accessKeyId, secret_access_key: secret };
  const login = {
    user_email: user.email,
    user_password: user.password,
    sign_in_url: signInLink(publicUrlOf(config), merchant),
  };
  const json = { merchant_id, ...keys, ...login, template_id: String(templateId), ...rest };
  return { json, text: `${formatRecord(json)}\n\nThe secret and the password are shown only now: keep them.` };
}

async function answerList({ pool }: Installation, { reveal }: Reveal): Promise<Answer> {
  const merchants = (await listMerchants(pool)).map((merchant) => describe(merchant, shownBy(reveal)));
  const rows = merchants.map(({ merchant_id, name, email, status, live, rate_limit_per_minute, created_at }) => {
    return { merchant_id, name, email, status, live, rate_limit_per_minute, created_at };
  });
  return {
    json: merchants,
    text: formatTable(rows, "There is no merchant yet: make one with `nodal merchant create`."),
  };
}

async function showMerchant({ pool }: Installation, options: MerchantOption & Reveal): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const { availablePaise, heldPaise } = await readBalances(pool, merchant.bucket, merchant.merchantId);
  const json = {
    ...describe(merchant, shownBy(options.reveal)),
    today: todayOf(merchant).toString(),
    available_balance: formatPaise(availablePaise),
    held_balance: formatPaise(heldPaise),
    ledger_balance: formatPaise(availablePaise + heldPaise),
  };
  return { json, text: formatRecord(json) };
}

async function setMerchant(
  { pool, ids }: Installation,
  { merchant, changes, isGoingLive, reveal }: MerchantOption & Changes & Reveal,
): Promise<Answer> {
  const { merchant: changed, approvalId } = isGoingLive
    ? { merchant: await goLive(pool, merchant), approvalId: null }
    : await changeMerchant({ pool, ids }, merchant, changes);
  const waiting = changes.status === "suspended" ? describeWaiting(await readWaitingPayouts(pool, changed)) : null;
  const json = {
    ...describe(changed, shownBy(reveal)),
    ...(approvalId === null ? {} : { approval_id: String(approvalId) }),
    ...(waiting === null ? {} : { waiting }),
  };
  const { waiting: _, ...shown } = json;
  const sentences = [
    approvalId === null ? "" : waitsForApproval("The bank account", approvalId),
    waiting === null ? "" : sayWaiting(waiting),
  ].filter((sentence) => sentence !== "");
  return { json, text: [formatRecord(shown), ...sentences].join("\n\n") };
}

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

type Changes = {
  readonly changes: MerchantChanges;
  /** By itself only: then nothing else changes. */
  readonly isGoingLive: boolean;
};
type Reveal = { readonly reveal: true | null };

function readChanges(given: GivenOptions): MerchantOption & Changes & Reveal {
  const names = PROFILE_NAMES.filter((name) => given[name] !== undefined);
  const givenFields = Object.fromEntries(names.map((name) => [name, profileFields[name]]));
  const hasLimit = given["rateLimit"] !== undefined && given["rateLimit"] !== "default";
  const limitField = hasLimit ? { rateLimit: wholeNumber(1, RATE_LIMIT_MAXIMUM) } : {};
  const fields = { merchant: merchantId(), reveal: flag(), ...givenFields, ...limitField };
  const values = optionsOf(fields, checkBankPair)(given);
  const profile = profileText(values as Partial<Record<ProfileName, string | null>>, names);
  const changes: MerchantChanges = {
    ...profile,
    ...(profile.timeZone === "" ? { timeZone: DEFAULT_TIME_ZONE } : {}),
    ...(given["rateLimit"] === undefined ? {} : { rateLimitPerMinute: values.rateLimit ?? null }),
    ...(given["suspend"] ? { status: "suspended" } : {}),
    ...(given["activate"] ? { status: "active" } : {}),
  };
  const isGoingLive = given["live"] === true;
  if (isGoingLive || Object.keys(changes).length > 0) {
    return { merchant: values.merchant, changes, isGoingLive, reveal: values.reveal };
  }
  throw validationError([
    { field: "--merchant", code: "required", message: "Say what to change: `nodal merchant set --help` lists it." },
  ]);
}

/** The texts of a profile's entries, "" where nothing is given. */
function profileText<Name extends ProfileName>(
  values: Partial<Record<ProfileName, string | null>>,
  names: readonly Name[],
): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? ""])) as Record<Name, string>;
}

/** An account number of one bank beside the IFSC of another would send money astray: both or neither. */
function checkBankPair({ bankAccount, ifsc }: GivenOptions, errors: FieldError[]): void {
  if (Boolean(bankAccount) === Boolean(ifsc) && (bankAccount === undefined) === (ifsc === undefined)) return;
  if (bankAccount) fail(errors, "--ifsc", "required", "is required together with --bank-account.");
  else fail(errors, "--bank-account", "required", "is required together with --ifsc.");
}

function describe(merchant: Merchant, show: Show) {
  return {
    ...describeProfile(merchant, show),
    rate_limit_per_minute: merchant.rateLimitPerMinute,
    status: merchant.status,
    live: merchant.live,
    created_at: formatTimestamp(merchant.createdAt, merchant.timeZone),
  };
}
