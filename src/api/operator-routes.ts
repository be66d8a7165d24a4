// Routes of operators: the merchants of the installation, and the state, money and clock of each.
import { createMerchantWithOwner } from "../installation/index.ts";
import { readBalances } from "../ledger/index.ts";
import {
  changeMerchant,
  creditMerchant,
  describeKyc,
  FEE_PAYERS,
  findMerchantByKey,
  KYC_STATUSES,
  profileRecord,
  searchMerchants,
  signInLink,
  todayOf,
  type Merchant,
  withTimeZone,
} from "../merchants/index.ts";
import { advanceClockAndRemind } from "../notifications/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import {
  date,
  email,
  ifSent,
  money,
  oneOf,
  optional,
  optionalText,
  requiredText,
  wholeNumber,
} from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { resetClock } from "../subscriptions/index.ts";
import { dashboardRoute, operatorRoute, type DashboardScope } from "./guarded-routes.ts";
import { cutPage, numberIn, pageFields, readPage } from "./list-routes.ts";

const RATE_LIMIT_MAXIMUM = 10_000_000;
const REFERENCE_LENGTH = 64;

/** Adds the routes with which an operator sees and changes a merchant. */
export function registerOperatorRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /operator-view",
      summary: "Read a merchant as its operator sees it",
      permission: "merchants.view",
      handler: async ({ db, merchant }) => describe(db, merchant),
    }),
    dashboardRoute(scope, {
      route: "PUT /operator-view",
      summary: "Suspend or resume a merchant, or change its rate limit",
      permission: "merchants.manage",
      body: {
        status: ifSent(oneOf(["active", "suspended"])),
        rate_limit_per_minute: ifSent(optional(wholeNumber(1, RATE_LIMIT_MAXIMUM))),
        fees_paid_by: ifSent(oneOf(FEE_PAYERS)),
      },
      handler: async ({ db, merchant, body: { status, rate_limit_per_minute: limit, fees_paid_by: feesPaidBy } }) => {
        const changes = {
          ...(feesPaidBy === undefined ? {} : { feesPaidBy }),
          ...(status === undefined ? {} : { status }),
          ...(limit === undefined ? {} : { rateLimitPerMinute: limit }),
        };
        const { merchant: changed } = await changeMerchant({ pool: db, ids, merchant }, changes);
        return describe(db, changed);
      },
    }),
    dashboardRoute(scope, {
      route: "POST /fundings",
      summary: "Credit the merchant with a deposit",
      permission: "merchants.fund",
      body: { amount: money(), reference: requiredText(REFERENCE_LENGTH) },
      handler: async ({ db, merchant, body }) => {
        const { reference } = body;
        const amountPaise = body.amount;
        const funding = await creditMerchant({ pool: db, ids, merchant }, { amountPaise, reference });
        return {
          funding_id: funding.isWaiting ? null : String(funding.fundingId),
          /** The approval that it waits for; `null` if it was credited. */
          approval_id: funding.isWaiting ? String(funding.fundingId) : null,
          amount: formatPaise(amountPaise),
          reference,
          repeated: funding.repeated,
          ...(await describe(db, merchant)),
        };
      },
    }),
  ];
}

/** Adds the clock of a merchant in the sandbox. */
export function registerClockRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "POST /clock/advance",
      summary: "Move the clock of a sandbox forward",
      permission: "merchants.clock",
      body: { to: date() },
      handler: async ({ db, merchant, body }) => {
        const { ids, commissionPayer, logger } = parts;
        const moved = await advanceClockAndRemind({ pool: db, ids, merchant, commissionPayer, logger }, body);
        return {
          ...(await describe(db, moved.merchant)),
          invoices_created: Number(moved.invoices),
          subscriptions_parked: Number(moved.parked),
          reminders_queued: moved.reminders,
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /clock/reset",
      summary: "Set the clock of a sandbox back to real time",
      permission: "merchants.clock",
      handler: async ({ db, merchant }) => describe(db, await resetClock({ pool: db, ids: parts.ids, merchant })),
    }),
  ];
}

async function describe(db: Queryable, known: Merchant) {
  const merchant = (await findMerchantByKey(db, known)) ?? known;
  const { availablePaise, heldPaise } = await readBalances(db, merchant.bucket, merchant.merchantId);
  return {
    merchant: {
      merchant_id: String(merchant.merchantId),
      name: merchant.name,
      email: merchant.email,
      status: merchant.status,
      live: merchant.live,
      counterpart_id: merchant.counterpartId === null ? null : String(merchant.counterpartId),
      kyc: describeKyc(merchant),
      rate_limit_per_minute: merchant.rateLimitPerMinute,
      fees_paid_by: merchant.feesPaidBy,
      time_zone: merchant.timeZone,
      today: todayOf(merchant).toString(),
      // The real date in the merchant's time zone: the difference shows how far the sandbox's clock was moved.
      real_date: Temporal.Now.plainDateISO(merchant.timeZone).toString(),
      clock_date: merchant.clockDate?.toString() ?? null,
      available_balance: formatPaise(availablePaise),
      held_balance: formatPaise(heldPaise),
      created_at: formatInstant(merchant.createdAt, merchant.timeZone),
    },
  };
}

const CREATE_FIELDS = { ...profileRecord.fields, user_email: optional(email()) };

/** Adds the routes that list and create merchants. */
export function registerMerchantRoutes(scope: DashboardScope) {
  return [
    operatorRoute(scope, {
      route: "GET /merchants",
      summary: "List merchants",
      permission: "merchants.view",
      query: { search: optionalText(100), kyc: optional(oneOf(KYC_STATUSES)), ...pageFields() },
      handler: ({ query }) =>
        readPage("merchants", query, async (asked) => {
          const found = await searchMerchants(scope.parts.pool, {
            search: query.search ?? "",
            kycStatus: query.kyc,
            after: numberIn(asked.after),
            limit: asked.limit + 1,
          });
          const page = cutPage(found, asked, ({ merchantId }) => merchantId);
          return { ...page, rows: page.rows.map(describeListed) };
        }),
    }),
    operatorRoute(scope, {
      route: "POST /merchants",
      summary: "Create a merchant",
      permission: "merchants.create",
      body: CREATE_FIELDS,
      handler: async ({ db, body }) => {
        const profile = withTimeZone(profileRecord.read(body));
        const context = { pool: db, ids: scope.parts.ids };
        const created = await createMerchantWithOwner(context, {
          profile,
          userEmail: body.user_email,
          kycRequired: scope.parts.kycRequired,
        });
        const { merchant, accessKeyId, secret, user } = created;
        return {
          merchant: describeListed(merchant),
          access_key_id: accessKeyId,
          secret_access_key: secret,
          user_email: user.email,
          password: user.password,
          sign_in_url: signInLink(scope.parts.publicUrl(), merchant),
        };
      },
    }),
  ];
}

function describeListed(
  merchant: Pick<
    Merchant,
    "merchantId" | "name" | "email" | "status" | "live" | "kycStatus" | "createdAt" | "timeZone"
  >,
) {
  return {
    merchant_id: String(merchant.merchantId),
    name: merchant.name,
    email: merchant.email,
    status: merchant.status,
    live: merchant.live,
    kyc_status: merchant.kycStatus,
    created_at: formatInstant(merchant.createdAt, merchant.timeZone),
  };
}
