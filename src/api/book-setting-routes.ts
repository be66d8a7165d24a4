// Routes of what a merchant chooses for its books.
import { changeBookSetting, findBookSetting, type BookSetting } from "../books/index.ts";
import { money } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

/** Adds the settings of the books. */
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
      body: { write_off_limit: money({ allowZero: true }) },
      handler: async ({ db, merchant, body }) => {
        const setting = { writeOffLimitPaise: body.write_off_limit };
        return describe(await changeBookSetting({ pool: db, merchant }, setting));
      },
    }),
  ];
}

function describe({ writeOffLimitPaise }: BookSetting) {
  return { write_off_limit: formatPaise(writeOffLimitPaise) };
}
