// Franchises on the wire: save, update, delete. Source: merchant-api.md 2.5 and 4.3, decisions.md "Franchises".
// What belongs here: schemas and wire shapes, no logic.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import {
  callingMerchant,
  callingOrigin,
  readIdempotencyKey,
  type IdempotencyKey,
  type MerchantKey,
} from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import { validationError, type ErrorCode, type FieldError } from "../platform/errors.ts";
import { decode, decoderOf, type Field } from "../platform/http/field.ts";
import { BEARER_SECURITY, BODY_ERRORS, errorResponses } from "../platform/http/openapi.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { deleteFranchise, updateFranchise } from "./change-franchise.ts";
import {
  checkSaveBody,
  deleteBody,
  readChanges,
  readDraft,
  saveBody,
  updateBody,
  type SaveBody,
} from "./franchise-fields.ts";
import { checkLogin, saveFranchise, type SaveFranchiseParts } from "./save-franchise.ts";

export type FranchiseRoutesOptions = Omit<SaveFranchiseParts, "pool"> & { readonly tenants: TenantDatabase };

/** Adds the routes of franchises to a part of the server that asks for a bearer token. */
export function registerFranchiseRoutes(app: HttpServer, { tenants, ...parts }: FranchiseRoutesOptions): void {
  app.post("/api/v1/franchise/save", {
    schema: schemaOf("Save a franchise", saveBody, "franchise_code_exists"),
    // Checked in the handler, together with what only the merchant's roles can tell.
    validatorCompiler: () => () => true,
    handler: async (request, reply) => {
      const merchant = callingMerchant(request);
      const pool = tenants.of(merchant, callingOrigin(request));
      const body = await readSaveBody(pool, merchant, request.body);
      // The password is left out of the comparison: not even a hash of a request that has it is stored.
      const { password: _, ...comparable } = body;
      const { answer, replayed } = await saveFranchise(
        { pool, ...parts },
        merchant,
        readDraft(body),
        keyOf(request, comparable),
      );
      return answerWith(reply, "Franchise saved successfully.", answer.franchiseId, replayed);
    },
  });

  app.post("/api/v1/franchise/update", {
    schema: schemaOf("Update a franchise", updateBody, "franchise_not_found"),
    handler: async (request, reply) => {
      const { bucket, merchantId } = callingMerchant(request);
      const franchise = { bucket, merchantId, franchiseId: BigInt(request.body.franchise_id) };
      const key = keyOf(request, request.body);
      const { replayed } = await updateFranchise(
        tenants.of(franchise, callingOrigin(request)),
        franchise,
        readChanges(request.body),
        key,
      );
      return answerWith(reply, "Franchise updated successfully.", String(franchise.franchiseId), replayed);
    },
  });

  app.post("/api/v1/franchise/delete", {
    schema: schemaOf("Delete a franchise", deleteBody, "franchise_not_found"),
    handler: async (request, reply) => {
      const { bucket, merchantId } = callingMerchant(request);
      const franchise = { bucket, merchantId, franchiseId: BigInt(request.body.franchise_id) };
      const { replayed } = await deleteFranchise(
        tenants.of(franchise, callingOrigin(request)),
        franchise,
        keyOf(request, request.body),
      );
      return answerWith(reply, "Franchise deleted successfully.", String(franchise.franchiseId), replayed);
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
      200: Type.Object({ success: Type.String(), status: Type.Literal("1"), franchise_id: Type.String() }),
    },
  };
}

/**
 * Checks what was sent to save a franchise, with what only the merchant's roles can tell.
 * @throws NodalError `malformed_json`, or `validation_failed` with every failing field
 */
export async function readSaveBody(db: Queryable, merchant: MerchantKey, sent: unknown): Promise<SaveBody> {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return decode(saveBody, sent);
  const errors: FieldError[] = [];
  const body = decoderOf(saveBody)(sent, "", errors);
  checkSaveBody(body, errors);
  if (body.enable_franchise_login) {
    await checkLogin(db, merchant, { email: body.login_email, roleName: body.role_name }, errors);
  }
  if (errors.length > 0) throw validationError(errors);
  return body;
}

function keyOf(request: FastifyRequest, body: Readonly<Record<string, unknown>>): IdempotencyKey | null {
  return readIdempotencyKey(request.headers["idempotency-key"], request.routeOptions.url!, body);
}

function answerWith(reply: FastifyReply, success: string, franchiseId: string, replayed: boolean) {
  if (replayed) reply.header("idempotent-replayed", "true");
  return { success, status: "1" as const, franchise_id: franchiseId };
}
