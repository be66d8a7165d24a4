// Routes of the home page: balances, today's events, totals for charts, pending work, and the first steps of a new business.
import { LRUCache } from "lru-cache";
import {
  hasInvoices,
  listTemplates,
  readProblems,
  type Sum,
  sumBilledMonths,
  sumCollectedDays,
  sumOpenInvoices,
  type Template,
} from "../invoices/index.ts";
import { findFirstEntry, hasPostings, readBalances, readBalancesBefore } from "../ledger/index.ts";
import {
  countWaitingFor,
  isOfOperators,
  listApprovals,
  ownBankAccount,
  sessionOf,
  todayOf,
  type Merchant,
  type MerchantKey,
  type Permission,
  type Session,
} from "../merchants/index.ts";
import {
  countGivenBack,
  hasPayoutAccount,
  listSandboxPayees,
  listStuckTransfers,
  readPayoutDays,
} from "../payouts/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { formatPaise } from "../platform/money.ts";
import { countUnmatched } from "../reconciliation/index.ts";
import { countParked } from "../subscriptions/index.ts";
import { listEndpoints } from "../webhooks/index.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";

/** Days in charts, including today. */
const CHART_DAYS = 30;
const CHART_MONTHS = 6;
const DAYS_OF_FAILURES = 7;
/** The count stops here if there may be many. */
const MOST_COUNTED = 100;

type About = { readonly db: Pool; readonly merchant: Merchant };

