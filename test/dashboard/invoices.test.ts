// The dashboard's lists of invoices and subscriptions against a plain sort and sum of the same, who sees which. The
// pages themselves are walked in test/browser.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices, PLAIN } from "../support/invoices.ts";

type Listed = {
  readonly invoice_id: string;
  readonly bill_date: string;
  readonly due_date: string;
  readonly status: string;
  readonly amount: string;
  readonly customer_code: string;
};
type Page = { readonly invoices: Listed[]; readonly next: string | null };

const SOUTH = { email: "south@example.com", password: "a long password" };

let site: Installation;
let invoices: Invoices;
let owner: Browser;
let franchiseId: string;
beforeAll(async () => {
  site = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(site, { gstin: "" });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  await invoices.addCustomer({ customer_code: "C2", customer_name: "Bharat Nair", customer_group: ["Wholesale"] });
  franchiseId = await saveFranchiseWithLogin(site, invoices.merchant, SOUTH, {
    franchise_code: "F1",
    franchise_name: "South",
  });
  const batch = Array.from({ length: 60 }, (_, index) => ({
    customer_code: index % 3 === 0 ? "C2" : "C1",
    bill_date: `2026-0${(index % 5) + 1}-1${index % 4}`,
    due_date: `2026-0${(index % 4) + 6}-0${(index % 7) + 1}`,
    franchise_id: index % 6 === 0 ? franchiseId : "0",
    particular_rows: [{ item: "Work", total_amount: `${100 + index}.25` }],
    ...(index % 10 === 0 ? { previous_dues: "50.00" } : {}),
  }));
  const answer = await invoices.save(batch);
  const ids = (answer.body.srvrsp as { invoice_id: string }[]).map(({ invoice_id }) => invoice_id);
  for (const id of ids.slice(0, 12)) await invoices.pay(id, "60.00");
  for (const id of ids.slice(20, 24)) await invoices.cancel(id);
});
afterAll(() => site?.stop());

/** The whole list, gone through in small pages. */
async function walk(query: string, browser = owner): Promise<Listed[]> {
  const all: Listed[] = [];
  let after = "";
  for (;;) {
    const { status, body } = await browser.get(`/invoices?limit=7&${query}${after}`);
    expect([query, status]).toEqual([query, 200]);
    const page = body as Page;
    all.push(...page.invoices);
    if (page.next === null) return all;
    after = `&after=${page.next}`;
  }
}

