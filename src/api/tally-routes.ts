// The files of a period for Tally Prime: docs/accounts.md#tally
import { ledgersOf, tallyMasters, tallyVouchers, walkTallyVouchers } from "../books/index.ts";
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
        const [db, merchant, period] = reading(scope, call);
        const ledgers = ledgersOf(walkTallyVouchers(db, merchant, period));
        const pieces = tallyMasters(call.query.company || merchant.name, ledgers);
        return sendFile(call.reply, { name: "tally-masters.xml", type: XML, pieces });
      },
    }),
    dashboardRoute(scope, {
      route: "GET /reports/tally-vouchers.xml",
      summary: "Read the vouchers of a period for Tally",
      permission,
      query: TALLY,
      handler: (call) => {
        const [db, merchant, period] = reading(scope, call);
        const vouchers = walkTallyVouchers(db, merchant, period);
        const pieces = tallyVouchers(call.query.company || merchant.name, vouchers);
        return sendFile(call.reply, { name: "tally-vouchers.xml", type: XML, pieces });
      },
    }),
  ];
}
