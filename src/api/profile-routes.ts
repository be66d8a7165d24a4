// Routes of a merchant's profile, and of its bank account for withdrawals.
import { profileWarnings } from "../invoices/index.ts";
import {
  changeMerchant,
  describeProfile,
  detailRecord,
  isOfOperators,
  withTimeZone,
  type ApiCaller,
  type Merchant,
} from "../merchants/index.ts";
import { bankAccount, ifsc, optionalText } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { showTo } from "./shown.ts";

const HOLDER_LENGTH = 100;

/** Adds the routes that show and change a merchant's profile. A new bank account may need approval. */
export function registerProfileRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /profile",
      summary: "Read the merchant's profile",
      permission: "profile.view",
      handler: ({ merchant, caller }) => describe(merchant, caller),
    }),
    dashboardRoute(scope, {
      route: "PUT /profile",
      summary: "Change the merchant's profile",
      permission: "profile.manage",
      body: detailRecord.changes,
      handler: async ({ db, merchant, caller, body }) => {
        const changes = withTimeZone(detailRecord.readChanges(body));
        const { merchant: changed } = await changeMerchant({ pool: db, ids, merchant }, changes);
        return describe(changed, caller);
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /bank-account",
      summary: "Change the merchant's bank account",
      permission: "profile.manage",
      body: { bank_account: bankAccount(), ifsc: ifsc(), bank_holder: optionalText(HOLDER_LENGTH) },
      handler: async ({ db, merchant, caller, body }) => {
        const changes = { bankAccount: body.bank_account, ifsc: body.ifsc, bankHolder: body.bank_holder ?? "" };
        const answer = await changeMerchant({ pool: db, ids, merchant }, changes, { setsUp: isOfOperators(caller) });
        const approvalId = answer.approvalId === null ? null : String(answer.approvalId);
        return { ...describe(answer.merchant, caller), approval_id: approvalId };
      },
    }),
  ];
}

function describe(merchant: Merchant, caller: ApiCaller) {
  return {
    profile: { ...describeProfile(merchant, showTo(caller)), live: merchant.live },
    warnings: profileWarnings(merchant),
  };
}