describe("the list", () => {
  test.each([
    ["", "bill_date", -1],
    ["sort=-bill_date", "bill_date", -1],
    ["sort=bill_date", "bill_date", 1],
    ["sort=due_date", "due_date", 1],
    ["sort=-due_date&status=Unpaid", "due_date", -1],
    ["date=due_date&from=2026-06-02&to=2026-08-05", "due_date", -1],
    ["date=due_date&from=2026-07-01&sort=bill_date", "bill_date", 1],
    ["status=Overdue", "bill_date", -1],
    ["status=Overdue&sort=due_date", "due_date", 1],
    ["customer=C2", "bill_date", -1],
    ["group=wholesale&sort=bill_date", "bill_date", 1],
    ["search=bharat", "bill_date", -1],
  ] as const)("with %s goes through all that match, once, in order", async (query, date, direction) => {
    const asked = new URLSearchParams(query);
    const everything = await walk("");
    expect(new Set(everything.map(({ invoice_id }) => invoice_id)).size).toBe(60);
    const by = asked.get("date") === "due_date" ? "due_date" : "bill_date";
    const status = asked.get("status");
    const ofC2 = ["customer", "group", "search"].some((name) => asked.has(name));
    const expected = everything
      .filter((each) => (asked.get("from") ?? "") <= each[by] && each[by] <= (asked.get("to") ?? "9"))
      .filter((each) => !ofC2 || each.customer_code === "C2")
      .filter((each) => status === null || each.status === status || (status === "Unpaid" && each.status === "Overdue"))
      .sort((a, b) => direction * (a[date] + a.invoice_id < b[date] + b.invoice_id ? -1 : 1));
    const listed = await walk(query);
    // What is overdue shows so, whatever its status: those that are partly paid among them are not Unpaid.
    const isExact = status !== "Unpaid";
    const ids = listed.map(({ invoice_id }) => invoice_id);
    const wanted = expected.map(({ invoice_id }) => invoice_id).filter((id) => isExact || ids.includes(id));
    expect(ids).toEqual(wanted);
    expect(listed.length).toBeGreaterThan(3);
  });

  test("its counts are those of the database, and each is how many its filter finds", async () => {
    const { body } = await owner.get("/session/invoices/counts");
    const { rows } = await site.pool.query(
      `select count(*)::integer as all, 0 as drafts,
         count(*) filter (where status in ('Unpaid', 'Partially paid'))::integer as unpaid,
         count(*) filter (where status in ('Unpaid', 'Partially paid') and due_date < (now() at time zone 'Asia/Kolkata')::date)::integer
           as overdue,
         count(*) filter (where status like 'Paid%')::integer as paid
       from invoice where merchant_id = $1`,
      [invoices.merchant.id],
    );
    expect(body).toEqual(rows[0]);
    const counts = body as Record<string, number>;
    for (const [status, name] of [
      ["Open", "unpaid"],
      ["Overdue", "overdue"],
      ["Paid", "paid"],
    ] as const) {
      expect((await walk(`status=${status}`)).length, status).toBe(counts[name]);
      const inOrder = await walk(`status=${status}&sort=due_date`);
      expect(inOrder.map((each) => each.due_date)).toEqual(inOrder.map((each) => each.due_date).toSorted());
    }
    expect(counts["unpaid"]).toBeGreaterThan(0);
  });

  test("drafts are counted apart, and a franchise counts its own invoices", async () => {
    const other = await Invoices.ofNewMerchant(site, { gstin: "" });
    const person = await Browser.signIn(site, await newPerson(site, other.merchant.id));
    const { status } = await person.send("POST", "/invoice-drafts", { title: "June", invoice: {} });
    const counted = { all: 0, drafts: 1, unpaid: 0, overdue: 0, paid: 0 };
    expect([status, (await person.get("/session/invoices/counts")).body]).toEqual([200, counted]);
    const south = new Browser(site.server.baseUrl);
    await south.post("/session/sign-in", { ...SOUTH, merchant: invoices.merchant.id });
    const own = (await south.get("/session/invoices/counts")).body as Record<string, number | null>;
    expect(own).toMatchObject({ all: 10, drafts: null });
  });

  test("adds up what matches, without previous dues, and without what is cancelled", async () => {
    const { rows } = await site.pool.query<Record<string, string>>(
      `select count(*)::text as invoices, sum(sub_total_paise + tax_total_paise) filter (where status <> 'Cancelled') as billed,
         sum(paid_paise) as paid from invoice where merchant_id = $1`,
      [invoices.merchant.id],
    );
    const totalsOf = async (query: string): Promise<Record<string, string>> =>
      ((await owner.get(`/invoices/totals?${query}`)).body as { totals: Record<string, string> }).totals;
    const totals = await totalsOf("");
    expect(totals["billed"]!.replace(".", "")).toBe(rows[0]!["billed"]);
    expect(totals["paid"]!.replace(".", "")).toBe(rows[0]!["paid"]);
    // Six invoices have 50.00 of previous dues each, which are paid first: two of them got 60.00.
    const paise = (name: string): bigint => BigInt(totals[name]!.replace(".", ""));
    expect(paise("billed") - paise("paid") - paise("due")).toBe(-2n * 50_00n);
    const parts = ["franchise=0", `franchise=${franchiseId}`, "customer=C1", "customer=C2"];
    const sums = await Promise.all(parts.map(totalsOf));
    for (const [a, b] of [
      [0, 1],
      [2, 3],
    ] as const) {
      const due = [sums[a]!["due"]!, sums[b]!["due"]!].map((text) => BigInt(text.replace(".", "")));
      expect(due[0]! + due[1]!).toBe(paise("due"));
    }
  });

  test("is had as CSV with the same filters", async () => {
    const { body, headers } = await owner.get("/invoices.csv?customer=C2");
    expect(headers.get("content-type")).toContain("text/csv");
    const lines = (body as string).trim().split("\r\n");
    expect(lines[0]).toContain("invoice_id,invoice_number");
    expect(lines).toHaveLength(1 + (await walk("customer=C2")).length);
  });

  test("refuses a range that ends before it begins, at the field", async () => {
    const { status, body } = await owner.get("/invoices?from=2026-02-01&to=2026-01-01");
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ field: "to" })]]);
  });
});

