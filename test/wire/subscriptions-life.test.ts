// The life of subscriptions by the command line: parked and healed, paused and resumed, cancelled, and the clock's
// rules. Billing by itself is in subscriptions.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requireMerchant } from "../../src/merchants/index.ts";
import {
  cancelSubscription,
  countSubscriptionQueue,
  pauseSubscription,
  resetClock,
  resumeSubscription,
} from "../../src/subscriptions/index.ts";
import { settledToday } from "../support/days.ts";
import { Installation, type Members } from "../support/installation.ts";
import { numbered } from "../support/invoices.ts";
import { takeLive } from "../support/live.ts";
import "../support/merchant-wire.ts";
import { nodal, nodalJson } from "../support/nodal.ts";
import { Biller, REPEATED, Subscriptions, type Saved } from "../support/subscriptions.ts";

const TODAY = await settledToday();
const START = TODAY.add({ days: 1 });

let installation: Installation;
let biller: Biller;
beforeAll(async () => {
  installation = await Installation.start();
  biller = new Biller(installation.serverUrl);
});
afterAll(async () => {
  await biller.close();
  await installation.stop();
});

const TIMESTAMP: unknown = expect.stringMatching(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/);

const newMerchant = (): Promise<Subscriptions> => Subscriptions.ofNewMerchant(installation, biller);

/** Runs a use case on a subscription of a merchant as it is now. */
async function change(
  mine: Subscriptions,
  saved: Saved,
  work: (...args: Parameters<typeof pauseSubscription>) => Promise<unknown>,
): Promise<void> {
  const { pool } = biller.parts;
  const merchant = await requireMerchant(pool, mine.merchantId);
  await work({ pool, merchant }, BigInt(saved.subscription_id));
}

/** Members of a subscription whose second occurrence, of yesterday, carries more than an invoice can come to. */
function unbillable(): Members {
  return {
    mode: "Daily",
    start_date: TODAY.subtract({ days: 2 }).toString(),
    carry_forword_dues: "1",
    invoice: { ...REPEATED, particular_rows: [{ item: "Rent", gst: "0", total_amount: "9999999999999.00" }] },
  };
}

const resume = (billMissed: boolean) => (context: Parameters<typeof pauseSubscription>[0], subscriptionId: bigint) =>
  resumeSubscription(context, { subscriptionId, billMissed });

