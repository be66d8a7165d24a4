// The API of franchises: save, update, delete.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import {
  callingMerchant,
  callingOrigin,
  readIdempotencyKey,
  refuseUnlessAnswered,
  type IdempotencyKey,
  type MerchantKey,
} from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import { validationError, type NodalError, type ErrorCode, type FieldError } from "../platform/errors.ts";
import { decode, decoderOf, type Field } from "../platform/http/field.ts";
import { BEARER_SECURITY, BODY_ERRORS, errorResponses } from "../platform/http/openapi.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { warn, warningsSchema } from "../platform/http/warning.ts";
import { changeFranchise, deleteFranchise } from "./change-franchise.ts";
import { contactRecord } from "./franchise.ts";
import {
  checkSaveBody,
  deleteBody,
  readDraft,
  saveBody,
  updateBody,
  warningsOfFranchise,
  type SaveBody,
} from "./franchise-fields.ts";
import { checkLogin, saveFranchise } from "./save-franchise.ts";

/** Adds the routes of franchises to a part of the server that asks for a bearer token. */
export function registerFranchiseRoutes(
  app: HttpServer,
  { tenants, ids }: { readonly tenants: TenantDatabase; readonly ids: IdSource },
): void {
  app.post("/api/v1/franchise/save", {
    config: { scopes: ["franchises.manage"] },
    schema: schemaOf("Save a franchise", saveBody, "franchise_code_exists"),
    // Checked in the handler, since that needs the merchant's roles.
    validatorCompiler: () => () => true,
    handler: async (request, reply) => {
      const merchant = callingMerchant(request);
      const pool = tenants.of(merchant, callingOrigin(request));
      const { body, refusal } = await readSaveBody(pool, merchant, request.body);
      // The password is left out of the comparison: not even a hash of a request that has it is stored.
      const { password: _, ...comparable } = body;
      const context = { pool, ids, merchant, idempotency: keyOf(request, comparable) };
      const { answer, replayed } = refusal
        ? await refuseUnlessAnswered<{ franchiseId: string }>(context, refusal)
        : await saveFranchise(context, readDraft(body));
      const saved = answerWith(reply, "Franchise saved successfully.", answer.franchiseId, replayed);
      return { ...saved, ...warn(warningsOfFranchise(body)) };
    },
  });

  app.post("/api/v1/franchise/update", {
    config: { scopes: ["franchises.manage"] },
    schema: schemaOf("Update a franchise", updateBody, "franchise_not_found"),
    handler: async (request, reply) => {
      const franchiseId = BigInt(request.body.franchise_id);
      const changes = contactRecord.readChanges(request.body);
      const { replayed } = await changeFranchise(contextOf(tenants, request, request.body), { franchiseId, changes });
      return answerWith(reply, "Franchise updated successfully.", String(franchiseId), replayed);
    },
  });

  app.post("/api/v1/franchise/delete", {
    config: { scopes: ["franchises.manage"] },
    schema: schemaOf("Delete a franchise", deleteBody, "franchise_not_found"),
    handler: async (request, reply) => {
      const franchiseId = BigInt(request.body.franchise_id);
      const { replayed } = await deleteFranchise(contextOf(tenants, request, request.body), franchiseId);
      return answerWith(reply, "Franchise deleted successfully.", String(franchiseId), replayed);
    },
  });
}

function schemaOf<F extends Field<unknown>>(summary: string, body: F, ...errors: ErrorCode[]) {
  return {
    summary,
    tags: ["Franchises"],
    security: BEARER_SECURITY,
    body,
    response: {
      ...errorResponses(
        ...BODY_ERRORS,
        "missing_token",
        "access_denied",
        ...errors,
        "idempotency_conflict",
        "rate_limited",
      ),
      200: Type.Object({
        success: Type.String(),
        status: Type.Literal("1"),
        franchise_id: Type.String(),
        warnings: warningsSchema,
      }),
    },
  };
}

/** A request to save a franchise. `refusal` only applies if no earlier request with its Idempotency-Key was accepted. */
type ReadSave = { readonly body: SaveBody; readonly refusal: NodalError | null };

/**
 * Checks a request to save a franchise, including the login against the merchant's roles.
 * @throws NodalError `malformed_json`, or `validation_failed` with every failing field, if the request itself is wrong
 */
export async function readSaveBody(db: Queryable, merchant: MerchantKey, sent: unknown): Promise<ReadSave> {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent))
    return { body: decode(saveBody, sent), refusal: null };
  const errors: FieldError[] = [];
  const body = decoderOf(saveBody)(sent, "", errors);
  checkSaveBody(body, errors);
  const isWrong = errors.length > 0;
  if (body.enable_franchise_login) {
    await checkLogin(db, merchant, { email: body.login_email, roleName: body.role_name }, errors);
  }
  if (isWrong) throw validationError(errors);
  return { body, refusal: errors.length > 0 ? validationError(errors) : null };
}

function contextOf(tenants: TenantDatabase, request: FastifyRequest, body: Readonly<Record<string, unknown>>) {
  const merchant = callingMerchant(request);
  const pool = tenants.of(merchant, callingOrigin(request));
  return { pool, merchant, idempotency: keyOf(request, body) };
}

function keyOf(request: FastifyRequest, body: Readonly<Record<string, unknown>>): IdempotencyKey | null {
  return readIdempotencyKey(request.headers["idempotency-key"], request.routeOptions.url!, body);
}

function answerWith(reply: FastifyReply, success: string, franchiseId: string, replayed: boolean) {
  if (replayed) reply.header("idempotent-replayed", "true");
  return { success, status: "1" as const, franchise_id: franchiseId };
}
