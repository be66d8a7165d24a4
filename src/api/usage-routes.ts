// Routes of usage, for billing merchants.
import { readUsage } from "../installation/index.ts";
import { modeOf, searchMerchants } from "../merchants/index.ts";
import { date } from "../platform/http/fields.ts";
import { dashboardRoute, operatorRoute, type DashboardScope } from "./guarded-routes.ts";
import { cutPage, numberIn, pageFields, readPage } from "./list-routes.ts";

const permission = "merchants.view";
/** Days in each merchant's time zone, both included. */
const PERIOD = { from: date(), to: date() };
/** Each merchant's journal is counted again. */
const PAGE_MAXIMUM = 50;

/** Adds the usage of one merchant, and of all merchants page by page. */
export function registerUsageRoutes(scope: DashboardScope) {
  const { pool, reports } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /usage",
      summary: "Count what a merchant used in a period",
      permission,
      query: PERIOD,
      handler: async ({ merchant, query }) => ({
        from: query.from.toString(),
        to: query.to.toString(),
        ...(await readUsage({ pool: reports.of(merchant), merchant }, query)),
      }),
    }),
    operatorRoute(scope, {
      route: "GET /installation/usage",
      summary: "Count what each merchant used in a period",
      permission,
      query: { ...PERIOD, ...pageFields({ maximum: PAGE_MAXIMUM }) },
      handler: ({ query: { from, to, ...page } }) =>
        readPage(
          "merchants",
          page,
          async (asked) => {
            const search = { search: "", kycStatus: null, after: numberIn(asked.after), limit: asked.limit + 1 };
            const { rows: merchants, next } = cutPage(
              await searchMerchants(pool, search),
              asked,
              ({ merchantId }) => merchantId,
            );
            const rows = [];
            for (const merchant of merchants) {
              const { merchantId, name } = merchant;
              const usage = await readUsage({ pool: reports.of(merchant), merchant }, { from, to });
              rows.push({ merchant_id: String(merchantId), name, mode: modeOf(merchant), ...usage });
            }
            return { rows, next };
          },
          PAGE_MAXIMUM,
        ),
    }),
  ];
}