describe("an invoice that can't be made", () => {
  test("parks its subscription, holds up no other, and is caught up in order once it can be", async () => {
    const mine = await newMerchant();
    const franchiseId = await mine.addFranchise();
    const broken = await mine.add({ mode: "Daily", invoice: { ...REPEATED, franchise_id: franchiseId } });
    const sound = await Promise.all(Array.from({ length: 4 }, () => mine.add({ mode: "Daily" })));
    await mine.setFranchiseDeleted(franchiseId, true);
    expect(await mine.advanceTo(START.add({ days: 1 }))).toBe(8);
    for (const each of sound) expect(await mine.dates(each)).toHaveLength(2);
    const { parked } = await mine.show(broken);
    expect(parked).toMatchObject({ code: "franchise_not_found", attempts: 1 });
    expect(parked!.reason).toMatch(/franchise/);
    expect(await countSubscriptionQueue(installation.pool)).toMatchObject({ waiting: 0n, retrying: 0n, failed: 1n });
    // Not before its time, unless an operator moves the clock.
    expect(await mine.bill()).toBe(0);
    expect(await mine.show(broken)).toMatchObject({ parked: { attempts: 1 } });
    await mine.advanceTo(START.add({ days: 2 }));
    expect(await mine.show(broken)).toMatchObject({ parked: { attempts: 2 } });
    expect((await mine.events()).filter((type) => type === "subscription.parked")).toHaveLength(1);
    await mine.setFranchiseDeleted(franchiseId, false);
    expect(await mine.advanceTo(START.add({ days: 2 }))).toBe(3);
    expect(await mine.show(broken)).toMatchObject({ parked: null, status: "Active" });
    expect(await mine.dates(broken)).toEqual([0, 1, 2].map((days) => START.add({ days }).toString()));
    expect(await countSubscriptionQueue(installation.pool)).toMatchObject({ waiting: 0n, retrying: 0n, failed: 0n });
  });

  test("because the database refuses it is left for the next run, and holds up no other", async () => {
    const mine = await newMerchant();
    const [broken, sound] = [await mine.add(), await mine.add()];
    await installation.pool.query(
      `insert into subscription_occurrence
       select bucket, merchant_id, subscription_id, 0, start_date, start_date, 'Skipped', null
       from subscription where subscription_id = $1`,
      [broken.subscription_id],
    );
    expect(await mine.advanceTo(START)).toBe(1);
    expect(await mine.dates(sound)).toEqual([START.toString()]);
    expect(await mine.show(broken)).toMatchObject({ parked: null, status: "Active" });
    await installation.pool.query("delete from subscription_occurrence where subscription_id = $1", [
      broken.subscription_id,
    ]);
    await mine.bill();
    expect(await mine.dates(broken)).toEqual([START.toString()]);
  });

  test("because another invoice has its number parks its subscription: its own, and one that the series comes to", async () => {
    const mine = await newMerchant();
    const date = { bill_date: START.toString(), due_date: START.toString() };
    const own = await mine.add({ invoice: { ...REPEATED, ...numbered("OWN-1") } });
    await mine.invoices.add({ ...date, ...numbered("OWN-1") });
    // Given by hand before there was the series.
    await mine.invoices.add({ ...date, ...numbered("OLD-2") });
    const old = ["--name", "Old", "--prefix", "OLD-", "--width", "1"];
    const owner = ["--merchant", String(mine.merchantId)];
    const create = nodalJson<{ template_id: string }>(installation.environment, "template", "create", ...owner, ...old);
    const { template_id } = await create;
    const series = await mine.add({ template_id, mode: "Daily" });
    expect(await mine.advanceTo(START.add({ days: 2 }))).toBe(1);
    for (const saved of [own, series]) {
      expect(await mine.show(saved)).toMatchObject({ parked: { code: "invoice_number_exists" } });
      await change(mine, saved, cancelSubscription);
    }
    expect(await mine.dates(series)).toEqual([START.toString()]);
    expect(await mine.events()).toContain("subscription.cancelled");
  });

  test("is told by the answer of the save, and by the clock", async () => {
    const mine = await newMerchant();
    const merchant = ["--merchant", String(mine.merchantId)];
    const saved = await mine.add(unbillable());
    const { attempts, ...parked } = (await mine.show(saved)).parked!;
    expect(parked).toMatchObject({ code: "validation_failed", since: TIMESTAMP, retry_at: TIMESTAMP });
    const yesterday = TODAY.subtract({ days: 1 }).toString();
    expect(saved).toMatchObject({ invoices_created: 1, next_invoice_date: yesterday, parked });
    expect(attempts).toBe(1);
    const { stdout } = await nodal(installation.environment, "clock", "advance", ...merchant, "--to", START.toString());
    expect(stdout).toMatch(/^subscriptions_parked +1$/m);
    expect(stdout).toContain(`\`nodal subscription list ${merchant.join(" ")}\` lists them`);
    const { queues } = await nodalJson<{ queues: object[] }>(installation.environment, "jobs");
    const row = { waiting: 0, retrying: 0, failed: 1, oldest_due_at: null };
    expect(queues).toContainEqual({ queue: "subscriptions", ...row });
    await change(mine, saved, cancelSubscription);
  });
});

test("a merchant can't change what belongs to another", async () => {
  const [mine, theirs] = [await newMerchant(), await newMerchant()];
  const saved = await theirs.add();
  for (const work of [pauseSubscription, resume(false), cancelSubscription]) {
    await expect(change(mine, saved, work)).rejects.toMatchObject({ code: "subscription_not_found" });
  }
  expect(await theirs.show(saved)).toMatchObject({ status: "Active" });
});

