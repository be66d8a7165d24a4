// Routes of a merchant's KYC: its people see it, and operators change it. docs/rules/access.md#know-your-customer
import { changeKyc, describeKyc, kycFields } from "../merchants/index.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

/** Adds the routes that show and change a merchant's KYC. */
export function registerKycRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /kyc",
      summary: "Read a merchant's KYC",
      permission: "profile.view",
      handler: ({ merchant }) => describeKyc(merchant),
    }),
    dashboardRoute(scope, {
      route: "PUT /kyc",
      summary: "Change a merchant's KYC",
      permission: "merchants.kyc",
      body: kycFields,
      handler: async ({ db, merchant, body }) => describeKyc(await changeKyc({ pool: db, ids, merchant }, body)),
    }),
  ];
}