test("the list by template has that template's invoices, and totals of them alone", async () => {
  const template = { request_key: "rare-template", name: "Rare", prefix: "RARE-", yearly: 1 };
  const { template_id: rare } = (await owner.post("/templates", template)).body as { template_id: string };
  const sent = { request_key: "of-the-rare-template", template_id: rare, invoice: [PLAIN, PLAIN] };
  const saved = (await owner.post("/invoices", sent)).body.invoices as { invoice_id: string }[];
  const listed = await walk(`template=${rare}`);
  expect(listed.map(({ invoice_id }) => invoice_id)).toEqual(saved.map(({ invoice_id }) => invoice_id).toReversed());
  const { totals } = (await owner.get(`/invoices/totals?template=${rare}`)).body as { totals: unknown };
  expect(totals).toMatchObject({ invoices: 2, billed: "200.00" });
  expect(await walk(`template=${rare}&status=Cancelled`)).toEqual([]);
  expect((await walk(`template=${invoices.templateId}`)).length).toBe((await walk("")).length - 2);
});

test("a franchise sees its own invoices, and no others by asking for them", async () => {
  const south = new Browser(site.server.baseUrl);
  await south.post("/session/sign-in", { ...SOUTH, merchant: invoices.merchant.id });
  const own = await walk("", south);
  expect(own).toHaveLength(10);
  expect(await walk("franchise=0", south)).toHaveLength(10);
  expect((await south.get("/invoices/totals?franchise=0")).body.totals).toMatchObject({ invoices: 10 });
  const other = (await walk("")).find(({ invoice_id }) => !own.some((each) => each.invoice_id === invoice_id))!;
  for (const path of ["", "/page"]) {
    expect((await south.get(`/invoices/${own[0]!.invoice_id}${path}`)).status).toBe(200);
    expect((await south.get(`/invoices/${other.invoice_id}${path}`)).status).toBe(404);
  }
  expect((await south.post(`/invoices/${own[0]!.invoice_id}/cancel`)).status).toBe(403);
});