describe("a pause", () => {
  test("skips what falls due meanwhile, which counts as occurrences", async () => {
    const mine = await newMerchant();
    const saved = await mine.add({ mode: "Daily", end_mode: "Occurences", occurences: "6" });
    await mine.advanceTo(START.add({ days: 1 }));
    await change(mine, saved, pauseSubscription);
    expect(await mine.advanceTo(START.add({ days: 3 }))).toBe(0);
    await change(mine, saved, resume(false));
    expect(await mine.show(saved)).toMatchObject({
      status: "Active",
      next_invoice_dates: [4, 5].map((days) => START.add({ days }).toString()),
    });
    await mine.advanceTo(START.add({ days: 30 }));
    expect(await mine.dates(saved)).toEqual([0, 1, 4, 5].map((days) => START.add({ days }).toString()));
    const { recent_occurrences: recent, status } = await mine.show(saved);
    expect(status).toBe("Completed");
    expect(recent.map((occurrence) => occurrence.status)).toEqual(["Billed", "Billed", "Skipped", "Skipped", "Billed"]);
    const lived = ["created", "billed", "billed", "paused", "resumed", "billed", "billed", "completed"];
    expect(await mine.events()).toEqual(lived.map((name) => `subscription.${name}`));
  });

  test("that lasts until the end completes the subscription", async () => {
    const mine = await newMerchant();
    const saved = await mine.add({ end_mode: "End date", end_date: START.toString() });
    await change(mine, saved, pauseSubscription);
    await mine.advanceTo(START.add({ days: 3 }));
    await change(mine, saved, resume(false));
    expect(await mine.show(saved)).toMatchObject({ status: "Completed", next_invoice_date: "" });
    expect((await mine.events()).slice(-2)).toEqual(["subscription.resumed", "subscription.completed"]);
  });

  test("loses nothing that was due before it, or that is to be billed after all", async () => {
    const mine = await newMerchant();
    const franchiseId = await mine.addFranchise();
    const saved = await mine.add({ mode: "Daily", invoice: { ...REPEATED, franchise_id: franchiseId } });
    await mine.setFranchiseDeleted(franchiseId, true);
    await mine.advanceTo(START);
    await change(mine, saved, pauseSubscription);
    await mine.advanceTo(START.add({ days: 2 }));
    await change(mine, saved, resume(false));
    expect((await mine.show(saved)).next_invoice_dates.slice(0, 2)).toEqual(
      [START, START.add({ days: 3 })].map(String),
    );
    await mine.setFranchiseDeleted(franchiseId, false);
    await mine.advanceTo(START.add({ days: 3 }));
    await change(mine, saved, pauseSubscription);
    await mine.advanceTo(START.add({ days: 5 }));
    await change(mine, saved, resume(true));
    expect(await mine.bill()).toBe(2);
    expect(await mine.dates(saved)).toEqual([0, 3, 4, 5].map((days) => START.add({ days }).toString()));
  });
});

