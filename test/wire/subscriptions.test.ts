// Subscriptions over HTTP and by a moved clock: what is billed, when, and exactly once. What is refused is in
// subscriptions-refused.test.ts, dues in subscriptions-dues.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatPaise } from "../../src/platform/money.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { settledToday } from "../support/days.ts";
import { Installation } from "../support/installation.ts";
import { numbered } from "../support/invoices.ts";
import "../support/merchant-wire.ts";
import { Biller, REPEATED, Subscriptions } from "../support/subscriptions.ts";

let installation: Installation;
let biller: Biller;
let mine: Subscriptions;
/** A year that has not begun, and the first leap year from it on. */
const YEAR = Temporal.Now.plainDateISO("Asia/Kolkata").year + 1;
const LEAP = YEAR + ((4 - (YEAR % 4)) % 4);
const TODAY = await settledToday();

beforeAll(async () => {
  installation = await Installation.shared();
  biller = new Biller(installation.serverUrl);
  mine = await Subscriptions.ofNewMerchant(installation, biller);
});
afterAll(async () => {
  await biller.close();
  await installation.stop();
});

test("missed days are billed in their order, so that the numbers of a series rise with the dates", async () => {
  const own = await Subscriptions.ofNewMerchant(installation, biller);
  const start = TODAY.add({ days: 1 });
  const daily = { mode: "Daily", start_date: start.toString() };
  const later = { mode: "Monthly", start_date: start.add({ days: 3 }).toString() };
  // The later one first: ids and order of making say nothing of the day.
  await own.add(later);
  await own.add(daily);
  await own.add({ ...daily, repeat_every: "2" });
  await own.setClock(start.add({ days: 6 }));
  const made = async (): Promise<{ bill_date: string }[]> => {
    const { rows } = await installation.pool.query<{ bill_date: string }>(
      "select bill_date::text from invoice where merchant_id = $1 order by invoice_number",
      [own.merchantId],
    );
    return rows;
  };
  await own.advanceTo(start.add({ days: 6 }));
  await expect.poll(async () => (await made()).length).toBe(7 + 4 + 1);
  const dates = (await made()).map(({ bill_date: date }) => date);
  expect(dates).toEqual(dates.toSorted());
});

test("texts say the month and the period of each invoice", async () => {
  const own = await Subscriptions.ofNewMerchant(installation, biller);
  const start = Temporal.PlainDate.from({ year: YEAR, month: 12, day: 31 });
  await own.setClock(start.subtract({ days: 1 }));
  await own.add({
    start_date: start.toString(),
    due_date: start.toString(),
    invoice: {
      customer_code: "C1",
      bill_cycle_name: "{month} {year}",
      particular_rows: [
        { item: "Rent, {period}", description: "After {previous_period}; {financial_year}", total_amount: "1" },
      ],
    },
  });
  await own.advanceTo(start.add({ months: 2 }));
  const made = async (): Promise<string[]> => {
    const { rows } = await installation.pool.query<{ said: string }>(
      `select cycle_name || '; ' || (content::jsonb -> 'rows' -> 0 ->> 'item') || '; '
         || (content::jsonb -> 'rows' -> 0 ->> 'description') as said
       from invoice where merchant_id = $1 order by bill_date`,
      [own.merchantId],
    );
    return rows.map(({ said }) => said);
  };
  await expect.poll(async () => (await made()).length).toBe(3);
  const [y, next] = [String(YEAR), String(YEAR + 1)];
  const last = Temporal.PlainDate.from(`${next}-02-01`).daysInMonth;
  const fy = `${y}-${next.slice(-2)}`;
  expect(await made()).toEqual([
    `December ${y}; Rent, 31 Dec ${y} – 30 Jan ${next}; After 30 Nov ${y} – 30 Dec ${y}; ${fy}`,
    `January ${next}; Rent, 31 Jan ${next} – ${last - 1} Feb ${next}; After 31 Dec ${y} – 30 Jan ${next}; ${fy}`,
    `February ${next}; Rent, ${last} Feb ${next} – 30 Mar ${next}; After 31 Jan ${next} – ${last - 1} Feb ${next}; ${fy}`,
  ]);
});

