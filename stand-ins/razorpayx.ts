// The protocol of RazorpayX payouts, as its public documentation has it: contacts, fund accounts, payouts, balances, webhooks.
import { createHmac } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { RailMode } from "../src/payouts/rails/rail.ts";
import { toJson } from "../src/platform/json.ts";
import { isRecord, textOf, type Fields } from "./json.ts";
import type { BookState, Payment } from "./payout-book.ts";
import type { AskedAbout } from "./account-checks.ts";
import type { Desk } from "./desk.ts";
import { give, type Answer, type Problem, type Protocol } from "./stand-in.ts";

/** The account that payouts leave from. */
export const SOURCE_ACCOUNT = "7878780080316316";

const STATUS: Record<BookState, string> = {
  QUEUED: "queued",
  PENDING: "processing",
  PAID: "processed",
  FAILED: "failed",
  REJECTED: "rejected",
  REVERSED: "reversed",
};
const EVENT: Record<BookState, string> = { ...STATUS, PENDING: "initiated" };
const MODES: readonly RailMode[] = ["IMPS", "NEFT", "RTGS", "UPI"];
const PURPOSES = ["refund", "cashback", "payout", "salary", "utility bill", "vendor bill"];

function refusal(status: number, code: string, description: string, field: string | null = null): Answer {
  const reason = field === null ? "NA" : "input_validation_failed";
  return {
    status,
    body: { error: { code, description, source: "business", step: "NA", reason, metadata: {}, field } },
  };
}

function badRequest(description: string, field: string | null = null): Answer {
  return refusal(400, "BAD_REQUEST_ERROR", description, field);
}

const REFUSALS = {
  credentials: refusal(401, "BAD_REQUEST_ERROR", "Authentication failed"),
  too_many: refusal(429, "BAD_REQUEST_ERROR", "Request failed. Please try after sometime."),
  error: refusal(
    500,
    "SERVER_ERROR",
    "We are facing some trouble completing your request at the moment. Please try again shortly.",
  ),
  not_found: badRequest("The requested URL was not found on the server."),
  low_balance: badRequest("Your account does not have enough balance to carry out the payout operation."),
  unknown_payee: badRequest("The id provided does not exist", "fund_account_id"),
  // It asks for no listed address.
  not_listed: null,
} satisfies Readonly<Record<Problem, Answer | null>>;

/** `razorpayx_lite` pays fees at once and can have accounts verified; a `current_account` has its fees collected later. */
export type AccountType = "razorpayx_lite" | "current_account";

export function razorpayxOn(accountType: AccountType): Protocol {
  return {
    ...razorpayx,
    addRoutes(app, desk) {
      addPayeeRoutes(app, desk);
      addBalanceRoutes(app, desk, accountType);
      addPayoutRoutes(app, desk);
      addValidationRoutes(app, desk, accountType);
    },
  };
}

