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
import { todayOf, type Merchant } from "../merchants/index.ts";
import { awaitBank, OwnPayouts } from "../payouts/index.ts";
import { fail } from "../platform/http/field.ts";
import { date, money, oneOf, optional, optionalText, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import {
  group,
  id,
  merchantCommand,
  option,
  REVEAL,
  shownBy,
  type MerchantScope,
  type Show,
  type Values,
} from "./command.ts";
import { formatRecord, listAnswer, paragraphs, recordAnswer, type Answer } from "./output.ts";

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