test.each([
  ["{mnth}", "has {mnth}, which is no placeholder"],
  [`${"x".repeat(190)} {period}`, "is too long once its placeholders are filled in"],
])("a text with %s is refused", async (item, said) => {
  const { status, body } = await mine.save({
    invoice: { customer_code: "C1", particular_rows: [{ item, total_amount: "1" }] },
  });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(said)]);
  expect(JSON.stringify(body)).toContain("invoice.particular_rows[0].item");
});

describe("a subscription", () => {
  test("with every field is saved, and its next dates are told", async () => {
    const start = TODAY.add({ days: 1 });
    const answer = await mine.save({
      template_id: mine.invoices.templateId,
      due_date: start.add({ days: 14 }).toString(),
      invoice: {
        customer_code: "C1",
        bill_cycle_name: "Rent",
        bill_date: "2020-01-31",
        due_date: "2020-01-01",
        invoice_properties: { notify_patron: "1" },
        custom_header_fields: [{ id: "1", name: "PO number", type: "text", value: "PO-1" }],
        particular_rows: [{ item: "Rent", sac_code: "", description: "", gst: "18", total_amount: "1000.00" }],
        tax_rows: [{ name: "Levy", percentage: "9.00", applicable_on: "1000.00" }],
        new_customer: { customer_code: "", customer_name: "", email: "", mobile: "", custom_fields: [] },
      },
    });
    expect(answer).toBeSuccess("write");
    const dates = [0, 1, 2, 3, 4].map((months) => start.add({ months }).toString());
    expect(answer.body.srvrsp).toEqual({
      subscription_id: expect.stringMatching(/^[0-9]+$/) as unknown,
      status: "Active",
      next_invoice_date: dates[0],
      next_invoice_dates: dates,
      invoices_created: 0,
      invoice_ids: [],
      parked: null,
    });
    const shown = await mine.show(answer.body.srvrsp);
    expect(shown).toMatchObject({
      customer_code: "C1",
      repeat_every: "1",
      carry_forword_dues: "0",
      due_date: start.add({ days: 14 }).toString(),
      parked: null,
      invoice: {
        bill_cycle_name: "Rent",
        invoice_properties: { notify_patron: "1" },
        particular_rows: [{ item: "Rent", gst: "18.00", total_amount: "1000.00" }],
        tax_rows: [{ name: "Levy", percentage: "9.00", applicable_on: "1000.00" }],
      },
    });
    expect(Object.keys(shown.invoice)).not.toContain("bill_date");
  });

  test("that begins in the past is billed up to today before it is answered, each invoice with its own dates", async () => {
    const theirs = await Subscriptions.ofNewMerchant(installation, biller);
    const start = TODAY.subtract({ days: 59 });
    const saved = await theirs.add({
      mode: "Daily",
      start_date: start.toString(),
      due_date: start.add({ days: 3 }).toString(),
    });
    expect(saved).toMatchObject({ invoices_created: 60, next_invoice_date: TODAY.add({ days: 1 }).toString() });
    const made = await theirs.made(saved);
    expect(made.map((invoice) => `${invoice.bill_date} ${invoice.due_date}`)).toEqual(
      Array.from({ length: 60 }, (_, days) => [start.add({ days }), start.add({ days: days + 3 })].join(" ")),
    );
    expect(saved.invoice_ids.map((id) => BigInt(id.slice(1)))).toEqual(made.map((invoice) => invoice.invoice_id));
    const events = await theirs.events();
    expect(events.slice(0, 2)).toEqual(["subscription.created", "subscription.billed"]);
    expect(events).toHaveLength(61);
    const detail = await theirs.invoices.read(saved.invoice_ids[0]);
    expect(detail).toMatchObject({ bill_date: start.toString(), customer_code: "C1", amount: "100.00" });
  });

  test("makes its new customer, and numbers may be numbers", async () => {
    const start = TODAY.toString();
    const saved = await mine.add({
      repeat_every: 2,
      start_date: start,
      end_mode: "Occurrences",
      occurences: 1,
      carry_forword_dues: 0,
      invoice: { ...REPEATED, customer_code: "", new_customer: { customer_code: "N1", customer_name: "New" } },
    });
    expect(saved).toMatchObject({ invoices_created: 1, status: "Completed", next_invoice_date: "" });
    expect(saved.next_invoice_dates).toEqual([]);
    expect(await mine.show(saved)).toMatchObject({ customer_code: "N1", end_mode: "Occurences", occurences: "1" });
  });

  test.each([0, "0"])("takes %j occurrences and an empty end date as unused where they are", async (occurences) => {
    const start = TODAY.add({ days: 1 }).toString();
    const unused = { occurences: "", end_date: "" };
    const never = await mine.add({ end_mode: "Never", occurences, end_date: "" });
    expect(await mine.show(never)).toMatchObject({ end_mode: "Never", ...unused });
    const dated = await mine.add({ end_mode: "End date", occurences, start_date: start, end_date: start });
    expect(await mine.show(dated)).toMatchObject({ ...unused, end_date: start, next_invoice_dates: [start] });
    expect(await mine.add({ end_mode: "Occurences", occurences: 1, end_date: "" })).toMatchObject({ status: "Active" });
  });

  test("gives its own number to the first invoice alone: the others take the series' and print none", async () => {
    const theirs = await Subscriptions.ofNewMerchant(installation, biller);
    const fields = [
      ...numbered("OWN-1").custom_header_fields,
      { id: "8", name: "Bill No.", type: "text", value: "OWN-1" },
    ];
    const other = { id: "1", name: "PO number", type: "text", value: "PO-1" };
    const start_date = "2026-06-01";
    const saved = await theirs.add({
      mode: "Daily",
      start_date,
      end_mode: "Occurences",
      occurences: "3",
      invoice: { ...REPEATED, custom_header_fields: [...fields, other] },
    });
    expect(saved).toMatchObject({ invoices_created: 3, status: "Completed", parked: null });
    const numbers = (await theirs.made(saved)).map((invoice) => invoice.invoice_number);
    expect(numbers).toEqual(["OWN-1", "INV-2627-00001", "INV-2627-00002"]);
    const valuesOf = async (id: string) => {
      const { custom_header_fields: printed } = await theirs.invoices.read(id);
      return (printed as { value: string }[]).map(({ value }) => value);
    };
    expect(await valuesOf(saved.invoice_ids[0]!)).toEqual(["OWN-1", "OWN-1", "PO-1", ""]);
    expect(await valuesOf(saved.invoice_ids[1]!)).toEqual(["", "", "PO-1", ""]);
  });

  test("sent again with its Idempotency-Key is the same one, with the same answer", async () => {
    const theirs = await Subscriptions.ofNewMerchant(installation, biller);
    const request = { start_date: TODAY.subtract({ days: 2 }).toString(), mode: "Daily" };
    const headers = { "idempotency-key": "subscription-1" };
    const first = await theirs.save(request, headers);
    await theirs.advanceTo(TODAY.add({ days: 3 }));
    const again = await theirs.save(request, headers);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body.srvrsp).toEqual(first.body.srvrsp);
    expect(await theirs.made()).toHaveLength(6);
    const other = await theirs.save({ ...request, mode: "Weekly" }, headers);
    expect(other).toBeFailure({ status: 409, code: "idempotency_conflict" });
  });
});

