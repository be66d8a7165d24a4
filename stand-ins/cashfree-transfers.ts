// Transfers of the stand-in for Cashfree, one by one and in batches.
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { RailMode } from "../src/payouts/rails/rail.ts";
import { rupeesNumber } from "../src/platform/json.ts";
import { conflict, invalid, notFound, problem, UNKNOWN_PAYEE } from "./cashfree-answers.ts";
import { isName, readInstrument, type Instrument } from "./cashfree-payees.ts";
import type { Desk } from "./desk.ts";
import { isRecord, paiseOf, textOf, type Fields } from "./json.ts";
import type { BookState, NewPayment, Payment } from "./payout-book.ts";
import { give, isAnswer, type Answer } from "./stand-in.ts";

/** Status, status code and sentence of a transfer that gives no reason of its own. */
const WORDS: Readonly<Record<BookState, readonly [status: string, code: string, sentence: string]>> = {
  QUEUED: ["QUEUED", "INSUFFICIENT_BALANCE", "The transfer waits until the account has enough balance."],
  PENDING: ["RECEIVED", "RECEIVED", "The transfer has been received."],
  PAID: ["SUCCESS", "COMPLETED", "The transfer has been credited."],
  FAILED: ["FAILED", "FAILED", "The transfer has failed."],
  REJECTED: ["REJECTED", "FAILED", "The transfer has been rejected."],
  REVERSED: ["REVERSED", "RETURNED_FROM_BENEFICIARY", "The transfer has been sent back."],
};
const MODES: Readonly<Record<string, RailMode>> = {
  banktransfer: "IMPS",
  imps: "IMPS",
  neft: "NEFT",
  rtgs: "RTGS",
  upi: "UPI",
};
const BATCH_MAX = 5000;
const FUND_SOURCE = "CASHFREE_1";
const FEE = { feePaise: 300n, taxPaise: 54n };

type NewTransfer = Omit<NewPayment, "utr" | "providerId">;

export function addTransferRoutes(app: FastifyInstance, desk: Desk): void {
  app.post("/payout/transfers", { config: { operation: "submit" } }, (request, reply) =>
    give(reply, requestTransfer(request.body, desk, request.fault === "low_balance")),
  );
  const config = { operation: "status" } as const;
  const find = (transferId: string, cfTransferId: string, reply: FastifyReply): FastifyReply => {
    if (!transferId && !cfTransferId)
      return give(reply, invalid("transfer_id_missing", "transfer_id is missing in the request"));
    const payment = transferId ? desk.book.findByClientId(transferId) : desk.book.findByProviderId(cfTransferId);
    if (payment) return give(reply, { status: 200, body: bodyOf(payment) });
    return give(
      reply,
      transferId
        ? notFound("transfer_id_not_found", "transfer_id does not exist")
        : notFound("cf_transfer_id_not_found", "cf_transfer_id does not exist"),
    );
  };
  app.get("/payout/transfers", { config }, (request, reply) => {
    const query = request.query as Fields;
    return find(textOf(query, "transfer_id"), textOf(query, "cf_transfer_id"), reply);
  });
  // Older pages have the id as a part of the path.
  app.get("/payout/transfers/:id", { config }, (request, reply) =>
    find(textOf(request.params as Fields, "id"), "", reply),
  );
  addBatchRoutes(app, desk);
}

function addBatchRoutes(app: FastifyInstance, desk: Desk): void {
  app.post("/payout/transfers/batch", { config: { operation: "submit" } }, (request, reply) => {
    const wrong = requestBatch(request.body, desk);
    if (wrong) return give(reply, wrong);
    const batchId = textOf(request.body as Fields, "batch_transfer_id");
    return give(reply, { status: 200, body: batchBody(batchId, "RECEIVED") });
  });
  const config = { operation: "status" } as const;
  const find = (batchId: string, cfBatchId: string, reply: FastifyReply): FastifyReply => {
    const payments = desk.book
      .listPayments()
      .filter(isOfBatch)
      .filter(({ referenceId }) => (batchId ? referenceId === batchId : cfBatchIdOf(referenceId) === cfBatchId));
    if (payments.length > 0) return give(reply, { status: 200, body: batchStatus(payments) });
    return give(
      reply,
      batchId || !cfBatchId
        ? notFound("batch_transfer_id_not_found", "batch_transfer_id does not exist")
        : notFound("cf_batch_transfer_id", "cf_batch_transfer_id does not exist"),
    );
  };
  app.get("/payout/transfers/batch", { config }, (request, reply) => {
    const query = request.query as Fields;
    return find(textOf(query, "batch_transfer_id"), textOf(query, "cf_batch_transfer_id"), reply);
  });
  app.get("/payout/transfers/batch/:id", { config }, (request, reply) =>
    find(textOf(request.params as Fields, "id"), "", reply),
  );
}

