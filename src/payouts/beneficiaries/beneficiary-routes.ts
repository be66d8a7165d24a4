// The API of beneficiaries: save, list, detail.
import { Type, type Static } from "typebox";
import { callingMerchant, callingOrigin, readIdempotencyKey } from "../../merchants/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import type { TenantDatabase } from "../../platform/database/tenant.ts";
import { NodalError } from "../../platform/errors.ts";
import {
  bankAccount,
  ifsc,
  object,
  optional,
  wholeNumber,
  type Between,
  type Decoded,
} from "../../platform/http/fields.ts";
import { BEARER_SECURITY, BODY_ERRORS, errorResponses } from "../../platform/http/openapi.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { formatTimestamp } from "../../platform/time.ts";
import {
  accountRecord,
  beneficiaryRecord,
  contactRecord,
  type Beneficiary,
  type BeneficiaryDetails,
} from "./beneficiary.ts";
import { findByBankAccount, listBeneficiaries } from "./beneficiary-store.ts";
import { saveBeneficiary } from "./save-beneficiary.ts";

export type BeneficiaryRoutesOptions = { readonly tenants: TenantDatabase; readonly ids: IdSource };

const MAX_PAGE = 1_000_000;
/** docs/rules/values-and-errors.md#lists. */
const MAX_LIMIT = 1000;

const saveBody = object(beneficiaryRecord.fields, requireAccount);
const detailBody = object({ account_number: bankAccount(), ifsc: ifsc() });
const listQuery = object({ page: optional(wholeNumber(1, MAX_PAGE)), limit: optional(wholeNumber(1, MAX_LIMIT)) });

const beneficiaryAnswer = Type.Object({
  beneficiary_id: Type.String(),
  merchant_id: Type.String(),
  type: Type.String(),
  name: Type.String(),
  ...contactRecord.schema,
  ...accountRecord.schema,
  created_date: Type.String({ description: "YYYY-MM-DD HH:MM:SS in the merchant's time zone" }),
  account_verification: Type.Optional(
    Type.Enum(["PENDING", "VERIFIED", "NAME_DIFFERS", "ACCEPTED", "INVALID"], {
      description: "The result of the bank's check of the account; ACCEPTED if a different name was accepted",
    }),
  ),
  beneficiary_status: Type.Optional(
    Type.Enum(["PENDING", "REJECTED", "DEACTIVATED"], {
      description: "Why it can't be paid: not approved, or deactivated",
    }),
  ),
});

const saveSchema = {
  summary: "Save a beneficiary",
  tags: ["Payouts"],
  security: BEARER_SECURITY,
  body: saveBody,
  response: {
    ...errorResponses(
      ...BODY_ERRORS,
      "missing_token",
      "access_denied",
      "beneficiary_exists",
      "idempotency_conflict",
      "rate_limited",
    ),
    200: Type.Object({
      success: Type.String(),
      status: Type.Literal("1"),
      beneficiary_id: Type.String(),
      beneficiary_status: Type.Optional(
        Type.Literal("PENDING", { description: "If it needs a second approver before it can be paid" }),
      ),
    }),
  },
};

const listSchema = {
  summary: "List beneficiaries",
  tags: ["Payouts"],
  security: BEARER_SECURITY,
  querystring: listQuery,
  response: {
    ...errorResponses("validation_failed", "missing_token", "access_denied", "rate_limited"),
    200: Type.Object({
      success: Type.Array(beneficiaryAnswer),
      status: Type.Literal("1"),
      total_records: Type.Integer(),
    }),
  },
};

const detailSchema = {
  summary: "Find a beneficiary by bank account",
  tags: ["Payouts"],
  security: BEARER_SECURITY,
  body: detailBody,
  response: {
    ...errorResponses(...BODY_ERRORS, "missing_token", "access_denied", "beneficiary_not_found", "rate_limited"),
    200: Type.Object({ success: beneficiaryAnswer, status: Type.Literal("1") }),
  },
};

