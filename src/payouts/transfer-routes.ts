// The API of transfers, withdrawals and the balance.
import type { FastifyRequest } from "fastify";
import { Type, type Static } from "typebox";
import { callingMerchant, callingOrigin, readIdempotencyKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import { NodalError } from "../platform/errors.ts";
import {
  date,
  digitsOrNumber,
  money,
  object,
  oneOf,
  optional,
  optionalText,
  requiredText,
  textOrNumber,
} from "../platform/http/fields.ts";
import { BEARER_SECURITY, BODY_ERRORS, errorResponses } from "../platform/http/openapi.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { whyOf } from "./bulk/batch-object.ts";
import { findLineByReference, findLinesByTransfer } from "./bulk/line-store.ts";
import { isNeverMade, type LineOutcome } from "./bulk/payout-batch.ts";
import { schedulePayout } from "./bulk/request-batch.ts";
import type { PayoutReads } from "./lists/payout-reads.ts";
import type { DeskContext, TransferAnswer, TransferDesk } from "./request-transfer.ts";
import { reasonOf, wireStatus, type Transfer, type TransferKind } from "./transfer.ts";

export type TransferRoutesOptions = {
  readonly tenants: TenantDatabase;
  readonly ids: IdSource;
  readonly reads: PayoutReads;
  readonly desk: TransferDesk;
};

/** The fields of a transfer request. */
export const transferFields = {
  beneficiary_id: digitsOrNumber(16),
  amount: money(),
  reference_id: textOrNumber(64),
  mode: optional(oneOf(["banktransfer", "upi"])),
  narrative: optionalText(100),
  scheduled_for: optional(date()),
};
/** The fields of a withdrawal request. */
export const withdrawalFields = {
  amount: money(),
  narrative: optionalText(100),
  reference_id: optional(textOrNumber(64)),
};
const statusParams = object({ type: oneOf(["transferid", "referenceid"]), id: requiredText(64) });

const wireStatuses = Type.Enum(["PENDING", "SUCCESS", "FAILED", "REVERSED", "REJECTED"]);
const reason = Type.Optional(Type.String({ description: "Why it failed, or that it waits for approval." }));
const transferRecord = Type.Object({
  transferId: Type.String(),
  referenceId: Type.Union([Type.Integer(), Type.String()]),
  bankAccount: Type.String(),
  beneId: Type.String(),
  amount: Type.String(),
  status: wireStatuses,
  utr: Type.String(),
  addedOn: Type.String({ description: "YYYY-MM-DD HH:MM:SS in the merchant's time zone" }),
  processedOn: Type.String({ description: "The same format; empty until there is an outcome" }),
  acknowledged: Type.Integer({ description: "1 once the beneficiary's bank has confirmed" }),
  reason,
});

/** Adds the routes that move money to a part of the server that asks for a bearer token. */
export function registerTransferRoutes(app: HttpServer, options: TransferRoutesOptions): void {
  const { reads, tenants } = options;
  registerRequestRoutes(app, options);

  app.get("/api/v1/payout/balance", {
    config: { scopes: ["payouts.view"] },
    schema: {
      summary: "Read the nodal balance",
      tags: ["Payouts"],
      security: BEARER_SECURITY,
      response: {
        ...errorResponses("missing_token", "access_denied", "rate_limited"),
        200: Type.Object({
          balance: Type.String(),
          status: Type.Literal("1"),
          ledger_balance: Type.String(),
          available_balance: Type.String(),
        }),
      },
    },
    handler: async (request) => {
      const { availablePaise, heldPaise } = await reads.readBalances(callingMerchant(request));
      const available = formatPaise(availablePaise);
      return {
        balance: available,
        status: "1" as const,
        ledger_balance: formatPaise(availablePaise + heldPaise),
        available_balance: available,
      };
    },
  });

  app.get("/api/v1/payout/transferstatus/:type/:id", {
    config: { scopes: ["payouts.view", "personal_data.reveal"] },
    schema: {
      summary: "Read the status of a transfer or withdrawal",
      tags: ["Payouts"],
      security: BEARER_SECURITY,
      params: statusParams,
      response: {
        ...errorResponses("validation_failed", "missing_token", "access_denied", "transfer_not_found", "rate_limited"),
        200: Type.Object({ status: Type.Literal("1"), success: Type.Object({ transfer: transferRecord }) }),
      },
    },
    handler: async (request) => {
      const merchant = callingMerchant(request);
      const { bucket, merchantId, timeZone } = merchant;
      const { type, id } = request.params;
      const byId = type === "transferid";
      const isId = /^[0-9]{1,16}$/.test(id);
      const transfer = byId
        ? isId && (await reads.findTransfer({ bucket, merchantId, transferId: BigInt(id) }))
        : await reads.findTransferByReference({ bucket, merchantId }, id);
      if (!transfer) {
        const scheduled = byId
          ? isId && (await findLinesByTransfer(tenants.of(merchant), merchant, [BigInt(id)]))[0]
          : await findLineByReference(tenants.of(merchant), merchant, id);
        if (scheduled) return { status: "1" as const, success: { transfer: toScheduledRecord(scheduled, timeZone) } };
        throw new NodalError(
          "transfer_not_found",
          `No transfer has this ${byId ? "transfer_id" : "reference_id"}: check the id and its type.`,
        );
      }
      return { status: "1" as const, success: { transfer: toRecord(transfer, timeZone) } };
    },
  });
}

const answerMembers = { success: Type.String(), status: Type.Literal("1"), utr_number: Type.String(), reason };

const transferSchema = {
  summary: "Transfer an amount to a beneficiary",
  tags: ["Payouts"],
  security: BEARER_SECURITY,
  body: object(transferFields),
  response: {
    ...errorResponses(
      ...BODY_ERRORS,
      "missing_token",
      "access_denied",
      "beneficiary_not_found",
      "reference_conflict",
      "idempotency_conflict",
      "insufficient_balance",
      "limit_exceeded",
      "beneficiary_not_approved",
      "beneficiary_not_verified",
      "rate_limited",
      "unavailable",
    ),
    200: Type.Object({ ...answerMembers, transfer_status: wireStatuses, transfer_id: Type.String() }),
  },
};

const withdrawalSchema = {
  summary: "Withdraw from the nodal balance to the merchant's bank account",
  tags: ["Payouts"],
  security: BEARER_SECURITY,
  body: object(withdrawalFields),
  response: {
    ...errorResponses(
      ...BODY_ERRORS,
      "missing_token",
      "access_denied",
      "reference_conflict",
      "idempotency_conflict",
      "insufficient_balance",
      "no_bank_account",
      "limit_exceeded",
      "rate_limited",
      "unavailable",
    ),
    200: Type.Object({ ...answerMembers, withdrawal_status: wireStatuses, withdrawal_id: Type.String() }),
  },
};

/** An accepted request keeps its answer, even if the merchant is suspended later. */
const ANSWERS_REPETITIONS = { admitsSuspended: true } as const;

function registerRequestRoutes(app: HttpServer, { tenants, ids, desk }: TransferRoutesOptions): void {
  app.post("/api/v1/beneficiary/transfer", {
    config: { ...ANSWERS_REPETITIONS, scopes: ["payouts.transfer"] },
    schema: transferSchema,
    handler: async (request, reply) => {
      const { body } = request;
      const payoutRequest = {
        beneficiaryId: body.beneficiary_id,
        amountPaise: body.amount,
        referenceId: body.reference_id,
        mode: body.mode,
        narrative: body.narrative ?? "",
      };
      const context = contextOf(request);
      if (body.scheduled_for) {
        const { merchant, origin } = context;
        const line = await schedulePayout(
          { ...context, pool: tenants.of(merchant, origin), ids, desk },
          { ...payoutRequest, scheduledFor: body.scheduled_for },
        );
        return toScheduledAnswer(line);
      }
      const answer = await desk.requestTransfer(context, payoutRequest);
      if (answer.replayed) reply.header("idempotent-replayed", "true");
      return {
        ...toAnswer("transfer", answer),
        transfer_status: wireStatus(answer.state),
        transfer_id: String(answer.transferId),
      };
    },
  });

  app.post("/api/v1/payout/withdraw", {
    config: { ...ANSWERS_REPETITIONS, scopes: ["payouts.withdraw"] },
    schema: withdrawalSchema,
    handler: async (request, reply) => {
      const { body } = request;
      const answer = await desk.requestWithdrawal(contextOf(request), {
        amountPaise: body.amount,
        referenceId: body.reference_id,
        narrative: body.narrative ?? "",
      });
      if (answer.replayed) reply.header("idempotent-replayed", "true");
      return {
        ...toAnswer("withdrawal", answer),
        withdrawal_status: wireStatus(answer.state),
        withdrawal_id: String(answer.transferId),
      };
    },
  });
}

/** The answer to a transfer of a later day; the status is that of its transfer once that was made. */
function toScheduledAnswer(line: LineOutcome) {
  const neverMade = isNeverMade(line);
  const day = String(line.scheduledFor);
  const made = line.transfer
    ? `The transfer was made on ${day}: its status is in transfer_status.`
    : `The transfer was accepted; it will be made on ${day}.`;
  return {
    success: neverMade ? "The transfer was cancelled or refused before it was made; no money moved." : made,
    status: "1" as const,
    utr_number: line.transfer?.utr ?? "",
    transfer_status: line.transfer ? wireStatus(line.transfer.state) : neverMade ? "REJECTED" : "PENDING",
    transfer_id: String(line.transferId),
    ...(neverMade ? { reason: whyOf(line) } : {}),
  } as const;
}

function contextOf(request: FastifyRequest): DeskContext {
  const { headers, routeOptions, body } = request;
  return {
    merchant: callingMerchant(request),
    idempotency: readIdempotencyKey(
      headers["idempotency-key"],
      routeOptions.url!,
      body as Readonly<Record<string, unknown>>,
    ),
    origin: callingOrigin(request),
  };
}

function toAnswer(
  kind: TransferKind,
  answer: TransferAnswer,
): Static<ReturnType<typeof Type.Object<typeof answerMembers>>> {
  const why = reasonOf(answer);
  return {
    success: sentence(kind, answer),
    status: "1",
    utr_number: answer.utr ?? "",
    ...(why === null ? {} : { reason: why }),
  };
}

function sentence(kind: TransferKind, answer: TransferAnswer): string {
  if (answer.state === "AWAITING_APPROVAL") return `The ${kind} was accepted; it waits for approval.`;
  switch (wireStatus(answer.state)) {
    case "SUCCESS":
      return `The ${kind} was successful.`;
    case "PENDING":
      return `The ${kind} was accepted; its outcome is pending.`;
    case "REVERSED":
      return `The ${kind} was reversed; the amount is back in the balance.`;
    case "FAILED":
    case "REJECTED":
      return `The ${kind} failed; the amount is back in the balance.`;
  }
}

/** A number where the reference is a decimal integer that a double holds exactly: docs/rules/payouts.md#reference. */
function toWireReference(referenceId: string | null): number | string {
  if (referenceId === null) return "";
  if (!/^(0|[1-9][0-9]{0,19})$/.test(referenceId)) return referenceId;
  const number = Number(referenceId);
  return BigInt(number) === BigInt(referenceId) ? number : referenceId;
}

/** The record of a transfer that has not been made yet, or never was. */
function toScheduledRecord(line: LineOutcome, timeZone: string): Static<typeof transferRecord> {
  const why = whyOf(line);
  return {
    transferId: String(line.transferId),
    referenceId: toWireReference(line.referenceId),
    bankAccount: line.mode === "upi" ? "" : (line.accountNumber ?? ""),
    beneId: line.beneficiaryId === null ? "" : String(line.beneficiaryId),
    amount: formatPaise(line.amountPaise),
    status: isNeverMade(line) ? "REJECTED" : "PENDING",
    utr: "",
    addedOn: formatTimestamp(line.addedAt, timeZone),
    processedOn: "",
    acknowledged: 0,
    ...(why === "" ? {} : { reason: why }),
  };
}

/** The record of a transfer or withdrawal. */
export function toRecord(transfer: Transfer, timeZone: string): Static<typeof transferRecord> {
  const why = reasonOf(transfer);
  return {
    transferId: String(transfer.transferId),
    referenceId: toWireReference(transfer.referenceId),
    bankAccount: transfer.mode === "upi" ? "" : (transfer.payee.accountNumber ?? ""),
    beneId: transfer.beneficiaryId === null ? "" : String(transfer.beneficiaryId),
    amount: formatPaise(transfer.amountPaise),
    status: wireStatus(transfer.state),
    utr: transfer.utr ?? "",
    addedOn: formatTimestamp(transfer.addedAt, timeZone),
    processedOn: transfer.processedAt ? formatTimestamp(transfer.processedAt, timeZone) : "",
    acknowledged: transfer.acknowledged ? 1 : 0,
    ...(why === null ? {} : { reason: why }),
  };
}
