// Routes of a merchant's profile and of the bank account that its withdrawals go to.
import { profileWarnings } from "../invoices/index.ts";
import {
  changeMerchant,
  DEFAULT_TIME_ZONE,
  describeProfile,
  profileFields,
  type Merchant,
  type Session,
} from "../merchants/index.ts";
import { bankAccount, ifsc, ifSent, optionalText } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { showTo } from "./shown.ts";

const HOLDER_LENGTH = 100;

/** Adds what shows and changes a merchant's profile. A new bank account may wait for a second person. */
export function registerProfileRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /profile",
      permission: "profile.view",
      handler: ({ merchant, session }) => describe(merchant, session),
    }),
    dashboardRoute(scope, {
      route: "PUT /profile",
      permission: "profile.manage",
      body: {
        name: ifSent(profileFields.name),
        email: ifSent(profileFields.email),
        mobile: ifSent(profileFields.mobile),
        address: ifSent(profileFields.address),
        city: ifSent(profileFields.city),
        state: ifSent(profileFields.state),
        zipcode: ifSent(profileFields.zipcode),
        gstin: ifSent(profileFields.gstin),
        pan: ifSent(profileFields.pan),
        time_zone: ifSent(profileFields.timeZone),
      },
      handler: async ({ db, merchant, session, body }) => {
        const { time_zone: timeZone, ...texts } = body;
        const given = Object.entries(texts).filter(([, value]) => value !== undefined);
        const changes = {
          ...Object.fromEntries(given.map(([name, value]) => [name, value ?? ""])),
          ...(timeZone === undefined ? {} : { timeZone: timeZone ?? DEFAULT_TIME_ZONE }),
        };
        const { merchant: changed } = await changeMerchant({ pool: db, ids, merchant }, changes);
        return describe(changed, session);
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /bank-account",
      permission: "profile.manage",
      body: { bank_account: bankAccount(), ifsc: ifsc(), bank_holder: optionalText(HOLDER_LENGTH) },
      handler: async ({ db, merchant, session, body }) => {
        const changes = { bankAccount: body.bank_account, ifsc: body.ifsc, bankHolder: body.bank_holder ?? "" };
        const answer = await changeMerchant({ pool: db, ids, merchant }, changes);
        const approvalId = answer.approvalId === null ? null : String(answer.approvalId);
        return { ...describe(answer.merchant, session), approval_id: approvalId };
      },
    }),
  ];
}

function describe(merchant: Merchant, session: Session) {
  return {
    profile: { ...describeProfile(merchant, showTo(session)), live: merchant.live },
    warnings: profileWarnings(merchant),
  };
}
