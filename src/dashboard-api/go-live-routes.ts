// Routes of going live: what is done and what is missing, and the step itself.
import { goLive, LEFT_BEHIND, TAKEN_OVER } from "../installation/index.ts";
import {
  listOwners,
  modeOf,
  originOf,
  ownBankAccount,
  OWNER,
  provingSecondFactor,
  signInLink,
} from "../merchants/index.ts";
import { hasPayoutAccount } from "../payouts/index.ts";
import { actingAs } from "../platform/database/tenant.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import { digitsOrNumber, list, optional } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { describeCounterpart, FACTOR_FIELDS, readFactor } from "./session-routes.ts";

const permission = "users.manage";
const ID_LENGTH = 16;
/** A merchant has no more users. */
const MAX_OWNERS = 1000;

/** Adds the list of what going live asks for, and going live. */
export function registerGoLiveRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "GET /go-live",
      summary: "Read what going live still needs",
      permission,
      handler: async ({ db, merchant, session: { login } }) => ({
        mode: modeOf(merchant),
        counterpart: describeCounterpart(parts, merchant),
        has_bank_account: ownBankAccount(merchant) !== null,
        has_second_factor: login.hasSecondFactor,
        has_provider: merchant.live && (await hasPayoutAccount(db, merchant)),
        is_owner: login.kind === "user" && login.roleName === OWNER,
        owners: (await listOwners(db, merchant)).map((owner) => ({
          id: String(owner.loginId),
          name: owner.name,
          email: owner.email,
          second_factor: owner.hasSecondFactor,
        })),
        takes_over: [...TAKEN_OVER],
        leaves_behind: [...LEFT_BEHIND],
      }),
    }),
    dashboardRoute(scope, {
      route: "POST /go-live",
      summary: "Open the live merchant of a sandbox",
      once: "at_most_once",
      permission,
      body: { logins: optional(list(digitsOrNumber(ID_LENGTH), MAX_OWNERS, 0)), ...FACTOR_FIELDS },
      handler: async ({ merchant, session, body, request }) => {
        const { login } = session;
        const { actor, address } = originOf(login, clientAddress(request));
        // It writes rows of two merchants.
        const pool = actingAs(parts.pool, actor, address);
        const logins = (body.logins ?? []).map(BigInt);
        const { live } = await provingSecondFactor({ ...parts, session }, readFactor(body), (prove) =>
          goLive({ pool, merchant }, { logins, by: { loginId: login.loginId, prove } }),
        );
        return { merchant_id: String(live.merchantId), sign_in_url: signInLink(parts.publicUrl(), live) };
      },
    }),
  ];
}