/** Adds the routes of the home page. Each part needs the permission of its own pages. */
export function registerHomeRoutes(scope: DashboardScope) {
  const balanceDays = new KeptAnswer(computeBalanceDays);
  const billing = new KeptAnswer(computeBilling);
  return [
    dashboardRoute(scope, {
      route: "GET /session/home/balances",
      summary: "Read the balances of the home page",
      permission: "payouts.view",
      handler: async ({ db, merchant }) => {
        const { availablePaise, heldPaise } = await readBalances(db, merchant.bucket, merchant.merchantId);
        const [today] = await readPayoutDays({ pool: db, merchant }, 1);
        return {
          available: formatPaise(availablePaise),
          held: formatPaise(heldPaise),
          ledger: formatPaise(availablePaise + heldPaise),
          today: {
            accepted: describe({ count: today!.acceptedCount, amountPaise: today!.acceptedPaise }),
            paid: describe({ count: today!.paidCount, amountPaise: today!.paidPaise }),
            returned: describe({ count: today!.returnedCount, amountPaise: today!.returnedPaise }),
          },
        };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /session/home/balance-days",
      summary: "Read the balance of the last days, and what went in and out",
      permission: "payouts.view",
      handler: ({ db, merchant }) => balanceDays.get({ db, merchant }),
    }),
    dashboardRoute(scope, {
      route: "GET /session/home/billing",
      summary: "Read the billing of the home page",
      permission: "invoices.view",
      handler: ({ db, merchant }) => billing.get({ db, merchant }),
    }),
    dashboardRoute(scope, {
      route: "GET /session/home/waiting",
      summary: "Count what waits for the user",
      permission: ["payouts.view", "statement.view", "invoices.view", "subscriptions.view", "webhooks.manage"],
      handler: async (call) => {
        const { db, merchant, caller } = call;
        const may = caller.permissions;
        const endpoints = may.has("webhooks.manage") ? await listEndpoints(db, merchant) : [];
        return {
          ...(may.has("payouts.view") ? await countOfPayouts(call) : NO_PAYOUTS),
          unmatched_lines: may.has("statement.view") ? await countUnmatched(db, merchant, MOST_COUNTED) : NO_LINES,
          gst_problems: may.has("invoices.view") ? await countProblems(call) : null,
          parked_subscriptions: may.has("subscriptions.view") ? String(await countParked(db, merchant)) : "0",
          stopped_webhooks: endpoints.filter(({ disabledReason }) => disabledReason !== "").length,
        };
      },
    }),
  ];
}

const NO_LINES = { missing_here: 0, different: 0 };
const NO_PAYOUTS = { approvals: 0, returned_payouts: "0", stuck_payouts: 0 };

/** Pending payouts. Only approvals that the person may decide are counted. */
async function countOfPayouts({ db, merchant, caller, origin }: MerchantCall): Promise<typeof NO_PAYOUTS> {
  // Postings have the real time, even if a sandbox clock was moved.
  const day = Temporal.Now.zonedDateTimeISO(merchant.timeZone).startOfDay().subtract({ days: DAYS_OF_FAILURES });
  const first = await findFirstEntry(db, merchant, day.toInstant());
  const open = { status: "open", before: null, limit: MOST_COUNTED } as const;
  return {
    approvals: caller.permissions.has("approvals.decide")
      ? await countWaitingFor(db, merchant, origin.actor)
      : (await listApprovals(db, merchant, open)).length,
    returned_payouts: String(await countGivenBack(db, merchant, first)),
    stuck_payouts: (await listStuckTransfers(db, merchant)).length,
  };
}

/** Tax problems in documents of this month and the last, whose returns are not all due yet. */
async function countProblems({ db, merchant }: MerchantCall) {
  const to = todayOf(merchant);
  const from = to.with({ day: 1 }).subtract({ months: 1 });
  const found = await readProblems(db, merchant, { from, to }, { after: null, limit: MOST_COUNTED });
  return { count: found.length, from: from.toString(), to: to.toString() };
}

async function computeBalanceDays({ db, merchant }: About) {
  const days = await readPayoutDays({ pool: db, merchant }, CHART_DAYS);
  const since = days[0]!.day.toZonedDateTime(merchant.timeZone).toInstant();
  const first = await findFirstEntry(db, merchant, since);
  let { availablePaise } = await readBalancesBefore(db, merchant, first);
  return {
    days: days.map(({ day, inPaise, outPaise }) => {
      availablePaise += inPaise - outPaise;
      return {
        day: day.toString(),
        in: formatPaise(inPaise),
        out: formatPaise(outPaise),
        balance: formatPaise(availablePaise),
      };
    }),
  };
}

async function computeBilling({ db, merchant }: About) {
  const today = todayOf(merchant);
  const firstMonth = today.with({ day: 1 }).subtract({ months: CHART_MONTHS - 1 });
  const { overdue } = await sumOpenInvoices(db, merchant, today);
  const billed = await sumBilledMonths(db, merchant, firstMonth);
  const collected = await sumCollectedDays(db, merchant, firstMonth);
  const collectedMonths = new Map<string, bigint>();
  for (const [day, { amountPaise }] of collected) {
    const month = day.slice(0, 7);
    collectedMonths.set(month, (collectedMonths.get(month) ?? 0n) + amountPaise);
  }
  const months = Array.from({ length: CHART_MONTHS }, (_, index) =>
    firstMonth.add({ months: index }).toString().slice(0, 7),
  );
  return {
    overdue: describe(overdue),
    months: months.map((month) => ({
      month,
      billed: formatPaise(billed.get(month) ?? 0n),
      collected: formatPaise(collectedMonths.get(month) ?? 0n),
    })),
  };
}

function describe({ count, amountPaise }: Sum) {
  return { count: String(count), amount: formatPaise(amountPaise) };
}

const MERCHANTS_KEPT = 1000;
/** An answer is cached for this multiple of its computing time, so that it costs at most a hundredth of the time. */
const KEPT_TIMES = 100;

type Kept<T> = { untilMs: number; readonly answer: Promise<T> };

/** Caches the results of `compute` by merchant, but not its failures. */
class KeptAnswer<T, Args extends { readonly merchant: MerchantKey }> {
  readonly #compute: (args: Args) => Promise<T>;
  readonly #kept = new LRUCache<bigint, Kept<T>>({ max: MERCHANTS_KEPT });

  constructor(compute: (args: Args) => Promise<T>) {
    this.#compute = compute;
  }

  get(args: Args): Promise<T> {
    const { merchantId } = args.merchant;
    const known = this.#kept.get(merchantId);
    const startedMs = performance.now();
    if (known && known.untilMs > startedMs) return known.answer;
    const kept: Kept<T> = { untilMs: Infinity, answer: this.#compute(args) };
    this.#kept.set(merchantId, kept);
    kept.answer.then(
      () => {
        const nowMs = performance.now();
        kept.untilMs = nowMs + KEPT_TIMES * (nowMs - startedMs);
      },
      () => {
        kept.untilMs = 0;
      },
    );
    return kept.answer;
  }
}

type StepName = "company" | "bank" | "provider" | "template" | "invoice" | "second_factor";

type Step = {
  readonly name: StepName;
  /** Callers without it don't see the step. */
  readonly permission: Permission;
  readonly isDone: (db: Pool, merchant: Merchant) => boolean | Promise<boolean>;
};

const COMPANY: Step = {
  name: "company",
  permission: "profile.manage",
  isDone: (_db, { address, city, state, zipcode }) => [address, city, state, zipcode].every((part) => part !== ""),
};
/** In the sandbox a bank account is enough: money is paid by the simulated bank. */
const BANK: Step = {
  name: "bank",
  permission: "profile.manage",
  isDone: (_db, merchant) => ownBankAccount(merchant) !== null,
};
const PROVIDER: Step = { name: "provider", permission: "profile.manage", isDone: hasPayoutAccount };
/** Every merchant starts with a template without details of its own. */
const TEMPLATE: Step = {
  name: "template",
  permission: "templates.manage",
  isDone: async (db, merchant) => {
    const templates = await listTemplates(db, merchant);
    return templates.length > 1 || templates.some(isOwn);
  },
};
const INVOICE: Step = { name: "invoice", permission: "invoices.manage", isDone: hasInvoices };

function isOwn({ logoType, terms, signatory, upiHandle }: Template): boolean {
  return logoType !== null || terms !== "" || signatory !== "" || upiHandle !== null;
}

/** Adds the first steps of a business. */
export function registerStartRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /session/home/start",
      summary: "Read which first steps are done",
      permission: ["profile.manage", "templates.manage", "invoices.manage", "payouts.transfer"],
      handler: async ({ db, merchant, caller }) => ({
        /** Neither an invoice nor money yet. */
        is_new: !(await hasInvoices(db, merchant)) && !(await hasPostings(db, merchant)),
        steps: isOfOperators(caller) ? [] : await readSteps(db, merchant, sessionOf(caller)),
        test_payees: merchant.live || !caller.permissions.has("payouts.transfer") ? [] : describePayees(),
      }),
    }),
  ];
}

async function readSteps(db: Pool, merchant: Merchant, { permissions, login }: Session) {
  const all = [COMPANY, merchant.live ? PROVIDER : BANK, TEMPLATE, INVOICE];
  const steps: { name: StepName; done: boolean }[] = [];
  for (const { name, permission, isDone } of all) {
    if (permissions.has(permission)) steps.push({ name, done: await isDone(db, merchant) });
  }
  return [...steps, { name: "second_factor" as const, done: login.hasSecondFactor }];
}

function describePayees() {
  return listSandboxPayees().map(({ outcome, accountNumber, ifsc, upi }) => {
    return { outcome, account_number: accountNumber, ifsc, upi };
  });
}
