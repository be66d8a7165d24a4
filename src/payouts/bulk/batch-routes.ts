// The API of batches of transfers.
import { Type } from "typebox";
import { callingMerchant, callingOrigin, readIdempotencyKey } from "../../merchants/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import type { TenantDatabase } from "../../platform/database/tenant.ts";
import {
  bankAccount,
  date,
  digitsOrNumber,
  ifsc,
  list,
  money,
  object,
  oneOf,
  optional,
  optionalText,
  textOrNumber,
  upiHandle,
  wholeNumber,
  type Between,
  type Decoded,
} from "../../platform/http/fields.ts";
import { BEARER_SECURITY, BODY_ERRORS, errorResponses } from "../../platform/http/openapi.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { batchObject, describeLine, lineObject } from "./batch-object.ts";
import { readBatch } from "./batch-result.ts";
import { cancelBatch } from "./end-batch.ts";
import { MAX_LINES, type LineRequest } from "./payout-batch.ts";
import { requestBatch } from "./request-batch.ts";

export type BatchRoutesOptions = { readonly tenants: TenantDatabase; readonly ids: IdSource };

/** 5,000 payouts with every member take about 3 MB. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
/** docs/rules/values-and-errors.md#lists. */
const MAX_LIMIT = 1000;

/** The members of a payout in a batch. It pays a saved beneficiary, or a new payee. */
export const lineFields = {
  beneficiary_id: optional(digitsOrNumber(16)),
  name: optionalText(100),
  account_number: optional(bankAccount()),
  ifsc: optional(ifsc()),
  upi: optional(upiHandle()),
  amount: money(),
  reference_id: textOrNumber(64),
  mode: optional(oneOf(["banktransfer", "upi"])),
  narrative: optionalText(100),
  scheduled_for: optional(date()),
};
type LineFields = Omit<typeof lineFields, "reference_id">;

/** A beneficiary's id, or a name with an account and its IFSC, a handle, or both: docs/rules/payouts.md#batches. */
export function requirePayee(
  { beneficiary_id: id, name, account_number: account, ifsc: code, upi }: Parameters<Between<LineFields>>[0],
  refuse: Parameters<Between<LineFields>>[1],
): void {
  const isNew = [name, account, code, upi].some((value) => value !== null && value !== undefined);
  if (id && isNew)
    return refuse("beneficiary_id", "not_allowed", "can't be combined with a new payee: send one of the two.");
  if (id || id === undefined) return undefined;
  if (!isNew)
    return refuse("beneficiary_id", "required", "or name with account_number and ifsc, or with upi, is required.");
  if (name === null) refuse("name", "required", "is required for a new payee.");
  if (account === null && (code !== null || upi === null))
    refuse("account_number", "required", "is required: send account_number with ifsc, or upi.");
  if (code === null && account !== null) refuse("ifsc", "required", "is required with account_number.");
  return undefined;
}

const line = object(lineFields, requirePayee);
type Line = Decoded<typeof line>;

/** The requested payout, from valid members. */
export function readLine(members: Omit<Line, "reference_id"> & { readonly reference_id: string | null }): LineRequest {
  return {
    beneficiaryId: members.beneficiary_id === null ? null : BigInt(members.beneficiary_id),
    payeeName: members.name ?? "",
    accountNumber: members.account_number,
    ifsc: members.ifsc,
    upi: members.upi?.toLowerCase() ?? null,
    amountPaise: members.amount,
    referenceId: members.reference_id,
    mode: members.mode,
    narrative: members.narrative ?? "",
    scheduledFor: members.scheduled_for,
  };
}

const batchBody = object({ name: optionalText(100), transfers: list(line, MAX_LINES) });
const batchParams = object({ batch_id: digitsOrNumber(16) });
const pageQuery = object({ page: optional(wholeNumber(1, 1_000_000)), limit: optional(wholeNumber(1, MAX_LIMIT)) });

const requestSchema = {
  summary: "Transfer many amounts at once",
  tags: ["Payouts"],
  security: BEARER_SECURITY,
  body: batchBody,
  response: {
    ...errorResponses(
      ...BODY_ERRORS,
      "missing_token",
      "access_denied",
      "idempotency_conflict",
      "limit_exceeded",
      "rate_limited",
      "unavailable",
    ),
    200: Type.Object({
      success: Type.String(),
      status: Type.Literal("1"),
      batch_id: Type.String(),
      batch_status: Type.Enum(["AWAITING_APPROVAL", "RUNNING"]),
      total_records: Type.Integer(),
      total_amount: Type.String(),
    }),
  },
};