describe("subscriptions", () => {
  type Subscription = {
    readonly subscription_id: string;
    readonly customer_code: string;
    readonly status: string;
    readonly next_invoice_date: string;
    readonly amount: string;
  };
  const SCHEDULE = { mode: "Monthly", repeat_every: "1", end_mode: "Never", occurences: "", end_date: "" };
  let today: Temporal.PlainDate;
  let saved = 0;

  /** Saves one that begins so many days from today. */
  function save(days: number, changes: object = {}, invoice: object = {}) {
    const start = today.add({ days }).toString();
    const rows = [{ item: "Rent", total_amount: `${100 + (saved += 1)}.00` }];
    const repeated = { customer_code: "C1", particular_rows: rows, ...invoice };
    const plain = { request_key: `subscription-${saved}`, ...SCHEDULE, start_date: start, due_date: start };
    return owner.post("/subscriptions", { ...plain, template_id: "", invoice: repeated, ...changes });
  }

  async function list(query: string, browser = owner): Promise<Subscription[]> {
    const all: Subscription[] = [];
    for (let after = ""; ;) {
      const { status, body } = await browser.get(`/subscriptions?limit=2&${query}${after}`);
      expect([query, status]).toEqual([query, 200]);
      all.push(...(body.subscriptions as Subscription[]));
      if (body.next === null) return all;
      after = `&after=${body.next as string}`;
    }
  }
  const idsOf = (rows: readonly Subscription[]): string[] => rows.map(({ subscription_id }) => subscription_id);

  beforeAll(async () => {
    today = Temporal.PlainDate.from((await owner.get("/session")).body.merchant.today as string);
    for (const days of [9, 3, 7, 3, 5]) await save(days, {}, days === 3 ? { customer_code: "C2" } : {});
    await save(20, {}, { franchise_id: franchiseId });
    const paused = await save(21);
    await owner.post(`/subscriptions/${paused.body.subscription_id as string}/pause`);
  });

  test("the list goes through all that match, once, in order, and is had as CSV", async () => {
    const all = await list("");
    expect(idsOf(all)).toEqual([...idsOf(all)].sort((a, b) => Number(b) - Number(a)));
    expect(all.map(({ amount }) => amount)).toEqual(
      Array.from({ length: saved }, (_, index) => `${100 + saved - index}.00`),
    );
    const byDate = (a: Subscription, b: Subscription): number =>
      a.next_invoice_date + a.subscription_id < b.next_invoice_date + b.subscription_id ? -1 : 1;
    const active = all.filter(({ status }) => status === "Active");
    for (const [query, wanted] of [
      ["sort=created", all.toReversed()],
      ["status=Active&sort=next_invoice_date", active.toSorted(byDate)],
      ["status=Active&sort=-next_invoice_date", active.toSorted(byDate).toReversed()],
      ["status=Paused", all.filter(({ status }) => status === "Paused")],
      ["status=Parked", []],
      ["customer=C2", all.filter(({ customer_code }) => customer_code === "C2")],
      ["customer=NOBODY", []],
      ["search=bharat&status=Active", all.filter(({ customer_code }) => customer_code === "C2")],
      [`search=${all[3]!.subscription_id}`, [all[3]!]],
    ] as const) {
      expect([query, idsOf(await list(query))]).toEqual([query, idsOf(wanted)]);
    }
    const { body } = await owner.get("/subscriptions.csv?customer=C2");
    expect((body as string).trim().split("\r\n")).toHaveLength(1 + 2);
    const refused = await owner.get("/subscriptions?sort=next_invoice_date");
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, "sort"]);
    expect((await owner.get("/subscriptions?after=2026-02-31_1&status=Active&sort=next_invoice_date")).status).toBe(
      400,
    );
  });

  test("a franchise sees its own, and no others by asking for them", async () => {
    const south = new Browser(site.server.baseUrl);
    await south.post("/session/sign-in", { ...SOUTH, merchant: invoices.merchant.id });
    const [own, ...others] = await list("", south);
    expect(others).toEqual([]);
    const foreign = (await list("")).find(({ subscription_id }) => subscription_id !== own!.subscription_id)!;
    for (const path of ["", "/occurrences"]) {
      expect((await south.get(`/subscriptions/${own!.subscription_id}${path}`)).status).toBe(200);
      expect((await south.get(`/subscriptions/${foreign.subscription_id}${path}`)).status).toBe(404);
    }
    expect((await south.post(`/subscriptions/${own!.subscription_id}/pause`)).status).toBe(403);
  });

  test("what is foretold of a schedule is what saving it makes, and a form that is sent twice makes one", async () => {
    const start = today.subtract({ days: 15 });
    const schedule = { mode: "Weekly", repeat_every: 1, end_mode: "Occurences", occurences: 5, end_date: "" };
    const dated = { ...schedule, start_date: start.toString(), due_date: start.add({ days: 2 }).toString() };
    const foretold = (await owner.post("/subscriptions/dates", dated)).body;
    expect(foretold).toMatchObject({ due: 3, goes_on: false, is_too_many: false });
    const [first, ...others] = await Promise.all([
      save(0, { ...dated, request_key: "sent-twice-1" }, { particular_rows: PLAIN.particular_rows }),
      save(0, { ...dated, request_key: "sent-twice-1" }, { particular_rows: PLAIN.particular_rows }),
    ]);
    expect(others.map(({ body }) => body.subscription_id)).toEqual([first.body.subscription_id]);
    expect(first.body.invoices_created).toBe(3);
    const path = `/subscriptions/${first.body.subscription_id as string}`;
    const made = (await owner.get(`${path}/occurrences`)).body.occurrences as { bill_date: string; due_date: string }[];
    const { dates } = (await owner.get(path)).body as { dates: { bill_date: string; due_date: string }[] };
    const told = [...made.toReversed(), ...dates].map(({ bill_date, due_date }) => ({ bill_date, due_date }));
    expect(told).toEqual((foretold.dates as typeof dates).map(({ bill_date, due_date }) => ({ bill_date, due_date })));
    expect((await save(1, { request_key: "sent-twice-1" })).status).toBe(409);
  });

  test("too long ago is foretold and refused; what is wrong is said at its field", async () => {
    const start = today.subtract({ days: 61 }).toString();
    const daily = { ...SCHEDULE, mode: "Daily", start_date: start, due_date: start };
    expect((await owner.post("/subscriptions/dates", daily)).body).toMatchObject({ is_too_many: true, goes_on: true });
    const refused = await save(0, { ...daily });
    expect([refused.status, refused.body.code]).toEqual([422, "too_many_occurrences"]);
    const early = await owner.post("/subscriptions/dates", { ...daily, end_mode: "End date", end_date: "2020-01-01" });
    expect([early.status, early.body.errors[0].field]).toEqual([400, "end_date"]);
    const wrong = await save(
      1,
      { occurences: "0", end_mode: "Occurences" },
      { particular_rows: [{ total_amount: "x" }] },
    );
    const fields = (wrong.body.errors as { field: string }[]).map(({ field }) => field);
    expect([wrong.status, fields]).toEqual([400, ["invoice.particular_rows[0].total_amount"]]);
    const viewer = await Browser.signIn(site, await newPerson(site, invoices.merchant.id, "Viewer"));
    expect((await viewer.post("/subscriptions", { request_key: "of-a-viewer" })).status).toBe(403);
  });
});