function requestTransfer(body: unknown, desk: Desk, isShort: boolean): Answer {
  const transfer = readTransfer(body, desk, "");
  if (isAnswer(transfer)) return transfer;
  if (desk.book.findByClientId(transfer.clientId))
    return conflict("transfer_id_already_exists", "Transfer already exists with the given transfer_id");
  return { status: 200, body: bodyOf(take(transfer, desk, isShort)) };
}

/** Books a transfer; one that the balance is too little for waits. */
function take(transfer: NewTransfer, desk: Desk, isShort: boolean): Payment {
  const payment = { ...transfer, providerId: String(1_000_000n + desk.book.nextNumber("transfer")) };
  return isShort || desk.book.balancePaise() < payment.amountPaise ? desk.queue(payment) : desk.accept(payment);
}

/** Books a batch, or says why none of its transfers is taken. */
function requestBatch(body: unknown, desk: Desk): Answer | null {
  const fields = isRecord(body) ? body : {};
  const batchId = textOf(fields, "batch_transfer_id");
  if (batchId === "") return invalid("batch_transfer_id_missing", "batch_transfer_id is missing in the request");
  if (!/^[A-Za-z0-9_-]{1,60}$/.test(batchId))
    return invalid("batch_transfer_id_invalid", "batch_transfer_id should be alphanumeric");
  if (desk.book.listByReference(batchId).some(isOfBatch))
    return conflict(
      "batch_transfer_id_already_exists",
      "batch_transfer_id already exists. please pass unique id in each request",
    );
  const given = Array.isArray(fields.transfers) ? fields.transfers.slice(0, BATCH_MAX + 1) : [];
  if (given.length === 0 || given.length > BATCH_MAX)
    return problem(400, "invalid_request_error", null, `transfers : from 1 to ${BATCH_MAX} should be provided`);
  const transfers: NewTransfer[] = [];
  for (const [place, each] of given.entries()) {
    const transfer = readTransfer(each, desk, `transfers[${place}].`);
    if (isAnswer(transfer)) return transfer;
    const isUsed = transfers.some(({ clientId }) => clientId === transfer.clientId);
    if (isUsed || desk.book.findByClientId(transfer.clientId))
      return invalid(`transfers[${place}].transfer_id_invalid`, "transfer_id already exists");
    transfers.push({ ...transfer, referenceId: batchId });
  }
  for (const transfer of transfers) take(transfer, desk, false);
  return null;
}

/** The transfers of a batch refer to it, and others to themselves. */
function isOfBatch({ clientId, referenceId }: Payment): boolean {
  return clientId !== referenceId;
}

function cfBatchIdOf(batchId: string): string {
  return String(createHash("sha256").update(batchId).digest().readUIntBE(0, 5));
}

/** Reads a transfer, or says what is wrong. `within` names its place in a batch, with a dot at the end. */
function readTransfer(body: unknown, desk: Desk, within: string): NewTransfer | Answer {
  const fields = isRecord(body) ? body : {};
  const wrong = checkTransfer(fields, within);
  if (wrong) return wrong;
  const mode = MODES[modeOf(fields)]!;
  const payee = payeeOf(fields.beneficiary_details, desk, within);
  if (isAnswer(payee)) return payee;
  const { bank_account_number: accountNumber = null, bank_ifsc: ifsc = null, vpa: upi = null } = payee.instrument;
  if (mode === "UPI" ? upi === null : accountNumber === null)
    return invalid(`${within}transfer_mode_invalid`, "transfer_mode : the beneficiary has no instrument for it");
  const clientId = textOf(fields, "transfer_id");
  return {
    clientId,
    referenceId: clientId,
    amountPaise: paiseOf(fields, "transfer_amount")!,
    mode,
    payeeId: payee.payeeId,
    accountNumber: mode === "UPI" ? null : accountNumber,
    ifsc: mode === "UPI" ? null : ifsc,
    upi: mode === "UPI" ? upi : null,
    narrative: textOf(fields, "transfer_remarks"),
    source: textOf(fields, "fundsource_id") || FUND_SOURCE,
    ...FEE,
  };
}

function modeOf(fields: Fields): string {
  return textOf(fields, "transfer_mode").toLowerCase() || "banktransfer";
}

