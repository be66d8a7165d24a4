// The API of scheduled transfers: list and cancel them. The route of transfers requests them.
import { Type } from "typebox";
import { callingMerchant, callingOrigin } from "../../merchants/index.ts";
import type { TenantDatabase } from "../../platform/database/tenant.ts";
import { date, digitsOrNumber, object, optional, textOrNumber, wholeNumber } from "../../platform/http/fields.ts";
import { BEARER_SECURITY, BODY_ERRORS, errorResponses } from "../../platform/http/openapi.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { describeLine, lineObject } from "./batch-object.ts";
import { cancelScheduled } from "./end-batch.ts";
import { listScheduled } from "./line-store.ts";

/** docs/rules/values-and-errors.md#lists. */
const MAX_LIMIT = 1000;

/** Adds the routes of transfers of later days to a part of the server that asks for a bearer token. */
export function registerScheduledRoutes(app: HttpServer, { tenants }: { readonly tenants: TenantDatabase }): void {
  const common = { tags: ["Payouts"], security: BEARER_SECURITY };
  app.post("/api/v1/beneficiary/transfer/cancel", {
    config: { scopes: ["payouts.transfer"] },
    schema: {
      ...common,
      summary: "Cancel a scheduled transfer",
      body: object({ reference_id: textOrNumber(64) }),
      response: {
        ...errorResponses(
          ...BODY_ERRORS,
          "missing_token",
          "access_denied",
          "transfer_not_found",
          "batch_state",
          "rate_limited",
        ),
        200: Type.Object({ success: Type.String(), status: Type.Literal("1"), transfer_id: Type.String() }),
      },
    },
    handler: async (request) => {
      const merchant = callingMerchant(request);
      const context = { pool: tenants.of(merchant, callingOrigin(request)), merchant };
      const { transferId } = await cancelScheduled(context, request.body.reference_id);
      return { success: "The transfer was cancelled.", status: "1" as const, transfer_id: String(transferId) };
    },
  });

  app.get("/api/v1/beneficiary/transfer/scheduled", {
    config: { scopes: ["payouts.view"] },
    schema: {
      ...common,
      summary: "List scheduled transfers",
      querystring: object({
        after: optional(digitsOrNumber(16)),
        after_day: optional(date()),
        limit: optional(wholeNumber(1, MAX_LIMIT)),
      }),
      response: {
        ...errorResponses("validation_failed", "missing_token", "access_denied", "rate_limited"),
        200: Type.Object({ status: Type.Literal("1"), success: Type.Array(lineObject) }),
      },
    },
    handler: async (request) => {
      const merchant = callingMerchant(request);
      const { after, after_day: day, limit } = request.query;
      const place = after !== null && day !== null ? { day, transferId: BigInt(after) } : null;
      const lines = await listScheduled(tenants.of(merchant), merchant, { after: place, limit: limit ?? MAX_LIMIT });
      return { status: "1" as const, success: lines.map((each) => describeLine(each)) };
    },
  });
}
