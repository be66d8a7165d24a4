// `nodal franchise`: franchises and payouts of their commission.
import {
  COMMISSION_PAYMENT_MODES,
  CommissionPayer,
  contactRecord,
  findFranchise,
  findWaiting,
  franchiseNotFound,
  listFranchises,
  readCommission,
  recordCommissionPayment,
  reverseCommissionPayment,
  type CommissionState,
  type Franchise,
} from "../franchises/index.ts";
import { FRANCHISE_STATEMENT_COLUMNS, readPrintedStatement, renderFranchiseStatementPdf } from "../documents/index.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import { awaitBank, OwnPayouts } from "../payouts/index.ts";
import { csvFile } from "../platform/csv.ts";
import { fail } from "../platform/http/field.ts";
import { date, money, oneOf, optional, optionalText, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import {
  flag,
  group,
  id,
  ifGiven,
  merchantCommand,
  option,
  REVEAL,
  shownBy,
  type MerchantScope,
  type Show,
  type Values,
} from "./command.ts";
import { OUT, writePdf } from "./invoice-options.ts";
import { formatRecord, formatTable, listAnswer, paragraphs, recordAnswer, type Answer } from "./output.ts";

const FRANCHISE = id("a franchise's id, which `nodal franchise list` shows");
const COLUMNS = [
  "franchise_id",
  "franchise_code",
  "franchise_name",
  "status",
  "settlement_type",
  "commission_accrued",
  "commission_paid",
  "commission_due",
] as const;

const list = merchantCommand({
  description: "list a merchant's franchises and their commission, including deleted ones",
  options: { reveal: REVEAL },
  async run({ pool, merchant }, { reveal }) {
    const franchises = await listFranchises(pool, merchant);
    const commission = await readCommission({ pool, merchant });
    const records = franchises.map((franchise) =>
      describe(franchise, merchant, commission.get(franchise.franchiseId)!, shownBy(reveal)),
    );
    return listAnswer(records, "This merchant has no franchises yet.", COLUMNS);
  },
});

const show = merchantCommand({
  description: "show a franchise and its earned, paid and due commission",
  example: "--franchise 1000207",
  options: { franchise: FRANCHISE, reveal: REVEAL },
  async run({ pool, merchant }, { franchise: franchiseId, reveal }) {
    const { bucket, merchantId } = merchant;
    const franchise = await findFranchise(pool, { bucket, merchantId, franchiseId });
    if (!franchise) throw franchiseNotFound();
    const commission = await readCommission({ pool, merchant }, [franchiseId]);
    const waiting = await findWaiting(pool, merchant, [franchiseId]);
    const record = describe(franchise, merchant, commission.get(franchiseId)!, shownBy(reveal));
    return recordAnswer({ ...record, commission_waits: waiting.size > 0 });
  },
});

/** Options about a payment outside Nodal. */
const PAYMENT_OPTIONS = {
  amount: option("<rupees>", "with --paid-by: amount paid, at most the amount due", optional(money())),
  date: option("<date>", "with --paid-by: when it was paid; default: today", optional(date()), { named: "paid_date" }),
  bankRef: option("<text>", "with --paid-by: bank reference or cheque number", optionalText(50), {
    named: "bank_ref_no",
  }),
  note: option("<text>", "with --paid-by: a note", optionalText(500)),
};

const settle = merchantCommand({
  description:
    "pay out at once what a franchise is owed, from the merchant's balance to the franchise's bank account; " +
    "with --paid-by, record a payment made outside Nodal",
  example: "--franchise 1000207",
  options: {
    franchise: FRANCHISE,
    paidBy: option(
      "<mode>",
      `how it was paid outside Nodal: ${COMMISSION_PAYMENT_MODES.join(", ")}`,
      optional(oneOf(COMMISSION_PAYMENT_MODES)),
    ),
    ...PAYMENT_OPTIONS,
  },
  check(given, errors) {
    const isOutside = given["paidBy"] !== undefined;
    if (isOutside && given["amount"] === undefined)
      fail(errors, "amount", "required", "is required with --paid-by: give the amount paid.");
    if (isOutside) return;
    for (const name of Object.keys(PAYMENT_OPTIONS).filter((each) => given[each] !== undefined)) {
      fail(errors, name, "not_allowed", "needs --paid-by: without it, the full amount due is paid.");
    }
  },
  async run(scope, { franchise: franchiseId, paidBy, ...payment }) {
    if (paidBy !== null) return recordPayment(scope, { franchiseId, mode: paidBy, ...payment });
    const payer = new CommissionPayer(new OwnPayouts(scope.config));
    const payout = await payer.settle(scope, { franchiseId, expectedPaise: null });
    const isAccepted = payout.outcome === "accepted";
    const transferStatus = isAccepted
      ? await awaitBank(scope, { transferId: payout.transferId, waitMs: scope.config.TRANSFER_WAIT_MS })
      : null;
    const record = {
      franchise_id: String(franchiseId),
      transfer_id: isAccepted ? String(payout.transferId) : null,
      amount: isAccepted ? formatPaise(payout.amountPaise) : "0.00",
      transfer_status: transferStatus,
      ...(await readCommissionOf(scope, franchiseId)),
    };
    const sentence = isAccepted ? "" : "Nothing is due, or the payment is already in progress.";
    return { json: record, text: paragraphs(sentence, formatRecord(record)) };
  },
});

type Payment = Values<typeof PAYMENT_OPTIONS> & { readonly franchiseId: bigint; readonly mode: string };

async function recordPayment(
  scope: MerchantScope,
  { franchiseId, mode, amount, date: paidOn, bankRef, note }: Payment,
): Promise<Answer> {
  // --paid-by requires an amount.
  const amountPaise = amount!;
  const paidDate = paidOn ?? todayOf(scope.merchant);
  const details = { amountPaise, paidDate, mode, bankRefNo: bankRef ?? "", note: note ?? "" };
  const { paymentId } = await recordCommissionPayment(scope, { franchiseId, ...details });
  return recordAnswer({
    franchise_id: String(franchiseId),
    payment_id: paymentId,
    amount: formatPaise(amountPaise),
    mode,
    paid_date: paidDate.toString(),
    ...(await readCommissionOf(scope, franchiseId)),
  });
}

const statement = merchantCommand({
  description: "show what a franchise earned and was paid in a period, and what it was owed before and after",
  example: "--franchise 1000207 --from 2026-04-01 --to 2026-04-30",
  options: {
    franchise: FRANCHISE,
    from: option("<date>", "first day, in the merchant's time zone", date()),
    to: option("<date>", "last day, included", date()),
    csv: flag("write CSV for a spreadsheet, with headings and one line per entry"),
    pdf: { ...ifGiven(OUT, "write a PDF; an existing file is replaced"), conflicts: ["csv"] },
  },
  check({ from, to }, errors) {
    if (errors.length === 0 && typeof from === "string" && typeof to === "string" && from > to) {
      fail(errors, "from", "invalid", "must not be after --to.");
    }
  },
  async run(scope, { franchise: franchiseId, from, to, csv, pdf }) {
    const found = await readPrintedStatement(scope, { franchiseId, from, to });
    if (pdf !== null) {
      return writePdf(scope, (renderer) => renderFranchiseStatementPdf(renderer, scope.merchant, found), pdf);
    }
    const columns = Object.entries(FRANCHISE_STATEMENT_COLUMNS);
    const entries = found.lines.map((line) =>
      Object.fromEntries(
        columns.map(([name, cellOf]) => {
          const cell = cellOf(line);
          return [name, typeof cell === "bigint" ? formatPaise(cell) : cell];
        }),
      ),
    );
    const head = {
      franchise_id: String(franchiseId),
      from: from.toString(),
      to: to.toString(),
      opening_balance: formatPaise(found.openingPaise),
      earned: formatPaise(found.earnedPaise),
      paid: formatPaise(found.paidPaise),
      closing_balance: formatPaise(found.closingPaise),
    };
    // Every CSV line ends with CR LF; the last LF is the one that every command's output ends with.
    const table = csv
      ? csvFile([columns.map(([name]) => name), ...found.lines.map((line) => columns.map(([, of]) => of(line)))]).slice(
          0,
          -1,
        )
      : paragraphs(formatRecord(head), formatTable(entries, "Nothing was earned or paid in this period."));
    return { json: { ...head, entries }, text: table };
  },
});

const reversePayment = merchantCommand({
  description: "reverse a commission payment recorded as made outside Nodal; it is due again",
  example: '--payment 1000311 --reason "Cheque bounced"',
  options: {
    payment: id("the payment_id that `nodal franchise settle --paid-by` returned"),
    reason: option("<text>", "why, such as a bounced cheque", requiredText(500)),
  },
  async run(scope, { payment: paymentId, reason }) {
    const payment = await reverseCommissionPayment(scope, { paymentId, franchiseId: null, reason });
    const { commission_paid, commission_due } = await readCommissionOf(scope, payment.franchiseId);
    return recordAnswer({
      franchise_id: String(payment.franchiseId),
      payment_id: String(payment.paymentId),
      amount: formatPaise(payment.amountPaise),
      commission_paid,
      commission_due,
    });
  },
});

export const franchiseCommands = group("list and show franchises, and pay their commission", {
  list,
  show,
  statement,
  settle,
  "reverse-payment": reversePayment,
});

/** The earned, paid and owed commission of a franchise. */
async function readCommissionOf({ pool, merchant }: MerchantScope, franchiseId: bigint) {
  const commission = await readCommission({ pool, merchant }, [franchiseId]);
  return describeCommission(commission.get(franchiseId)!);
}

function describeCommission({ accruedPaise, paidPaise, duePaise }: CommissionState) {
  return {
    commission_accrued: formatPaise(accruedPaise),
    commission_paid: formatPaise(paidPaise),
    commission_due: formatPaise(duePaise),
  };
}

function describe(franchise: Franchise, { timeZone }: Merchant, commission: CommissionState, shown: Show) {
  return {
    franchise_id: String(franchise.franchiseId),
    franchise_code: franchise.code,
    status: franchise.deletedAt ? "deleted" : "active",
    ...contactRecord.describe(franchise, shown),
    enable_online_settlement: franchise.onlineSettlement,
    commission_type: franchise.commissionType,
    // Hundredths of a percent are printed like paise.
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
    ...describeCommission(commission),
    created_at: formatTimestamp(franchise.createdAt, timeZone),
    deleted_at: formatTimestamp(franchise.deletedAt, timeZone),
  };
}