/** Adds the routes of beneficiaries to a part of the server that asks for a bearer token. */
export function registerBeneficiaryRoutes(app: HttpServer, { tenants, ids }: BeneficiaryRoutesOptions): void {
  app.post("/api/v1/beneficiary/save", {
    config: { scopes: ["beneficiaries.manage"] },
    schema: saveSchema,
    handler: async (request, reply) => {
      const merchant = callingMerchant(request);
      const details = readBeneficiaryDetails(request.body);
      const { headers, routeOptions, body } = request;
      const idempotency = readIdempotencyKey(headers["idempotency-key"], routeOptions.url!, body);
      const context = { pool: tenants.of(merchant, callingOrigin(request)), ids, merchant, idempotency };
      const { answer, replayed } = await saveBeneficiary(context, details);
      if (replayed) reply.header("idempotent-replayed", "true");
      return {
        success: answer.isPending
          ? "Beneficiary saved successfully; it waits for approval."
          : "Beneficiary saved successfully.",
        status: "1" as const,
        beneficiary_id: answer.beneficiaryId,
        ...(answer.isPending ? { beneficiary_status: "PENDING" as const } : {}),
      };
    },
  });

  app.get("/api/v1/beneficiary/list", {
    config: { scopes: ["beneficiaries.view", "personal_data.reveal"] },
    schema: listSchema,
    handler: async (request) => {
      const merchant = callingMerchant(request);
      const { page, limit } = request.query;
      const found = await listBeneficiaries(tenants.of(merchant), merchant, {
        page: page ?? 1,
        limit: limit ?? MAX_LIMIT,
      });
      return {
        success: found.beneficiaries.map((beneficiary) => toRecord(beneficiary, merchant.timeZone)),
        status: "1" as const,
        total_records: found.totalRecords,
      };
    },
  });

  app.post("/api/v1/beneficiary/detail", {
    config: { scopes: ["beneficiaries.view", "personal_data.reveal"] },
    schema: detailSchema,
    handler: async (request) => {
      const merchant = callingMerchant(request);
      const { account_number: accountNumber, ifsc: code } = request.body;
      const beneficiary = await findByBankAccount(tenants.of(merchant), merchant, accountNumber, code);
      if (!beneficiary) {
        throw new NodalError(
          "beneficiary_not_found",
          "No beneficiary has this account number and IFSC: save it first.",
        );
      }
      return { success: toRecord(beneficiary, merchant.timeZone), status: "1" as const };
    },
  });
}

type BetweenFields = Between<typeof beneficiaryRecord.fields>;

/** An account with its IFSC, a handle, or both: docs/rules/payouts.md#beneficiaries. */
export function requireAccount(
  { account_number: accountNumber, ifsc: code, upi }: Parameters<BetweenFields>[0],
  refuse: Parameters<BetweenFields>[1],
): void {
  const problem = "is required: send account_number with ifsc, or upi.";
  if (accountNumber === null && (code !== null || upi === null)) refuse("account_number", "required", problem);
  if (code === null && (accountNumber !== null || upi === null)) refuse("ifsc", "required", problem);
}

/** The beneficiary to save, from a valid body. Handles are compared in any case, so they are stored in one. */
export function readBeneficiaryDetails(body: Decoded<typeof saveBody>): BeneficiaryDetails {
  return { ...beneficiaryRecord.read(body), upi: body.upi?.toLowerCase() ?? null };
}

const WIRE_APPROVALS = { pending: "PENDING", rejected: "REJECTED", deactivated: "DEACTIVATED" } as const;

const WIRE_VERIFICATIONS = {
  pending: "PENDING",
  verified: "VERIFIED",
  name_differs: "NAME_DIFFERS",
  accepted: "ACCEPTED",
  invalid: "INVALID",
} as const;

/** The record of a beneficiary. */
export function toRecord(beneficiary: Beneficiary, timeZone: string): Static<typeof beneficiaryAnswer> {
  const { state: verification } = beneficiary.verification;
  return {
    beneficiary_id: String(beneficiary.beneficiaryId),
    merchant_id: String(beneficiary.merchantId),
    type: beneficiary.type,
    name: beneficiary.name,
    ...contactRecord.answer(beneficiary),
    ...accountRecord.answer(beneficiary),
    created_date: formatTimestamp(beneficiary.createdAt, timeZone),
    ...(verification === "unverified" ? {} : { account_verification: WIRE_VERIFICATIONS[verification] }),
    ...(beneficiary.approval === "approved" ? {} : { beneficiary_status: WIRE_APPROVALS[beneficiary.approval] }),
  };
}
