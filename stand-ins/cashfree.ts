// The protocol of Cashfree Payouts V2, as its public documentation has it: beneficiaries, transfers, webhooks.
// Where public sources disagree both forms are taken: the id of a transfer as a part of the path or in the query.
import { createHmac } from "node:crypto";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { RailMode } from "../src/payouts/rails/rail.ts";
import { rupeesNumber, toJson } from "../src/platform/json.ts";
import { isRecord, paiseOf, textOf, type Fields } from "./json.ts";
import type { BookState, Payee, Payment } from "./payout-book.ts";
import type { AskedAbout } from "./account-checks.ts";
import type { Desk } from "./desk.ts";
import { give, type Answer, type Protocol } from "./stand-in.ts";

const BASE = "/payout";
const VERSION = "2024-01-01";

const STATUS: Record<BookState, string> = {
  PENDING: "RECEIVED",
  PAID: "SUCCESS",
  FAILED: "FAILED",
  REJECTED: "REJECTED",
  REVERSED: "REVERSED",
};
const EVENT: Record<BookState, string> = {
  PENDING: "TRANSFER_ACKNOWLEDGED",
  PAID: "TRANSFER_SUCCESS",
  FAILED: "TRANSFER_FAILED",
  REJECTED: "TRANSFER_REJECTED",
  REVERSED: "TRANSFER_REVERSED",
};
const MODES: Readonly<Record<string, RailMode>> = {
  imps: "IMPS",
  neft: "NEFT",
  rtgs: "RTGS",
  upi: "UPI",
  banktransfer: "IMPS",
};

function refusal(status: number, type: string, code: string, message: string): Answer {
  return { status, body: { type, code, message } };
}

function invalid(code: string, message: string): Answer {
  return refusal(400, "invalid_request_error", code, message);
}

const REFUSALS: Readonly<Record<Parameters<Protocol["refusal"]>[0], Answer>> = {
  credentials: refusal(
    401,
    "authentication_error",
    "authentication_failed",
    "Invalid client id and client secret combination",
  ),
  too_many: {
    ...refusal(429, "rate_limit_error", "too_many_requests", "Too many requests"),
    headers: { "retry-after": "1" },
  },
  error: refusal(500, "api_error", "internal_server_error", "Something went wrong"),
  not_found: refusal(404, "invalid_request_error", "not_found", "No such path"),
  low_balance: refusal(
    422,
    "invalid_request_error",
    "insufficient_balance",
    "Not enough available balance in the account",
  ),
  unknown_payee: refusal(404, "invalid_request_error", "beneficiary_not_found", "Beneficiary does not exist"),
};

export const cashfree: Protocol = {
  name: "cashfree",
  addRoutes(app, desk) {
    addBeneficiaryRoutes(app, desk);
    addTransferRoutes(app, desk);
    addVerificationRoutes(app, desk);
  },
  isAuthentic: ({ headers }, { id, secret }) =>
    headers["x-client-id"] === id && headers["x-client-secret"] === secret && headers["x-api-version"] === VERSION,
  refusal: (problem) => REFUSALS[problem],
  noticeOf: (payment) =>
    toJson({ data: bodyOf(payment), event_time: timeOf(payment.updatedMs), type: EVENT[payment.state] }),
  signNotice(body, { secret }, nowMs) {
    const timestamp = String(nowMs);
    return {
      "x-webhook-timestamp": timestamp,
      "x-webhook-signature": createHmac("sha256", secret).update(timestamp).update(body).digest("base64"),
    };
  },
};

function addBeneficiaryRoutes(app: FastifyInstance, desk: Desk): void {
  const config = { operation: "payee" } as const;
  app.post(`${BASE}/beneficiary`, { config }, (request, reply) => {
    const checked = checkBeneficiary(request.body);
    if ("status" in checked) return give(reply, checked);
    if (desk.book.findPayee(checked.payeeId))
      return give(
        reply,
        refusal(
          409,
          "invalid_request_error",
          "beneficiary_id_already_exists",
          "Beneficiary already exists with the given beneficiary_id",
        ),
      );
    const saved = desk.book.savePayee(checked, matchKeyOf(checked.fields));
    if (saved.payeeId !== checked.payeeId)
      return give(
        reply,
        refusal(
          409,
          "invalid_request_error",
          "beneficiary_already_exists",
          "Beneficiary already exists with the given bank_account_number and bank_ifsc",
        ),
      );
    return give(reply, { status: 201, body: beneficiaryBody(saved) });
  });
  app.get(`${BASE}/beneficiary`, { config }, (request, reply) => {
    const query = request.query as Fields;
    const payee = query.beneficiary_id
      ? desk.book.findPayee(textOf(query, "beneficiary_id"))
      : desk.book.findPayeeLike(
          matchKeyOf({
            bank_account_number: textOf(query, "bank_account_number"),
            bank_ifsc: textOf(query, "bank_ifsc"),
          }),
        );
    return give(reply, payee ? { status: 200, body: beneficiaryBody(payee) } : REFUSALS.unknown_payee);
  });
  app.delete(`${BASE}/beneficiary`, { config }, (request, reply) => {
    const id = textOf(request.query as Fields, "beneficiary_id");
    const payee = desk.book.findPayee(id);
    desk.book.removePayee(id);
    return give(
      reply,
      payee
        ? { status: 200, body: { ...beneficiaryBody(payee), beneficiary_status: "DELETED" } }
        : REFUSALS.unknown_payee,
    );
  });
}