const statusSchema = {
  summary: "Read a batch of transfers and their outcomes",
  tags: ["Payouts"],
  security: BEARER_SECURITY,
  params: batchParams,
  querystring: pageQuery,
  response: {
    ...errorResponses("validation_failed", "missing_token", "access_denied", "batch_not_found", "rate_limited"),
    200: Type.Object({
      status: Type.Literal("1"),
      success: Type.Object({ batch: batchObject, transfers: Type.Array(lineObject) }),
      total_records: Type.Integer(),
    }),
  },
};

/** Adds the routes of batches to a part of the server that asks for a bearer token. */
export function registerBatchRoutes(app: HttpServer, { tenants, ids }: BatchRoutesOptions): void {
  app.post("/api/v1/beneficiary/transfer/batch", {
    bodyLimit: BODY_LIMIT_BYTES,
    // A request that was accepted with an Idempotency-Key keeps its answer, even if the merchant is suspended later.
    config: { admitsSuspended: true, scopes: ["payouts.transfer"] },
    schema: requestSchema,
    handler: async (request, reply) => {
      const { headers, routeOptions, body } = request;
      const merchant = callingMerchant(request);
      const { answer, replayed } = await requestBatch(
        {
          pool: tenants.of(merchant, callingOrigin(request)),
          ids,
          merchant,
          idempotency: readIdempotencyKey(headers["idempotency-key"], routeOptions.url!, body),
        },
        { name: body.name ?? "", file: null, lines: body.transfers.map(readLine) },
      );
      if (replayed) reply.header("idempotent-replayed", "true");
      const waits = answer.status === "awaiting_approval";
      return {
        success: waits
          ? "The batch was accepted; it waits for approval."
          : "The batch was accepted; its transfers are made one after the other.",
        status: "1" as const,
        batch_id: answer.batchId,
        batch_status: waits ? ("AWAITING_APPROVAL" as const) : ("RUNNING" as const),
        total_records: answer.lineCount,
        total_amount: answer.total,
      };
    },
  });

  registerStatus(app, tenants);
  registerCancel(app, tenants);
}

function registerCancel(app: HttpServer, tenants: TenantDatabase): void {
  app.post("/api/v1/beneficiary/transfer/batch/cancel", {
    config: { scopes: ["payouts.transfer"] },
    schema: {
      tags: ["Payouts"],
      security: BEARER_SECURITY,
      summary: "Cancel the remaining transfers of a batch",
      body: object({ batch_id: digitsOrNumber(16) }),
      response: {
        ...errorResponses(
          ...BODY_ERRORS,
          "missing_token",
          "access_denied",
          "batch_not_found",
          "batch_state",
          "rate_limited",
        ),
        200: Type.Object({ success: Type.String(), status: Type.Literal("1"), cancelled: Type.Integer() }),
      },
    },
    handler: async (request) => {
      const merchant = callingMerchant(request);
      const context = { pool: tenants.of(merchant, callingOrigin(request)), merchant };
      const cancelled = await cancelBatch(context, BigInt(request.body.batch_id));
      return { success: `${cancelled} transfers were cancelled.`, status: "1" as const, cancelled };
    },
  });
}

function registerStatus(app: HttpServer, tenants: TenantDatabase): void {
  app.get("/api/v1/beneficiary/transfer/batch/status/:batch_id", {
    config: { scopes: ["payouts.view"] },
    schema: statusSchema,
    handler: async (request) => {
      const merchant = callingMerchant(request);
      const { page, limit } = request.query;
      const perPage = limit ?? MAX_LIMIT;
      const asked = { after: 0, skipped: ((page ?? 1) - 1) * perPage, limit: perPage };
      const batchId = BigInt(request.params.batch_id);
      const { batch, lines } = await readBatch({ pool: tenants.of(merchant), merchant }, { batchId, ...asked });
      return {
        status: "1" as const,
        success: { batch, transfers: lines.map((each) => describeLine(each)) },
        total_records: batch.payouts,
      };
    },
  });
}