describe("with the clock moved ahead", () => {
  test.each<[string, Record<string, string>, string, string[]]>([
    ["31st, monthly", { start_date: `${LEAP}-01-31` }, `${LEAP}-04-30`, ["01-31", "02-29", "03-31", "04-30"]],
    [
      "31st in a common year",
      { start_date: `${LEAP + 1}-01-31`, end_mode: "End date", end_date: `${LEAP + 1}-03-31` },
      `${LEAP + 1}-12-31`,
      ["01-31", "02-28", "03-31"],
    ],
    [
      "a last day that comes one day too early",
      { start_date: `${YEAR}-01-31`, end_mode: "End date", end_date: `${YEAR}-03-30` },
      `${YEAR}-12-31`,
      ["01-31", `02-${YEAR === LEAP ? 29 : 28}`],
    ],
    [
      "every 10 days, 3 times",
      { mode: "Daily", repeat_every: "10", start_date: `${YEAR}-01-25`, end_mode: "Occurences", occurences: "3" },
      `${YEAR}-12-31`,
      ["01-25", "02-04", "02-14"],
    ],
    [
      "every other week",
      { mode: "Weekly", repeat_every: "2", start_date: `${YEAR}-03-01` },
      `${YEAR}-03-29`,
      ["03-01", "03-15", "03-29"],
    ],
  ])("%s", async (_name, members, to, expected) => {
    const theirs = await Subscriptions.ofNewMerchant(installation, biller);
    const saved = await theirs.add(members);
    expect(await theirs.advanceTo(to)).toBe(expected.length);
    expect((await theirs.dates(saved)).map((date) => date.slice(5))).toEqual(expected);
    const ended = members["end_mode"] !== undefined;
    expect(await theirs.show(saved)).toMatchObject({ status: ended ? "Completed" : "Active" });
    expect((await theirs.events()).includes("subscription.completed")).toBe(ended);
    expect(await theirs.advanceTo(to)).toBe(0);
  });

  test("29 February comes back in leap years", async () => {
    const theirs = await Subscriptions.ofNewMerchant(installation, biller);
    const saved = await theirs.add({ mode: "Yearly", start_date: `${LEAP}-02-29` });
    await theirs.advanceTo(`${LEAP + 4}-03-01`);
    const expected = [0, 1, 2, 3].map((years) => `${LEAP + years}-02-${years === 0 ? 29 : 28}`);
    expect(await theirs.dates(saved)).toEqual([...expected, `${LEAP + 4}-02-29`]);
  });

  test("years are caught up by many at once, each invoice with its own dates and a number without gap", async () => {
    const theirs = await Subscriptions.ofNewMerchant(installation, biller);
    const start = TODAY.add({ days: 1 });
    const monthly = await Promise.all(
      Array.from({ length: 8 }, () => theirs.add({ due_date: start.add({ days: 10 }).toString() })),
    );
    const weekly = await theirs.add({ mode: "Weekly" });
    const to = start.add({ years: 3 });
    const billed = await theirs.advanceTo(to);
    for (const saved of monthly) {
      const made = await theirs.made(saved);
      expect(made).toHaveLength(37);
      for (const [months, invoice] of made.entries()) {
        expect(invoice.bill_date).toBe(start.add({ months }).toString());
        expect(invoice.due_date).toBe(start.add({ months }).add({ days: 10 }).toString());
      }
    }
    expect(await theirs.made(weekly)).toHaveLength(Math.floor(start.until(to).days / 7) + 1);
    const all = await theirs.made();
    expect(all).toHaveLength(billed);
    const inOrder = all.toSorted((a, b) => (a.bill_date < b.bill_date ? -1 : 1));
    const numbers = inOrder.map((invoice) => invoice.invoice_number);
    expect(new Set(numbers).size).toBe(billed);
    expect(await theirs.advanceTo(to)).toBe(0);
  });

  test("ten that bill at once bill each occurrence once", async () => {
    const theirs = await Subscriptions.ofNewMerchant(installation, biller);
    const start = TODAY.add({ days: 1 });
    for (let count = 0; count < 5; count += 1) await theirs.add({ mode: "Daily" });
    await theirs.setClock(start.add({ days: 9 }));
    const counts = await Promise.all(Array.from({ length: 10 }, () => theirs.bill()));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(50);
    const made = await theirs.made();
    expect(made).toHaveLength(50);
    expect(new Set(made.map((invoice) => invoice.invoice_number)).size).toBe(50);
  });

  test("the server bills by itself", async () => {
    const theirs = await Subscriptions.ofNewMerchant(installation, biller);
    const saved = await theirs.add({ mode: "Daily" });
    await theirs.setClock(TODAY.add({ days: 2 }));
    await expect.poll(() => theirs.dates(saved), { timeout: 180_000, interval: 200 }).toHaveLength(2);
  });
});