function addTransferRoutes(app: FastifyInstance, desk: Desk): void {
  app.post(`${BASE}/transfers`, { config: { operation: "submit" } }, (request, reply) =>
    give(reply, requestTransfer(isRecord(request.body) ? request.body : {}, desk)),
  );
  const config = { operation: "status" } as const;
  const find = (transferId: string, cfTransferId: string, reply: FastifyReply): FastifyReply => {
    const payment = transferId ? desk.book.findByClientId(transferId) : desk.book.findByProviderId(cfTransferId);
    if (payment) return give(reply, { status: 200, body: bodyOf(payment) });
    return give(reply, refusal(404, "invalid_request_error", "transfer_not_found", "Transfer does not exist"));
  };
  app.get(`${BASE}/transfers`, { config }, (request, reply) => {
    const query = request.query as Fields;
    return find(textOf(query, "transfer_id"), textOf(query, "cf_transfer_id"), reply);
  });
  app.get(`${BASE}/transfers/:id`, { config }, (request, reply) =>
    find(textOf(request.params as Fields, "id"), "", reply),
  );
}

function addVerificationRoutes(app: FastifyInstance, desk: Desk): void {
  const config = { operation: "verify" } as const;
  app.post("/verification/bank-account/sync", { config }, (request, reply) => {
    const fields = isRecord(request.body) ? request.body : {};
    const [account, ifsc, name, phone] = ["bank_account", "ifsc", "name", "phone"].map((each) => textOf(fields, each));
    if (!/^[A-Za-z0-9]{6,40}$/.test(account!))
      return give(reply, invalid("bank_account_value_invalid", "bank_account should be 6 to 40 letters and digits"));
    if (!/^[A-Z]{4}0[A-Z0-9]{6}$/.test(ifsc!))
      return give(reply, invalid("ifsc_value_invalid", "ifsc should be of 11 characters"));
    if (!/^[A-Za-z0-9 .&/-]{0,100}$/.test(name!))
      return give(reply, invalid("name_value_invalid", "name should not include special characters"));
    if (fields.phone !== undefined && !/^[0-9]{8,13}$/.test(phone!))
      return give(reply, invalid("phone_value_invalid", "phone should be numeric"));
    const asked = desk.askAbout({ payeeId: "", name: name!, accountNumber: account!, ifsc: ifsc! }, true);
    return give(reply, { status: 200, body: verificationBody(asked) });
  });
  app.get("/verification/bank-account", { config }, (request, reply) => {
    const number = textOf(request.query as Fields, "reference_id");
    const asked = /^[0-9]{1,15}$/.test(number) ? desk.accountChecks.find(BigInt(number), desk.clock.nowMs()) : null;
    if (asked) return give(reply, { status: 200, body: verificationBody(asked) });
    return give(reply, refusal(404, "invalid_request_error", "reference_id_not_found", "reference_id does not exist"));
  });
}

/** An answer about an account. Its own score of the names is one that nobody should rely on. */
function verificationBody({ number, ifsc, check }: AskedAbout): object {
  const said = { reference_id: number, bank_name: `BANK ${ifsc.slice(0, 4)}`, city: "", micr: 0n };
  if (check === null) return { ...said, account_status: "INVALID", account_status_code: "BENEFICIARY_BANK_OFFLINE" };
  if (check.status === "pending")
    return { ...said, account_status: "RECEIVED", account_status_code: "VALIDATION_IN_PROGRESS" };
  if (check.status === "invalid")
    return { ...said, account_status: "INVALID", account_status_code: check.reason.split(":")[0] };
  return {
    ...said,
    name_at_bank: check.nameAtBank,
    branch: check.branch,
    utr: check.utr,
    name_match_score: "90.00",
    name_match_result: "GOOD_PARTIAL_MATCH",
    account_status: "VALID",
    account_status_code: "ACCOUNT_IS_VALID",
  };
}

