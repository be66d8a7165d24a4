// The files of a period for Tally Prime: docs/accounts.md#tally
import { tallyFiles } from "../documents/index.ts";
import { optionalText } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { sendFile } from "./list-routes.ts";
import { PERIOD, reading } from "./report-routes.ts";

const permission = "invoices.view";

/** Tally compares its company's name exactly; by default the merchant's name. */
const TALLY = { ...PERIOD, company: optionalText(100) };
const XML = "text/xml; charset=utf-8";

export function registerTallyRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /reports/tally-masters.xml",
      summary: "Read the ledgers of a period for Tally",
      permission,
      query: TALLY,
      handler: (call) => {
        const name = "tally-masters.xml";
        const pieces = tallyFiles(call.query.company)[name](...reading(scope, call));
        return sendFile(call.reply, { name, type: XML, pieces });
      },
    }),
    dashboardRoute(scope, {
      route: "GET /reports/tally-vouchers.xml",
      summary: "Read the vouchers of a period for Tally",
      permission,
      query: TALLY,
      handler: (call) => {
        const name = "tally-vouchers.xml";
        const pieces = tallyFiles(call.query.company)[name](...reading(scope, call));
        return sendFile(call.reply, { name, type: XML, pieces });
      },
    }),
  ];
}