describe("by the command line", () => {
  let mine: Subscriptions;
  let saved: Saved;
  const run = <T>(...args: string[]): Promise<T> => nodalJson<T>(installation.environment, ...args, ...named());
  const named = (): string[] => ["--merchant", String(mine.merchantId)];
  const refusal = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await nodal(installation.environment, ...args, ...named());
    return `${code} ${stderr.split("\n").find((line) => line.startsWith("nodal:"))}`;
  };
  beforeAll(async () => {
    mine = await newMerchant();
    saved = await mine.add({ start_date: START.toString(), end_mode: "Occurences", occurences: "4" });
  });

  test("the clock advances, bills, shows and is reset", async () => {
    const to = START.add({ months: 1 }).toString();
    const moved = await run("clock", "advance", "--to", to);
    expect(moved).toMatchObject({
      today: to,
      clock_date: to,
      live: false,
      invoices_created: 2,
      subscriptions_parked: 0,
    });
    expect(await refusal("clock", "advance", "--to", START.toString())).toMatch(/^2 .*--to must not be before/);
    expect(await run("merchant", "show")).toMatchObject({ today: to });
    expect(await run("clock", "reset")).toMatchObject({ today: TODAY.toString(), clock_date: null });
    await expect(mine.advanceTo(TODAY.add({ years: 50, days: 1 }))).rejects.toMatchObject({
      code: "validation_failed",
    });
  });

  test("subscriptions are listed, shown, previewed, paused, resumed and cancelled", async () => {
    const one = ["--subscription", saved.subscription_id];
    const shown = await run<object>("subscription", "show", ...one);
    expect(shown).toEqual(await mine.show(saved));
    expect(await run("subscription", "list")).toEqual([shown]);
    const dates = [2, 3].map((months) => START.add({ months }).toString());
    const preview = await run<{ bill_date: string }[]>("subscription", "preview", ...one, "--count", "9");
    expect(preview.map(({ bill_date: date }) => date)).toEqual(dates);
    expect(await run("subscription", "pause", ...one)).toMatchObject({ status: "Paused" });
    expect(await refusal("subscription", "pause", ...one)).toMatch(/^1 .* is already paused/);
    expect(await refusal("subscription", "show", "--subscription", "first")).toMatch(
      /^2 .*--subscription must be a subscription's id, which `nodal subscription list` shows\./,
    );
    await mine.advanceTo(START.add({ months: 2 }));
    expect(await run("subscription", "resume", ...one, "--bill-missed")).toMatchObject({
      status: "Active",
      next_invoice_date: dates[1],
    });
    expect(await run("subscription", "cancel", ...one)).toMatchObject({ status: "Cancelled", next_invoice_date: "" });
    for (const work of [pauseSubscription, resume(true), cancelSubscription]) {
      await expect(change(mine, saved, work)).rejects.toMatchObject({ code: "subscription_state" });
    }
    expect(await refusal("subscription", "show", "--subscription", "7")).toMatch(/^1 .*no subscription 7/);
    await mine.advanceTo(START.add({ months: 4 }));
    expect(await mine.dates(saved)).toHaveLength(3);
  });

  test("a live merchant has the real date", async () => {
    await takeLive(installation.pool, mine.merchantId);
    expect(await run("clock", "show")).toMatchObject({ today: TODAY.toString(), clock_date: null, live: true });
    expect(await refusal("clock", "advance", "--to", "2030-01-01")).toMatch(/^1 .* is live/);
    await expect(resetClock({ ...biller.parts, merchant: { merchantId: mine.merchantId } })).rejects.toMatchObject({
      code: "clock_refused",
    });
  });
});

describe("verify", () => {
  const BREAKAGES: [string, string][] = [
    [
      "subscription_occurrences",
      "update subscription set next_occurrence = next_occurrence + 1 where subscription_id = $1",
    ],
    [
      "subscription_occurrences",
      "delete from subscription_occurrence where subscription_id = $1 and occurrence_no = 0",
    ],
    [
      "subscription_invoices",
      "update subscription_occurrence set bill_date = bill_date + 1 where subscription_id = $1",
    ],
    ["subscription_invoices", "update subscription set customer_id = customer_id + 1 where subscription_id = $1"],
    [
      "subscription_next_date",
      "update subscription set next_bill_date = next_bill_date + 1 where subscription_id = $1",
    ],
  ];
  test.each(BREAKAGES)("%s: %s is found", async (check, sql) => {
    const mine = await newMerchant();
    const saved = await mine.add({ start_date: TODAY.subtract({ days: 2 }).toString(), mode: "Daily" });
    expect(await mine.findViolations()).toEqual([]);
    expect(await mine.findViolations(sql, saved)).toContain(check);
  });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