function requestTransfer(fields: Fields, desk: Desk): Answer {
  const transferId = textOf(fields, "transfer_id");
  const amountPaise = paiseOf(fields, "transfer_amount");
  const mode = MODES[textOf(fields, "transfer_mode") || "banktransfer"];
  const details = isRecord(fields.beneficiary_details) ? fields.beneficiary_details : {};
  if (!/^[A-Za-z0-9_]{1,40}$/.test(transferId))
    return invalid(
      "transfer_id_invalid",
      `transfer_id : should contain only letters, numbers and underscore. Value received: ${transferId}`,
    );
  if (amountPaise === null || amountPaise < 100n)
    return invalid("transfer_amount_invalid", "transfer_amount : should be at least 1.00");
  if (mode === undefined) return invalid("transfer_mode_invalid", "transfer_mode : invalid value provided");
  const remarks = textOf(fields, "transfer_remarks");
  if (!/^[A-Za-z0-9 ]{0,70}$/.test(remarks))
    return invalid(
      "transfer_remarks_invalid",
      "transfer_remarks : only numbers, alphabets and whitespaces, at most 70",
    );
  if (desk.book.findByClientId(transferId))
    return refusal(
      409,
      "invalid_request_error",
      "transfer_id_already_exists",
      "Transfer already exists with the given transfer_id",
    );
  const payee = desk.book.findPayee(textOf(details, "beneficiary_id"));
  if (!payee) return REFUSALS.unknown_payee;
  const { bank_account_number: accountNumber = null, bank_ifsc: ifsc = null, vpa: upi = null } = payee.fields;
  if (mode === "UPI" ? upi === null : accountNumber === null)
    return invalid("transfer_mode_invalid", "transfer_mode : the beneficiary has no instrument for it");
  if (desk.book.balancePaise() < amountPaise) return REFUSALS.low_balance;
  const payment = desk.accept({
    providerId: String(1_000_000n + desk.book.nextNumber("transfer")),
    clientId: transferId,
    referenceId: transferId,
    amountPaise,
    mode,
    payeeId: payee.payeeId,
    accountNumber,
    ifsc,
    upi,
    narrative: remarks,
    feePaise: 300n,
    taxPaise: 54n,
  });
  return { status: 200, body: bodyOf(payment) };
}

function checkBeneficiary(body: unknown): Payee | Answer {
  const fields = isRecord(body) ? body : {};
  const instrument = isRecord(fields.beneficiary_instrument_details) ? fields.beneficiary_instrument_details : {};
  const payeeId = textOf(fields, "beneficiary_id");
  const name = textOf(fields, "beneficiary_name");
  if (!/^[A-Za-z0-9_|.-]{1,50}$/.test(payeeId))
    return invalid(
      "beneficiary_id_invalid",
      `beneficiary_id : should contain only letters, numbers, hyphen, underscore, pipe, and dot. Value received: ${payeeId}`,
    );
  if (!/^[A-Za-z ]{1,100}$/.test(name))
    return invalid(
      "beneficiary_name_invalid",
      `beneficiary_name : should contain only letters and whitespaces. Value received: ${name}`,
    );
  const [account, ifsc, vpa] = ["bank_account_number", "bank_ifsc", "vpa"].map((each) => textOf(instrument, each));
  if (account && !/^[A-Za-z0-9]{4,25}$/.test(account))
    return invalid(
      "bank_account_number_invalid",
      `bank_account_number : should be alphanumeric. value received: ${account}`,
    );
  if (account && !/^[A-Z]{4}0[A-Z0-9]{6}$/.test(ifsc!))
    return invalid("bank_ifsc_invalid", `bank_ifsc : please provide a valid IFSC. value received: ${ifsc}`);
  if (!account && !vpa)
    return invalid("beneficiary_instrument_details_missing", "bank account or vpa : should be provided");
  const given = account ? { bank_account_number: account, bank_ifsc: ifsc! } : { vpa: vpa! };
  return { payeeId, fields: { name, ...given } };
}

function matchKeyOf(fields: Readonly<Record<string, string>>): string {
  return fields.vpa === undefined ? `${fields.bank_account_number} ${fields.bank_ifsc}` : fields.vpa;
}

function beneficiaryBody({ payeeId, fields: { name, ...instrument } }: Payee): object {
  return {
    beneficiary_id: payeeId,
    beneficiary_name: name,
    beneficiary_instrument_details: instrument,
    beneficiary_status: "VERIFIED",
  };
}

/** A transfer as answers and notices have it. */
function bodyOf(payment: Payment): object {
  const { state, reason } = payment;
  const [code, sentence] =
    reason === null ? [null, null] : [reason.split(":")[0]!, reason.split(": ").slice(1).join(": ")];
  return {
    transfer_id: payment.clientId,
    cf_transfer_id: payment.providerId,
    status: STATUS[state],
    status_code: code ?? (state === "PAID" ? "COMPLETED" : "RECEIVED"),
    status_description:
      sentence ?? (state === "PAID" ? "The transfer has been credited." : "The transfer has been received."),
    beneficiary_details: { beneficiary_id: payment.payeeId },
    transfer_amount: rupeesNumber(payment.amountPaise),
    transfer_service_charge: rupeesNumber(payment.feePaise),
    transfer_service_tax: rupeesNumber(payment.taxPaise),
    transfer_mode: payment.mode,
    ...(state === "PAID" || state === "REVERSED" ? { transfer_utr: payment.utr } : {}),
    fundsource_id: "CASHFREE_1",
    added_on: timeOf(payment.createdMs),
    updated_on: timeOf(payment.updatedMs),
  };
}

function timeOf(ms: bigint): string {
  return Temporal.Instant.fromEpochMilliseconds(Number(ms)).toString({ smallestUnit: "second" });
}
