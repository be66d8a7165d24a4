// `nodal franchise`: list, show, settle, reverse-payment.
// What belongs here: options and what is printed. The work is done in franchises/ and payouts/.
import type { Command } from "commander";
import {
  COMMISSION_PAYMENT_MODES,
  findFranchise,
  findWaiting,
  franchiseNotFound,
  listFranchises,
  readCommission,
  recordCommissionPayment,
  reverseCommissionPayment,
  settleCommission,
  type CommissionState,
  type Franchise,
  type FranchiseKey,
} from "../franchises/index.ts";
import { requireMerchant, todayOf, type Merchant } from "../merchants/index.ts";
import { commissionPayer, readUnderWay } from "../payouts/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { fail } from "../platform/http/field.ts";
import { date, digitsOrNumber, money, oneOf, optional, optionalText, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatTimestamp } from "../platform/time.ts";
import { awaitBank } from "./await-bank.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { flag, merchantId, optionsOf, REVEAL_OPTION, shownBy, type Show, type Values } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

const LIST_FIELDS = { merchant: merchantId(), reveal: flag() };
const FIELDS = { merchant: merchantId(), franchise: digitsOrNumber(16) };
const SHOW_FIELDS = { ...FIELDS, reveal: flag() };
const SETTLE_FIELDS = {
  ...FIELDS,
  paidBy: optional(oneOf(COMMISSION_PAYMENT_MODES)),
  amount: optional(money()),
  date: optional(date()),
  bankRef: optionalText(50),
  note: optionalText(500),
};
const REVERSE_FIELDS = { merchant: merchantId(), payment: digitsOrNumber(16), reason: requiredText(500) };
const MERCHANT_OPTION = ["--merchant <id>", "the merchant's id"] as const;
const FRANCHISE_OPTION = ["--franchise <id>", "the franchise's id, which `nodal franchise list` shows"] as const;

/** Adds `franchise` and its subcommands. */
export function registerFranchise(program: Command): void {
  const franchise = program.command("franchise").description("list and show franchises, and pay their commission out");

  franchise
    .command("list")
    .description("list a merchant's franchises with their commission, deleted ones too")
    .option(...MERCHANT_OPTION)
    .option(...REVEAL_OPTION)
    .addHelpText("after", example("nodal franchise list --merchant 1000001"))
    .action(onInstallation(optionsOf(LIST_FIELDS), answerList));

  franchise
    .command("show")
    .description("show a franchise, and what it has earned, was paid and is owed")
    .option(...MERCHANT_OPTION)
    .option(...FRANCHISE_OPTION)
    .option(...REVEAL_OPTION)
    .addHelpText("after", example("nodal franchise show --merchant 1000001 --franchise 1000207"))
    .action(onInstallation(optionsOf(SHOW_FIELDS), show));

  franchise
    .command("settle")
    .description(
      "pay out at once what a franchise is owed, from the merchant's balance to the franchise's bank account; " +
        "with --paid-by, record that it was paid by other means",
    )
    .option(...MERCHANT_OPTION)
    .option(...FRANCHISE_OPTION)
    .option("--paid-by <mode>", `how it was paid outside of Nodal: ${COMMISSION_PAYMENT_MODES.join(", ")}`)
    .option("--amount <rupees>", "with --paid-by: how much was paid, at most what is due")
    .option("--date <date>", "with --paid-by: when it was paid; default: today")
    .option("--bank-ref <text>", "with --paid-by: the bank's reference, or the number of the cheque")
    .option("--note <text>", "with --paid-by: what else is to be known")
    .addHelpText("after", example("nodal franchise settle --merchant 1000001 --franchise 1000207"))
    .action(onInstallation(readSettleOptions, settle));

  franchise
    .command("reverse-payment")
    .description("take back that commission was paid by other means: it is due again")
    .option(...MERCHANT_OPTION)
    .option("--payment <id>", "the payment_id, which `nodal franchise settle --paid-by` answers")
    .option("--reason <text>", "why, such as a bounced cheque")
    .addHelpText(
      "after",
      example('nodal franchise reverse-payment --merchant 1000001 --payment 1000311 --reason "Cheque bounced"'),
    )
    .action(onInstallation(optionsOf(REVERSE_FIELDS), reversePayment));
}

const readSettleOptions = optionsOf(SETTLE_FIELDS, (given, errors) => {
  const isOutside = given["paidBy"] !== undefined;
  if (isOutside && given["amount"] === undefined) fail(errors, "--amount", "required", "says how much was paid.");
  if (isOutside) return;
  for (const [name, flagName] of [
    ["amount", "--amount"],
    ["date", "--date"],
    ["bankRef", "--bank-ref"],
    ["note", "--note"],
  ] as const) {
    if (given[name] !== undefined)
      fail(errors, flagName, "not_allowed", "goes with --paid-by: without it, all is paid.");
  }
});

async function answerList({ pool }: Installation, options: Values<typeof LIST_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const franchises = await listFranchises(pool, merchant);
  const commission = await readCommission(pool, merchant);
  const shown = shownBy(options.reveal);
  const json = franchises.map((franchise) =>
    describe(franchise, merchant, commission.get(franchise.franchiseId)!, shown),
  );
  const rows = json.map((record) => ({
    franchise_id: record.franchise_id,
    franchise_code: record.franchise_code,
    franchise_name: record.franchise_name,
    status: record.status,
    settlement_type: record.settlement_type,
    commission_accrued: record.commission_accrued,
    commission_paid: record.commission_paid,
    commission_due: record.commission_due,
  }));
  return { json, text: formatTable(rows, "This merchant has no franchise yet.") };
}

