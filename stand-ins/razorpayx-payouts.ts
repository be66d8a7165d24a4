// Payouts of the stand-in for RazorpayX: made, with a fund account or all of it inside, found, listed and cancelled.
import type { FastifyInstance } from "fastify";
import type { RailMode } from "../src/payouts/rails/rail.ts";
import {
  badRequest,
  collectionOf,
  idOf,
  notAnId,
  NO_SUCH_ID,
  ok,
  pageOf,
  readPage,
  secondsOf,
  SOURCE_ACCOUNT,
} from "./razorpayx-answers.ts";
import { contactBody, fundAccountBody, makeContact, makeFundAccount, notesOf } from "./razorpayx-payees.ts";
import type { Desk } from "./desk.ts";
import { isRecord, textOf, type Fields } from "./json.ts";
import type { BookState, Payee, Payment } from "./payout-book.ts";
import { give, isAnswer, type Answer } from "./stand-in.ts";

const STATUS: Record<BookState, string> = {
  QUEUED: "queued",
  PENDING: "processing",
  PAID: "processed",
  FAILED: "failed",
  REJECTED: "rejected",
  REVERSED: "reversed",
};
/** What a payment is rejected for that its caller cancels. */
const CANCELLED = "cancelled";
/** A payout is queued for three months at most. */
const QUEUED_MS = 90 * 24 * 3_600_000;
const FEE_PAISE = 500n;
const TAX_PAISE = 90n;
const PURPOSES = ["refund", "cashback", "payout", "salary", "utility bill", "vendor bill"];
/** The least and the most of each way, in paise. */
const LIMITS: Readonly<Record<RailMode, readonly [bigint, bigint]>> = {
  IMPS: [100n, 50_000_000n],
  NEFT: [100n, 10n ** 15n],
  RTGS: [20_000_000n, 10n ** 15n],
  UPI: [100n, 10_000_000n],
};

/** What the stand-in's bank says, in RazorpayX's words. */
const REASONS: Readonly<Record<string, string>> = {
  INVALID_IFSC_FAIL: "invalid_ifsc_code",
  INVALID_ACCOUNT_FAIL: "bank_account_invalid",
  BENE_BANK_DECLINED: "beneficiary_bank_rejected",
  RETURNED_FROM_BENEFICIARY: "beneficiary_bank_rejected",
  BANK_GATEWAY_ERROR: "gateway_technical_error",
  INSUFFICIENT_BALANCE: "insufficient_funds",
};
const BY_STATE: Readonly<Record<BookState, readonly [reason: string, source: string, description: string]>> = {
  QUEUED: [
    "low_balance",
    "business",
    "Payout is queued as there is insufficient balance in your account to process the payout.",
  ],
  PENDING: ["payout_bank_processing", "gateway", "Payout is being processed by the partner bank."],
  PAID: [
    "payout_processed",
    "beneficiary_bank",
    "Payout is processed and the money has been credited into the beneficiary's account.",
  ],
  FAILED: [
    "beneficiary_bank_failure",
    "beneficiary_bank",
    "Payout failed at the beneficiary bank due to a technical issue.",
  ],
  REJECTED: ["beneficiary_bank_rejected", "beneficiary_bank", "Payout rejected by the beneficiary bank."],
  REVERSED: [
    "beneficiary_bank_failure",
    "beneficiary_bank",
    "Payout failed at the beneficiary bank due to a technical issue.",
  ],
};

/** What a payout was asked for with, beside what every provider keeps. */
type Extra = { readonly purpose: string; readonly notes: string; readonly isQueueable: boolean };

export function addPayoutRoutes(app: FastifyInstance, desk: Desk): void {
  app.post("/v1/payouts", { config: { operation: "submit" } }, (request, reply) => {
    const key = request.headers["x-payout-idempotency"];
    return give(reply, requestPayout(isRecord(request.body) ? request.body : {}, String(key ?? ""), desk));
  });
  const config = { operation: "status" } as const;
  app.get("/v1/payouts/:id", { config }, (request, reply) => {
    const id = textOf(request.params as Fields, "id");
    const payment = desk.book.findByProviderId(id);
    return give(reply, payment ? ok(payoutBody(payment)) : notAnId(id));
  });
  app.get("/v1/payouts", { config }, (request, reply) => give(reply, listPayouts(request.query as Fields, desk)));
  // Two of its pages disagree on the method.
  const cancel = (params: unknown): Answer => cancelPayout(textOf(params as Fields, "id"), desk);
  app.patch("/v1/payouts/:id/cancel", { config }, (request, reply) => give(reply, cancel(request.params)));
  app.post("/v1/payouts/:id/cancel", { config }, (request, reply) => give(reply, cancel(request.params)));
}