export const razorpayx: Protocol = {
  name: "razorpayx",
  returnsFees: true,
  addRoutes: (app, desk) => razorpayxOn("razorpayx_lite").addRoutes(app, desk),
  isAuthentic: ({ headers }, { id, secret }) =>
    headers.authorization === `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
  refusal: (problem) => REFUSALS[problem],
  noticeOf: (payment, noticeNumber) =>
    toJson({
      entity: "event",
      account_id: "acc_00000000000001",
      event: `payout.${EVENT[payment.state]}`,
      contains: ["payout"],
      payload: { payout: { entity: bodyOf(payment) } },
      created_at: secondsOf(payment.updatedMs),
      // The event's own id travels in a header.
      notice_number: noticeNumber,
    }),
  signNotice(body, { noticeSecret }) {
    const { notice_number: number } = JSON.parse(body) as { notice_number: number };
    return {
      "x-razorpay-event-id": idOf("event", BigInt(number)).slice("event_".length),
      "x-razorpay-signature": createHmac("sha256", noticeSecret).update(body).digest("hex"),
    };
  },
};

function addPayeeRoutes(app: FastifyInstance, desk: Desk): void {
  const config = { operation: "payee" } as const;
  app.post("/v1/contacts", { config }, (request, reply) => {
    const fields = isRecord(request.body) ? request.body : {};
    const name = textOf(fields, "name");
    if (!/^[A-Za-z0-9 '._()/&,-]{3,50}$/.test(name))
      return give(reply, badRequest("The name format is invalid.", "name"));
    const [type, reference] = [textOf(fields, "type"), textOf(fields, "reference_id")];
    const payeeId = idOf("cont", desk.book.nextNumber("contact"));
    const saved = desk.book.savePayee(
      { payeeId, fields: { name, type, reference } },
      `contact ${name} ${type} ${reference}`,
    );
    const body = { id: saved.payeeId, entity: "contact", name, type, reference_id: reference, active: true };
    return give(reply, { status: saved.payeeId === payeeId ? 201 : 200, body });
  });
  app.post("/v1/fund_accounts", { config }, (request, reply) => {
    const fields = isRecord(request.body) ? request.body : {};
    const contactId = textOf(fields, "contact_id");
    if (!desk.book.findPayee(contactId)) return give(reply, badRequest("The id provided does not exist", "contact_id"));
    const checked = checkFundAccount(fields);
    if ("status" in checked) return give(reply, checked as Answer);
    const payeeId = idOf("fa", desk.book.nextNumber("fund account"));
    const saved = desk.book.savePayee(
      { payeeId, fields: checked },
      `fund account ${contactId} ${Object.values(checked).join(" ")}`,
    );
    const body = { id: saved.payeeId, entity: "fund_account", contact_id: contactId, active: true, ...checked };
    return give(reply, { status: saved.payeeId === payeeId ? 201 : 200, body });
  });
}

function addBalanceRoutes(app: FastifyInstance, desk: Desk, accountType: AccountType): void {
  app.get("/v1/banking_balances", { config: { operation: "balance" } }, (_request, reply) => {
    const amount = desk.book.balancePaise();
    const item = {
      entity: "banking_balance",
      currency: "INR",
      account_number: SOURCE_ACCOUNT,
      account_type: accountType,
    };
    const refreshed = { refreshed_at: secondsOf(BigInt(desk.clock.nowMs())) };
    const items = [{ ...item, amount, available_amount: amount, ...refreshed }];
    return give(reply, { status: 200, body: { entity: "collection", count: 1, items } });
  });
}

function addPayoutRoutes(app: FastifyInstance, desk: Desk): void {
  app.post("/v1/payouts", { config: { operation: "submit" } }, (request, reply) => {
    const key = request.headers["x-payout-idempotency"];
    return give(reply, requestPayout(isRecord(request.body) ? request.body : {}, String(key ?? ""), desk));
  });
  const config = { operation: "status" } as const;
  app.get("/v1/payouts/:id", { config }, (request, reply) => {
    const payment = desk.book.findByProviderId(textOf(request.params as Fields, "id"));
    return give(reply, payment ? { status: 200, body: bodyOf(payment) } : badRequest("The id provided does not exist"));
  });
  app.get("/v1/payouts", { config }, (request, reply) => {
    const query = request.query as Fields;
    if (textOf(query, "account_number") !== SOURCE_ACCOUNT)
      return give(reply, badRequest("The account number is invalid.", "account_number"));
    const items = listPayouts(query, desk).map(bodyOf);
    return give(reply, { status: 200, body: { entity: "collection", count: items.length, items } });
  });
}

/** By reference, or those that were made in a time, page by page. */
function listPayouts(query: Fields, desk: Desk): Payment[] {
  if (query.reference_id !== undefined) return desk.book.listByReference(textOf(query, "reference_id"));
  const number = (name: string, otherwise: number): number => Number(textOf(query, name) || otherwise);
  const [from, to] = [number("from", 0), number("to", 4_000_000_000)];
  return desk.book.listMade(from * 1000, to * 1000, Math.min(number("count", 10), 100), number("skip", 0));
}

function addValidationRoutes(app: FastifyInstance, desk: Desk, accountType: AccountType): void {
  const config = { operation: "verify" } as const;
  app.post("/v1/fund_accounts/validations", { config }, (request, reply) => {
    const fields = isRecord(request.body) ? request.body : {};
    if (textOf(fields, "account_number") !== SOURCE_ACCOUNT)
      return give(reply, badRequest("The account number is invalid.", "account_number"));
    if (accountType !== "razorpayx_lite")
      return give(reply, badRequest("Fund account validation is not available for this account.", "account_number"));
    if (textOf(fields, "amount") !== "100") return give(reply, badRequest("The amount must be INR 1.00", "amount"));
    if (fields.currency !== "INR") return give(reply, badRequest("The currency must be INR.", "currency"));
    const payee = desk.book.findPayee(textOf(isRecord(fields.fund_account) ? fields.fund_account : {}, "id"));
    if (payee?.fields.account_type !== "bank_account")
      return give(reply, badRequest("The id provided does not exist", "fund_account.id"));
    const { name = "", account_number: accountNumber = "", ifsc = "" } = payee.fields;
    const asked = desk.askAbout({ payeeId: payee.payeeId, name, accountNumber, ifsc }, false);
    return give(reply, { status: 200, body: validationBody(asked) });
  });
  app.get("/v1/fund_accounts/validations/:id", { config }, (request, reply) => {
    const number = /^fav_0*([0-9A-Z]{1,8})$/.exec(textOf(request.params as Fields, "id"))?.[1];
    const asked = number ? desk.accountChecks.find(BigInt(Number.parseInt(number, 36)), desk.clock.nowMs()) : null;
    return give(
      reply,
      asked ? { status: 200, body: validationBody(asked) } : badRequest("The id provided does not exist"),
    );
  });
}

/** An answer about an account: completed says that there is one, whatever it is. */
function validationBody({ number, payeeId, check }: AskedAbout): object {
  const status = check === null ? "failed" : check.status === "pending" ? "created" : "completed";
  const valid = check?.status === "valid" ? check : null;
  const account_status = valid ? "active" : check?.status === "invalid" ? "invalid" : null;
  return {
    id: idOf("fav", number),
    entity: "fund_account.validation",
    fund_account: { id: payeeId, entity: "fund_account" },
    status,
    amount: 100n,
    currency: "INR",
    results: { account_status, registered_name: valid?.nameAtBank ?? null },
    utr: valid?.utr ?? null,
    status_details: check === null ? { reason: "beneficiary_bank_offline", description: "The bank is offline." } : {},
  };
}

function requestPayout(fields: Fields, key: string, desk: Desk): Answer {
  if (!/^[A-Za-z0-9_ -]{4,36}$/.test(key)) return badRequest("The X-Payout-Idempotency header is missing or invalid.");
  const refused = checkPayout(fields);
  if (refused) return refused;
  const amountPaise = BigInt(textOf(fields, "amount"));
  const mode = textOf(fields, "mode") as RailMode;
  const referenceId = textOf(fields, "reference_id");
  const earlier = desk.book.findByClientId(key);
  if (earlier) {
    const isSame =
      earlier.amountPaise === amountPaise &&
      earlier.referenceId === referenceId &&
      earlier.payeeId === fields.fund_account_id;
    if (isSame) return { status: 200, body: bodyOf(earlier) };
    return badRequest("Different request body sent for the same Idempotency Header");
  }
  const payee = desk.book.findPayee(textOf(fields, "fund_account_id"));
  if (!payee) return REFUSALS.unknown_payee;
  const { account_number: accountNumber = null, ifsc = null, address: upi = null } = payee.fields;
  if (mode === "UPI" ? upi === null : accountNumber === null)
    return badRequest(`Payout mode ${mode} is not supported for the fund account`, "mode");
  const lowBalance = desk.book.balancePaise() < amountPaise;
  if (lowBalance) return REFUSALS.low_balance;
  const payment = desk.accept({
    providerId: idOf("pout", desk.book.nextNumber("payout")),
    clientId: key,
    referenceId,
    amountPaise,
    mode,
    payeeId: payee.payeeId,
    accountNumber,
    ifsc,
    upi,
    narrative: textOf(fields, "narration"),
    feePaise: 500n,
    taxPaise: 90n,
  });
  return { status: 200, body: bodyOf(payment) };
}

function checkPayout(fields: Fields): Answer | null {
  if (textOf(fields, "account_number") !== SOURCE_ACCOUNT)
    return badRequest("The account number is invalid.", "account_number");
  if (!/^[0-9]{3,15}$/.test(textOf(fields, "amount")))
    return badRequest("The amount must be at least INR 1.00", "amount");
  if (fields.currency !== "INR") return badRequest("The currency must be INR.", "currency");
  if (!MODES.includes(fields.mode as RailMode)) return badRequest("Payout mode is invalid", "mode");
  if (!PURPOSES.includes(textOf(fields, "purpose"))) return badRequest("Invalid purpose", "purpose");
  if (textOf(fields, "reference_id").length > 40)
    return badRequest("The reference id may not be greater than 40 characters.", "reference_id");
  if (!/^[A-Za-z0-9 ]{0,30}$/.test(textOf(fields, "narration")))
    return badRequest("The narration format is invalid.", "narration");
  return null;
}

/** The instrument of a fund account, or what is wrong with it. */
function checkFundAccount(fields: Fields): Record<string, string> | Answer {
  if (fields.account_type === "vpa") {
    const address = textOf(isRecord(fields.vpa) ? fields.vpa : {}, "address");
    if (!/^[^\s@]{1,100}@[^\s@]{1,60}$/.test(address)) return badRequest("Invalid VPA address", "vpa.address");
    return { account_type: "vpa", address };
  }
  const bank = isRecord(fields.bank_account) ? fields.bank_account : {};
  const [name, ifsc, account] = ["name", "ifsc", "account_number"].map((each) => textOf(bank, each));
  if (fields.account_type !== "bank_account")
    return badRequest("The selected account type is invalid.", "account_type");
  if (!/^[A-Za-z0-9 '._()/&,-]{3,120}$/.test(name!))
    return badRequest("The name format is invalid.", "bank_account.name");
  if (!/^[A-Z]{4}0[A-Z0-9]{6}$/.test(ifsc!))
    return badRequest("Invalid IFSC Code in Bank Account", "bank_account.ifsc");
  if (!/^[A-Za-z0-9]{5,35}$/.test(account!))
    return badRequest("The account number format is invalid.", "bank_account.account_number");
  return { account_type: "bank_account", name: name!, ifsc: ifsc!, account_number: account! };
}

/** A payout as answers and notices have it. */
function bodyOf(payment: Payment): object {
  const { state, reason } = payment;
  const [code, sentence] =
    reason === null ? [null, null] : [reason.split(":")[0]!, reason.split(": ").slice(1).join(": ")];
  return {
    id: payment.providerId,
    entity: "payout",
    fund_account_id: payment.payeeId,
    amount: payment.amountPaise,
    currency: "INR",
    notes: [],
    fees: payment.feePaise + payment.taxPaise,
    tax: payment.taxPaise,
    status: STATUS[state],
    purpose: "payout",
    utr: state === "PAID" || state === "REVERSED" ? payment.utr : null,
    mode: payment.mode,
    reference_id: payment.referenceId,
    narration: payment.narrative,
    batch_id: null,
    status_details: {
      description: sentence ?? (state === "PAID" ? "Payout is processed." : "Payout is being processed."),
      source: code === null ? "gateway" : "beneficiary_bank",
      reason: code === null ? (state === "PAID" ? "payout_processed" : "payout_bank_processing") : code.toLowerCase(),
    },
    created_at: secondsOf(payment.createdMs),
    fee_type: "",
  };
}

function secondsOf(ms: bigint): bigint {
  return ms / 1000n;
}

/** Ids are a prefix and fourteen letters and digits. */
function idOf(prefix: string, number: bigint): string {
  return `${prefix}_${number.toString(36).toUpperCase().padStart(14, "0")}`;
}