async function show({ pool }: Installation, options: Values<typeof SHOW_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const json = await read(pool, merchant, BigInt(options.franchise), shownBy(options.reveal));
  return { json, text: formatRecord(json) };
}

async function settle(installation: Installation, options: Values<typeof SETTLE_FIELDS>): Promise<Answer> {
  const { pool, ids, config } = installation;
  const merchant = await requireMerchant(pool, options.merchant);
  const key = { bucket: merchant.bucket, merchantId: merchant.merchantId, franchiseId: BigInt(options.franchise) };
  if (options.paidBy !== null)
    return recordPayment(installation, merchant, key, { ...options, paidBy: options.paidBy });
  const payout = await settleCommission({ pool, ids, payCommission: commissionPayer(config) }, key);
  const isAccepted = payout.outcome === "accepted";
  const transferStatus = isAccepted
    ? await awaitBank(pool, merchant, payout.transferId, config.TRANSFER_WAIT_MS)
    : null;
  const { commission_accrued, commission_paid, commission_due } = await read(pool, merchant, key.franchiseId, mask);
  const json = {
    franchise_id: String(key.franchiseId),
    transfer_id: isAccepted ? String(payout.transferId) : null,
    amount: isAccepted ? formatPaise(payout.amountPaise) : "0.00",
    transfer_status: transferStatus,
    commission_accrued,
    commission_paid,
    commission_due,
  };
  const sentence = isAccepted ? "" : "Nothing is due, or it is under way to the bank already.\n\n";
  return { json, text: `${sentence}${formatRecord(json)}` };
}

async function recordPayment(
  { pool, ids }: Installation,
  merchant: Merchant,
  key: FranchiseKey,
  { paidBy, amount, date: paidDate, bankRef, note }: Values<typeof SETTLE_FIELDS> & { readonly paidBy: string },
): Promise<Answer> {
  const details = {
    // There is one beside --paid-by.
    amountPaise: amount!,
    paidDate: paidDate ?? todayOf(merchant),
    mode: paidBy,
    bankRefNo: bankRef ?? "",
    note: note ?? "",
  };
  const { paymentId } = await recordCommissionPayment({ pool, ids, readUnderWay }, key, details, null);
  const { commission_accrued, commission_paid, commission_due } = await read(pool, merchant, key.franchiseId, mask);
  const json = {
    franchise_id: String(key.franchiseId),
    payment_id: paymentId,
    amount: formatPaise(details.amountPaise),
    mode: paidBy,
    paid_date: details.paidDate.toString(),
    commission_accrued,
    commission_paid,
    commission_due,
  };
  return { json, text: formatRecord(json) };
}

async function reversePayment({ pool }: Installation, options: Values<typeof REVERSE_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const payment = await reverseCommissionPayment(pool, merchant, BigInt(options.payment), options.reason);
  const { commission_paid, commission_due } = await read(pool, merchant, payment.franchiseId, mask);
  const json = {
    franchise_id: String(payment.franchiseId),
    payment_id: String(payment.paymentId),
    amount: formatPaise(payment.amountPaise),
    commission_paid,
    commission_due,
  };
  return { json, text: formatRecord(json) };
}

/** @throws NodalError `franchise_not_found` */
async function read(pool: Pool, merchant: Merchant, franchiseId: bigint, shown: Show) {
  const { bucket, merchantId: owner } = merchant;
  const franchise = await findFranchise(pool, { bucket, merchantId: owner, franchiseId });
  if (!franchise) throw franchiseNotFound();
  const commission = await readCommission(pool, merchant, [franchiseId]);
  const waiting = await findWaiting(pool, merchant, [franchiseId]);
  return { ...describe(franchise, merchant, commission.get(franchiseId)!, shown), commission_waits: waiting.size > 0 };
}

function describe(franchise: Franchise, { timeZone }: Merchant, commission: CommissionState, shown: Show) {
  return {
    franchise_id: String(franchise.franchiseId),
    franchise_code: franchise.code,
    franchise_name: franchise.name,
    status: franchise.deletedAt ? "deleted" : "active",
    contact_person_name: franchise.contactPersonName,
    email_id: franchise.emailId,
    mobile: franchise.mobile,
    pan_number: shown(franchise.panNumber),
    aadhar_number: shown(franchise.aadharNumber),
    gst_number: franchise.gstNumber,
    address: franchise.address,
    city: franchise.city,
    state: franchise.state,
    zipcode: franchise.zipcode,
    enable_online_settlement: franchise.onlineSettlement,
    commission_type: franchise.commissionType,
    // Hundredths of a per cent print as paise do.
    commission: formatPaise(franchise.commissionHundredths),
    settlement_type: franchise.settlementType,
    bank_holder_name: franchise.account.holderName,
    account_number: shown(franchise.account.accountNumber),
    bank_name: franchise.account.bankName,
    account_type: franchise.account.accountType,
    ifsc: franchise.account.ifsc,
    beneficiary_id: franchise.beneficiaryId === null ? null : String(franchise.beneficiaryId),
    login_email: franchise.loginEmail,
    role_name: franchise.roleName,
    commission_accrued: formatPaise(commission.accruedPaise),
    commission_paid: formatPaise(commission.paidPaise),
    commission_due: formatPaise(commission.duePaise),
    created_at: formatTimestamp(franchise.createdAt, timeZone),
    deleted_at: franchise.deletedAt && formatTimestamp(franchise.deletedAt, timeZone),
  };
}
