// Routes of operators about one merchant: its state, its money, its clock.
// What belongs here: wire shapes, no logic.
import { fundMerchant, readBalances } from "../ledger/index.ts";
import { changeMerchant, findMerchantByKey, todayOf, type Merchant } from "../merchants/index.ts";
import { runReminders } from "../notifications/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { date, ifSent, money, oneOf, optional, requiredText, wholeNumber } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { advanceClock, goLive, resetClock } from "../subscriptions/index.ts";
import { inPageFields } from "./field-names.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

const RATE_LIMIT_MAXIMUM = 10_000_000;
const REFERENCE_LENGTH = 64;

/** Adds what an operator sees and changes of a merchant. */
export function registerOperatorRoutes(scope: DashboardScope): void {
  const { ids } = scope.parts;
  dashboardRoute(scope, {
    method: "GET",
    url: "/operator-view",
    permission: "merchants.view",
    handler: async ({ db, merchant }) => describe(db, merchant),
  });

  dashboardRoute(scope, {
    method: "PUT",
    url: "/operator-view",
    permission: "merchants.manage",
    body: {
      status: ifSent(oneOf(["active", "suspended"])),
      rate_limit_per_minute: ifSent(optional(wholeNumber(1, RATE_LIMIT_MAXIMUM))),
    },
    handler: async ({ db, merchant, body: { status, rate_limit_per_minute: limit } }) => {
      const changes = {
        ...(status === undefined ? {} : { status }),
        ...(limit === undefined ? {} : { rateLimitPerMinute: limit }),
      };
      const { merchant: changed } = await changeMerchant({ pool: db, ids }, merchant.merchantId, changes);
      return describe(db, changed);
    },
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/go-live",
    permission: "merchants.manage",
    handler: async ({ db, merchant }) => describe(db, await goLive(db, merchant.merchantId)),
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/fund",
    permission: "merchants.fund",
    body: { amount: money(), reference: requiredText(REFERENCE_LENGTH) },
    handler: async ({ db, merchant, body }) => {
      const { bucket, merchantId } = merchant;
      const { reference } = body;
      const amountPaise = body.amount;
      const funding = await fundMerchant(db, ids, { bucket, merchantId, amountPaise, reference });
      return {
        funding_id: String(funding.fundingId),
        amount: formatPaise(amountPaise),
        reference,
        repeated: funding.repeated,
        ...(await describe(db, merchant)),
      };
    },
  });
}

/** Adds the clock of a merchant in the sandbox. */
export function registerClockRoutes(scope: DashboardScope): void {
  const { parts } = scope;
  dashboardRoute(scope, {
    method: "POST",
    url: "/clock/advance",
    permission: "merchants.clock",
    body: { to: date() },
    handler: async ({ db, merchant, body }) => {
      const clock = { pool: db, ids: parts.ids, payCommission: parts.payCommission, logger: parts.logger };
      let reminders = 0;
      const moved = await inPageFields(() =>
        advanceClock(clock, merchant.merchantId, body.to, async (advanced) => {
          reminders = await runReminders(db, parts.ids, advanced);
        }),
      );
      return {
        ...(await describe(db, moved.merchant)),
        invoices_created: Number(moved.invoices),
        subscriptions_parked: Number(moved.parked),
        reminders_queued: reminders,
      };
    },
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/clock/reset",
    permission: "merchants.clock",
    handler: async ({ db, merchant }) =>
      describe(db, await resetClock({ pool: db, ids: parts.ids }, merchant.merchantId)),
  });
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
      rate_limit_per_minute: merchant.rateLimitPerMinute,
      time_zone: merchant.timeZone,
      today: todayOf(merchant).toString(),
      // Today of the merchant's place, whatever its clock says: beside it one sees how far the clock was moved.
      real_date: Temporal.Now.plainDateISO(merchant.timeZone).toString(),
      clock_date: merchant.clockDate?.toString() ?? null,
      available_balance: formatPaise(availablePaise),
      held_balance: formatPaise(heldPaise),
      created_at: formatTimestamp(merchant.createdAt, merchant.timeZone),
    },
  };
}