function listPayouts(query: Fields, desk: Desk): Answer {
  if (textOf(query, "account_number") !== SOURCE_ACCOUNT)
    return badRequest("The account number is invalid.", { field: "account_number" });
  const page = readPage(query);
  if (isAnswer(page)) return page;
  const reference = textOf(query, "reference_id");
  const contact = textOf(query, "contact_id");
  const made =
    reference === ""
      ? desk.book.listMade(page.fromMs, page.toMs, Number.MAX_SAFE_INTEGER, 0)
      : desk.book.listByReference(reference);
  const isWanted = (payment: Payment): boolean =>
    isEqual(query, "fund_account_id", payment.payeeId) &&
    isEqual(query, "mode", payment.mode) &&
    isEqual(query, "status", statusOf(payment)) &&
    (contact === "" || desk.book.findPayee(payment.payeeId)?.fields.contact_id === contact);
  return collectionOf(pageOf(made.filter(isWanted), page, ({ createdMs }) => Number(createdMs)).map(payoutBody));
}

function isEqual(query: Fields, name: string, value: string): boolean {
  return query[name] === undefined || query[name] === value;
}

function cancelPayout(id: string, desk: Desk): Answer {
  const payment = desk.book.findByProviderId(id);
  if (!payment) return notAnId(id);
  if (payment.state !== "QUEUED") return badRequest("Only a queued payout can be cancelled.", { field: "id" });
  const cancelled = desk.book.move(id, "REJECTED", CANCELLED, desk.clock.nowMs())!;
  return ok(payoutBody(cancelled));
}

function requestPayout(fields: Fields, key: string, desk: Desk): Answer {
  if (!/^[A-Za-z0-9_ -]{4,36}$/.test(key))
    return badRequest("Idempotency key is missing. Include idempotency header and key in the request.", {
      field: "X-Payout-Idempotency",
    });
  const refused = checkPayout(fields);
  if (refused) return refused;
  const payee = findPayee(fields, desk);
  if (isAnswer(payee)) return payee;
  const mode = textOf(fields, "mode") as RailMode;
  const { account_number: accountNumber = null, ifsc = null, address: upi = null } = payee.fields;
  const payment = {
    providerId: "",
    clientId: key,
    referenceId: textOf(fields, "reference_id"),
    amountPaise: BigInt(textOf(fields, "amount")),
    mode,
    payeeId: payee.payeeId,
    accountNumber,
    ifsc,
    upi,
    narrative: textOf(fields, "narration"),
    feePaise: FEE_PAISE,
    taxPaise: TAX_PAISE,
    extra: JSON.stringify(extraOf(fields)),
  };
  const earlier = desk.book.findByClientId(key);
  if (earlier) {
    const isSame = (["amountPaise", "referenceId", "payeeId", "mode", "narrative", "extra"] as const).every(
      (name) => earlier[name] === payment[name],
    );
    if (!isSame) return badRequest("Different request body sent for the same Idempotency Header");
    return ok(answerOf(earlier, payee, fields, desk));
  }
  if (mode === "UPI" ? upi === null : accountNumber === null)
    return badRequest(`Payout mode ${mode} is not supported for the fund account`, { field: "mode" });
  const isShort = desk.book.balancePaise() < payment.amountPaise;
  if (isShort && fields.queue_if_low_balance !== true) return LOW_BALANCE;
  const numbered = { ...payment, providerId: idOf("pout", desk.book.nextNumber("payout")) };
  const made = isShort ? desk.queue(numbered, QUEUED_MS) : desk.accept(numbered);
  return ok(answerOf(made, payee, fields, desk));
}

export const LOW_BALANCE = badRequest("Your account does not have enough balance to carry out the payout operation.", {
  reason: "insufficient_funds",
});