test("a merchant is billed by the day of its own time zone", async () => {
  // One of them is a day ahead of the other at any time.
  const east = await Subscriptions.ofNewMerchant(installation, biller, { timeZone: "Pacific/Kiritimati" });
  const west = await Subscriptions.ofNewMerchant(installation, biller, { timeZone: "Pacific/Pago_Pago" });
  const eastToday = Temporal.Now.plainDateISO("Pacific/Kiritimati").toString();
  expect(await east.add({ start_date: eastToday, mode: "Daily" })).toMatchObject({ invoices_created: 1 });
  const saved = await west.add({ start_date: eastToday, mode: "Daily" });
  expect(saved).toMatchObject({ invoices_created: 0, next_invoice_date: eastToday });
  expect(await west.bill()).toBe(0);
  await west.setClock(eastToday);
  expect(await west.bill()).toBe(1);
});

test("a suspended merchant is not billed until it is active again", async () => {
  const theirs = await Subscriptions.ofNewMerchant(installation, biller);
  const saved = await theirs.add({ mode: "Daily" });
  await theirs.suspend(true);
  expect(await theirs.advanceTo(TODAY.add({ days: 3 }))).toBe(0);
  await theirs.suspend(false);
  expect(await theirs.bill()).toBe(3);
  expect(await theirs.dates(saved)).toHaveLength(3);
});