function checkTransfer(fields: Fields, within: string): Answer | null {
  const transferId = textOf(fields, "transfer_id");
  if (transferId === "") return invalid(`${within}transfer_id_missing`, "transfer_id is missing in the request");
  if (!/^[A-Za-z0-9_]{1,40}$/.test(transferId))
    return invalid(`${within}transfer_id_invalid`, "transfer_id should be alphanumeric");
  if (fields.transfer_amount === undefined)
    return invalid(`${within}transfer_amount_missing`, "transfer_amount is missing in the request");
  const amountPaise = paiseOf(fields, "transfer_amount");
  if (amountPaise === null || amountPaise < 100n)
    return invalid(`${within}transfer_amount_invalid`, "transfer_amount should be greater then 1.00");
  if (MODES[modeOf(fields)] === undefined)
    return invalid(
      `${within}transfer_mode_invalid`,
      "transfer_mode is invalid allowed values are : bank, imps, neft, rtgs, upi, paytm, amazonpay, card and cardupi",
    );
  if (!/^[A-Za-z0-9 ]{0,70}$/.test(textOf(fields, "transfer_remarks")))
    return invalid(
      "transfer_remarks_invalid",
      "transfer_remarks : only numbers, alphabets and whitespaces, at most 70",
    );
  return null;
}

/** The beneficiary that a transfer names, or whose details it has. */
function payeeOf(
  given: unknown,
  desk: Desk,
  within: string,
): { readonly payeeId: string; readonly instrument: Instrument } | Answer {
  const outer = isRecord(given) ? given : {};
  // The examples of the description have them one level deeper than its schema.
  const details = isRecord(outer.beneficiary_details) ? outer.beneficiary_details : outer;
  const payeeId = textOf(details, "beneficiary_id");
  const inside = `${within}beneficiary_details.`;
  if (payeeId !== "" && details.beneficiary_instrument_details === undefined) {
    if (!/^[A-Za-z0-9_|.-]{1,50}$/.test(payeeId))
      return invalid(`${inside}beneficiary_id_invalid`, "beneficiary_id should be alphanumeric");
    const payee = desk.book.findPayee(payeeId);
    if (payee) return { payeeId, instrument: payee.fields };
    // The description of batches has no 404.
    return within === "" ? UNKNOWN_PAYEE : invalid(`${inside}beneficiary_id_invalid`, "Beneficiary does not exist");
  }
  const name = textOf(details, "beneficiary_name");
  if (name !== "" && !isName(name))
    return invalid(
      `${inside}beneficiary_name_invalid`,
      "beneficiary_name is invalid. only alphabets and whitespaces are allowed",
    );
  const instrument = readInstrument(details.beneficiary_instrument_details, `${inside}beneficiary_instrument_details.`);
  return isAnswer(instrument) ? instrument : { payeeId, instrument };
}

/** A transfer as answers and notices have it. */
export function bodyOf(payment: Payment): object {
  const { state, reason, accountNumber, ifsc, upi } = payment;
  const [status, plainCode, plainSentence] = WORDS[state];
  const isSent = state === "PAID" || state === "REVERSED";
  return {
    transfer_id: payment.clientId,
    cf_transfer_id: payment.providerId,
    status,
    status_code: reason?.split(":")[0] ?? plainCode,
    status_description: reason?.split(": ").slice(1).join(": ") ?? plainSentence,
    beneficiary_details: {
      ...(payment.payeeId === "" ? {} : { beneficiary_id: payment.payeeId }),
      beneficiary_instrument_details:
        upi === null ? { bank_account_number: accountNumber, bank_ifsc: ifsc } : { vpa: upi },
    },
    transfer_amount: rupeesNumber(payment.amountPaise),
    ...(isSent
      ? {
          transfer_service_charge: rupeesNumber(payment.feePaise),
          transfer_service_tax: rupeesNumber(payment.taxPaise),
          transfer_utr: payment.utr,
        }
      : {}),
    transfer_mode: payment.mode === "UPI" ? "upi" : "BANK",
    fundsource_id: payment.source,
    added_on: timeOf(payment.createdMs),
    updated_on: timeOf(payment.updatedMs),
  };
}

function batchBody(batchId: string, status: string): object {
  return { batch_transfer_id: batchId, cf_batch_transfer_id: cfBatchIdOf(batchId), status };
}

/** A batch is processed once each of its transfers has ended. */
function batchStatus(payments: readonly Payment[]): object {
  const isOpen = payments.some(({ state }) => state === "PENDING" || state === "QUEUED");
  return {
    ...batchBody(payments[0]!.referenceId, isOpen ? "PENDING" : "PROCESSED"),
    transfers: payments.map(bodyOf),
  };
}

export function timeOf(ms: bigint): string {
  return Temporal.Instant.fromEpochMilliseconds(Number(ms)).toString({ smallestUnit: "second" });
}
