// Routes of a merchant's accounting settings.
import { changeBookSetting, findBookSetting, type BookSetting } from "../books/index.ts";
import { date, ifSent, money, optional } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

/** Adds the accounting settings. */
export function registerBookSettingRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /book-settings",
      summary: "Read the settings of the books",
      permission: "profile.view",
      handler: async ({ db, merchant }) => describe(await findBookSetting(db, merchant)),
    }),
    dashboardRoute(scope, {
      route: "PUT /book-settings",
      summary: "Change the settings of the books",
      permission: "profile.manage",
      body: { write_off_limit: ifSent(money({ allowZero: true })), locked_until: ifSent(optional(date())) },
      handler: async ({ db, merchant, body }) => {
        const { write_off_limit: writeOffLimitPaise, locked_until: lockedUntil } = body;
        const changes = {
          ...(writeOffLimitPaise === undefined ? {} : { writeOffLimitPaise }),
          ...(lockedUntil === undefined ? {} : { lockedUntil }),
        };
        return describe(await changeBookSetting({ pool: db, merchant }, changes));
      },
    }),
  ];
}

function describe({ writeOffLimitPaise, lockedUntil }: BookSetting) {
  return { write_off_limit: formatPaise(writeOffLimitPaise), locked_until: lockedUntil?.toString() ?? "" };
}