/** The fund account that is named, or the one that comes with the payout. */
function findPayee(fields: Fields, desk: Desk): Payee | Answer {
  const given = isRecord(fields.fund_account) ? fields.fund_account : null;
  if (given) {
    const contact = makeContact(isRecord(given.contact) ? given.contact : {}, desk);
    return isAnswer(contact) ? contact : makeFundAccount({ ...given, contact_id: contact.payeeId }, desk);
  }
  const id = textOf(fields, "fund_account_id");
  const payee = id.startsWith("fa_") ? desk.book.findPayee(id) : null;
  if (!payee) return badRequest(NO_SUCH_ID, { field: "fund_account_id" });
  const contact = desk.book.findPayee(payee.fields.contact_id ?? "");
  if (payee.fields.active === "0" || contact?.fields.active === "0")
    return badRequest("Payouts cannot be created on an inactive fund account or contact.", {
      field: "fund_account_id",
    });
  return payee;
}

function extraOf(fields: Fields): Extra {
  return {
    purpose: textOf(fields, "purpose"),
    notes: notesOf(fields),
    isQueueable: fields.queue_if_low_balance === true,
  };
}

function checkPayout(fields: Fields): Answer | null {
  const wrong = (description: string, field: string): Answer => badRequest(description, { field });
  const [amount, mode] = [textOf(fields, "amount"), textOf(fields, "mode")];
  if (textOf(fields, "account_number") !== SOURCE_ACCOUNT)
    return wrong("The account number is invalid.", "account_number");
  if (!/^[0-9]{3,15}$/.test(amount)) return wrong("The amount must be at least INR 1.00", "amount");
  if (fields.currency !== "INR") return wrong("The currency must be INR.", "currency");
  if (!Object.hasOwn(LIMITS, mode)) return wrong("Payout mode is invalid", "mode");
  const [least, most] = LIMITS[mode as RailMode];
  if (BigInt(amount) < least || BigInt(amount) > most)
    return wrong(`The amount is not within the limits of ${mode}`, "amount");
  if (!PURPOSES.includes(textOf(fields, "purpose"))) return wrong("Invalid purpose", "purpose");
  if (textOf(fields, "reference_id").length > 40)
    return wrong("The reference id may not be greater than 40 characters.", "reference_id");
  if (fields.narration !== undefined && !/^[A-Za-z0-9 ]{1,30}$/.test(textOf(fields, "narration")))
    return wrong("The narration format is invalid.", "narration");
  if (isRecord(fields.notes) && Object.keys(fields.notes).length > 15)
    return wrong("The notes may not be more than 15.", "notes");
  return null;
}

/** A payout whose fund account came with it is answered with all of that. */
function answerOf(payment: Payment, payee: Payee, fields: Fields, desk: Desk): object {
  if (!isRecord(fields.fund_account)) return payoutBody(payment);
  const contact = contactBody(desk.book.findPayee(payee.fields.contact_id ?? "")!);
  return { ...payoutBody(payment), fund_account: { ...fundAccountBody(payee), contact } };
}

export function statusOf({ state, reason }: Payment): string {
  return reason === CANCELLED ? CANCELLED : STATUS[state];
}

/** A payout as answers and notices have it. */
export function payoutBody(payment: Payment): object {
  const { state } = payment;
  const { purpose, notes } = JSON.parse(payment.extra ?? '{"purpose":"payout","notes":"[]"}') as Extra;
  const hasFee = state !== "QUEUED" && state !== "REJECTED" && state !== "FAILED";
  return {
    id: payment.providerId,
    entity: "payout",
    fund_account_id: payment.payeeId,
    amount: payment.amountPaise,
    currency: "INR",
    notes: JSON.parse(notes) as unknown,
    fees: hasFee ? payment.feePaise + payment.taxPaise : 0n,
    tax: hasFee ? payment.taxPaise : 0n,
    status: statusOf(payment),
    purpose,
    utr: state === "PAID" || state === "REVERSED" ? payment.utr : null,
    mode: payment.mode,
    reference_id: payment.referenceId || null,
    narration: payment.narrative || "Merchant billing label",
    debit_account_number: SOURCE_ACCOUNT,
    batch_id: null,
    status_details: detailsOf(payment),
    created_at: secondsOf(payment.createdMs),
    fee_type: null,
  };
}

/** Why it stands so. A reason of the stand-in's own bank is `CODE: sentence`. */
function detailsOf({ state, reason }: Payment): object | null {
  if (reason === CANCELLED) return null;
  const [byState, source, description] = BY_STATE[state];
  const [code, ...sentence] = (reason ?? "").split(": ");
  return {
    description: sentence.join(": ") || description,
    source,
    reason: REASONS[code!] ?? byState,
  };
}
