// Routes of going live: the checklist, and going live itself.
import { goLive, LEFT_BEHIND, TAKEN_OVER, type GoLive } from "../installation/index.ts";
import {
  describeKyc,
  isOfOperators,
  listOwners,
  modeOf,
  ownBankAccount,
  OWNER,
  provingSecondFactor,
  refuseProgram,
  requireAnyOf,
  signInLink,
  type ApiCaller,
} from "../merchants/index.ts";
import { hasPayoutAccount } from "../payouts/index.ts";
import { actingAs } from "../platform/database/tenant.ts";
import { digitsOrNumber, list, optional } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardParts, type DashboardScope } from "./guarded-routes.ts";
import { describeCounterpart, FACTOR_FIELDS, readFactor } from "./session-routes.ts";

const permission = "users.manage";
const ID_LENGTH = 16;
/** A merchant has no more users. */
const MAX_OWNERS = 1000;

/** Adds the checklist for going live, and going live. */
export function registerGoLiveRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "GET /go-live",
      summary: "Read what going live still needs",
      permission,
      handler: async ({ db, merchant, caller: { session } }) => ({
        mode: modeOf(merchant),
        counterpart: describeCounterpart(parts, merchant),
        needs_kyc: parts.kycRequired && !merchant.live,
        kyc: describeKyc(merchant),
        has_bank_account: ownBankAccount(merchant) !== null,
        has_second_factor: session?.login.hasSecondFactor ?? false,
        has_provider: merchant.live && (await hasPayoutAccount(db, merchant)),
        is_owner: session?.login.kind === "user" && session.login.roleName === OWNER,
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
      handler: async ({ merchant, caller, origin, body }) => {
        if (isOfOperators(caller)) requireAnyOf(caller, ["merchants.manage"], true);
        else refuseProgram(caller, "second_factor");
        // It writes rows of two merchants.
        const pool = actingAs(parts.pool, origin.actor, origin.address);
        const logins = body.logins?.map(BigInt) ?? (isOfOperators(caller) ? null : []);
        const context = { pool, merchant, kycRequired: parts.kycRequired };
        const { live } = await provingIfPerson(parts, caller, body, (by) => goLive(context, { logins, by }));
        return { merchant_id: String(live.merchantId), sign_in_url: signInLink(parts.publicUrl(), live) };
      },
    }),
  ];
}

/** An operator's program has no second factor: like the command line, it relies on an Owner's. */
function provingIfPerson<T>(
  parts: DashboardParts,
  { session }: ApiCaller,
  body: Parameters<typeof readFactor>[0],
  work: (by: GoLive["by"]) => Promise<T>,
): Promise<T> {
  if (session === null) return work(null);
  const ownerId = session.login.kind === "operator" ? null : session.login.loginId;
  return provingSecondFactor({ ...parts, session }, readFactor(body), (prove) => work({ ownerId, prove }));
}