test("the dashboard tells as billing does what each invoice comes to, what a pause has missed, and what is parked", async () => {
  const theirs = await Subscriptions.ofNewMerchant(installation, biller);
  const owner = await Browser.signIn(installation, await newPerson(installation, String(theirs.merchantId)));
  const row = { item: "Rent", gst: "18", total_amount: "999.99" };
  const invoice = { customer_code: "C1", particular_rows: [row], previous_dues: "50.00" };
  const saved = await theirs.add({ start_date: TODAY.toString(), invoice });
  const path = `/subscriptions/${saved.subscription_id}`;
  const { each } = (await owner.get(path)).body;
  expect(each).toMatchObject({ sub_total: "999.99", taxes: [{ amount: "90.00" }, { amount: "90.00" }] });
  expect((await owner.get("/subscriptions")).body.subscriptions).toMatchObject([{ amount: each.amount }]);

  await owner.post(`${path}/pause`);
  await theirs.advanceTo(TODAY.add({ months: 3 }));
  const dates = [1, 2, 3].map((months) => TODAY.add({ months }).toString());
  expect((await owner.get(path)).body.missed).toEqual({ count: 3, first: dates[0], last: dates[2] });
  await owner.post(`${path}/resume`, { bill_missed: "0" });
  expect((await owner.get(path)).body.missed).toEqual({ count: 0, first: "", last: "" });
  const { occurrences } = (await owner.get(`${path}/occurrences`)).body;
  expect((occurrences as { status: string }[]).map(({ status }) => status)).toEqual([
    "Skipped",
    "Skipped",
    "Skipped",
    "Billed",
  ]);

  const franchiseId = await theirs.addFranchise();
  const parked = await theirs.add({ invoice: { ...REPEATED, franchise_id: franchiseId }, start_date: dates[2] });
  await theirs.setFranchiseDeleted(franchiseId, true);
  await theirs.advanceTo(TODAY.add({ months: 4 }));
  const made = await theirs.made(saved);
  expect(made.map((each) => formatPaise(each.amount_paise - each.previous_dues_paise))).toEqual([
    each.amount,
    each.amount,
  ]);
  const listed = (await owner.get("/subscriptions?status=Parked")).body.subscriptions as { subscription_id: string }[];
  expect(listed.map(({ subscription_id }) => subscription_id)).toEqual([parked.subscription_id]);
  const { history } = (await owner.get(`/subscriptions/${parked.subscription_id}/history`)).body;
  expect(history).toMatchObject([
    { type: "subscription.parked", note: expect.stringContaining("franchise") as string },
    { type: "subscription.created" },
  ]);
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
