// Routes of the tags of payouts.
import { changeTags, listTags, tagsField, tagStart } from "../payouts/index.ts";
import { digitsOrNumber, optional, wholeNumber } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

const LISTED = 20;
const LISTED_MAXIMUM = 200;

/** Adds the routes of tags. */
export function registerTransferTagRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /transfer-tags",
      summary: "List the tags that transfers have",
      permission: "payouts.view",
      query: { search: optional(tagStart()), limit: optional(wholeNumber(1, LISTED_MAXIMUM)) },
      handler: async ({ db, merchant, query }) => ({
        tags: await listTags(db, merchant, query.search ?? "", query.limit ?? LISTED),
      }),
    }),
    dashboardRoute(scope, {
      route: "PUT /transfers/:transfer_id/tags",
      summary: "Change the tags of a transfer or withdrawal",
      permission: "payouts.transfer",
      params: { transfer_id: digitsOrNumber(16) },
      body: { tags: tagsField() },
      handler: async ({ db, merchant, params, body }) => {
        const change = { transferId: BigInt(params.transfer_id), tags: body.tags };
        return { tags: await changeTags({ pool: db, merchant }, change) };
      },
    }),
  ];
}
