// Lists of invoices over real HTTP: each filter, paging, and the records.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  DATES,
  happen,
  listIds,
  newInvoice,
  STATUSES,
  story,
  type Event,
  type Filter,
  type ModelInvoice,
} from "../support/invoice-model.ts";
import { CITUS_URL } from "../support/citus.ts";
import { settledToday } from "../support/days.ts";
import { Installation, type Members } from "../support/installation.ts";
import { Invoices, PLAIN } from "../support/invoices.ts";
import { CUSTOMER_DETAIL, CUSTOMER_LIST } from "../support/merchant-wire.ts";
import type { Answer } from "../support/nodal.ts";

/** The members of a record: docs/rules/invoicing.md#invoice-records. */
const RECORD_MEMBERS = [
  "invoice_id",
  "invoice_number",
  "bill_date",
  "due_date",
  "sent_date",
  "customer_code",
  "customer_name",
  "customer_group",
  "email",
  "mobile",
  "address",
  "city",
  "state",
  "zipcode",
  "amount",
  "paid_amount",
  "status",
  "cycle_name",
  "franchise_id",
  "franchise_name",
  "created_by",
];

let installation: Installation;
const today = await settledToday();

beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

async function addFranchise(invoices: Invoices, franchise_code: string): Promise<string> {
  const { body } = await invoices.merchant.post("/api/v1/franchise/save", {
    franchise_code,
    franchise_name: `Branch ${franchise_code}`,
    contact_person_name: "Meera Shah",
    email_id: "branch@example.com",
    mobile: "9876543210",
    commission_type: "Percentage",
    commission: 10,
    settlement_type: "Manual",
  });
  return body.franchise_id as string;
}

describe("a record", () => {
  test("has every field, in lists of invoices and of customers alike", async () => {
    const invoices = await Invoices.ofNewMerchant(installation, { name: "Record Traders" });
    const franchise_id = await addFranchise(invoices, "R");
    const customer = {
      customer_code: "R1",
      customer_name: "Rajeev Kumar",
      email: "rajeev@example.com",
      mobile: "9730946150",
      address: "1, Main Street",
      city: "Pune",
      state: "Maharashtra",
      zipcode: "411038",
      custom_fields: [{ id: "17", name: "GST", type: "gst", value: "27AAACI1234K1Z5" }],
    };
    await invoices.addCustomer({ ...customer, customer_group: "Wholesale,Gold" });
    const dates = {
      bill_date: today.subtract({ days: 9 }).toString(),
      due_date: today.subtract({ days: 4 }).toString(),
    };
    const saved = await invoices.add({
      customer_code: "R1",
      ...dates,
      bill_cycle_name: "June",
      franchise_id,
      previous_dues: "5.00",
    });
    await invoices.pay(saved["invoice_id"], "30.00");
    const expected = {
      ...customer,
      ...dates,
      customer_id: expect.any(Number) as number,
      invoice_id: saved["invoice_id"],
      invoice_number: saved["invoice_number"],
      sent_date: "",
      customer_group: "All,Wholesale,Gold",
      amount: "105.00",
      paid_amount: "30.00",
      previous_dues: "5.00",
      due_amount: "75.00",
      due: 4,
      status: "Partially paid",
      cycle_name: "June",
      franchise_id,
      franchise_name: "Branch R",
      created_by: "Record Traders",
    };
    expect(Object.keys(expected)).toEqual(expect.arrayContaining(RECORD_MEMBERS));
    const answers = [
      await invoices.list({ customer_code: "R1" }),
      await invoices.ask(CUSTOMER_DETAIL, { customer_code: "R1" }),
      await invoices.ask(CUSTOMER_LIST, { searchby: "name", keyword: "rajeev" }),
    ];
    for (const answer of answers) {
      expect(answer).toBeSuccess("read", 1);
      expect(answer.body.srvrsp).toStrictEqual([expected]);
    }
    expect(await invoices.read(saved["invoice_id"])).toMatchObject(expected);
  });

  test("shows the customer as it is today, and no franchise as 0", async () => {
    const invoices = await Invoices.ofNewMerchant(installation);
    await invoices.add();
    const { body } = await invoices.list();
    expect(body.srvrsp[0]).toMatchObject({ franchise_id: "0", franchise_name: null, customer_group: "All" });
  });
});

describe("a request", () => {
  test("with empty strings for no filter, lists everything", async () => {
    const invoices = await Invoices.ofNewMerchant(installation);
    const { invoice_id } = await invoices.add();
    await invoices.add({ bill_date: "2026-05-31" });
    const none = { invoice_status: "", customer_code: "", group: "", franchise_id: "" };
    const june = { from_date: "2026-06-01", to_date: "2026-06-30", filter_by: "bill_date", ...none };
    const answer = await invoices.list(june);
    expect(answer).toBeSuccess("read", 1);
    expect(answer.body.srvrsp).toMatchObject([{ invoice_id }]);
    expect(await invoices.list({ from_date: "", to_date: "", filter_by: "", ...none })).toBeSuccess("read", 2);
    expect(await invoices.list()).toBeSuccess("read", 2);
  });

  test.each<[Members, string[]]>([
    [{ from_date: "2026-06-02", to_date: "2026-06-01" }, ["to_date invalid"]],
    [{ from_date: "June", filter_by: "created" }, ["from_date invalid", "filter_by not_allowed"]],
    [{ invoice_status: "paid", franchise_id: "F1" }, ["invoice_status not_allowed", "franchise_id invalid"]],
    [{ page: 0, limit: 1001 }, ["page invalid", "limit invalid"]],
    [{ group: "x".repeat(101), customer_code: "x".repeat(46) }, ["group too_long", "customer_code too_long"]],
  ])("%j is refused", async (body, fields) => {
    const invoices = await Invoices.ofNewMerchant(installation);
    expect(await invoices.list(body)).toBeFailure({ status: 400, code: "validation_failed", fields });
  });
});

/** A merchant whose invoices live through a story, with the model beside it. */
class Told {
  readonly invoices: Invoices;
  readonly model: ModelInvoice[] = [];
  /** The wire's ids of the model's franchises. */
  readonly #franchises: readonly string[];

  private constructor(invoices: Invoices, franchises: readonly string[]) {
    this.invoices = invoices;
    this.#franchises = franchises;
  }

  static async begin(): Promise<Told> {
    const invoices = await Invoices.ofNewMerchant(installation);
    const franchises = ["0", await addFranchise(invoices, "1"), await addFranchise(invoices, "2")];
    await invoices.addCustomer({ customer_code: "A", customer_name: "A", customer_group: "Gold" });
    await invoices.addCustomer({ customer_code: "B", customer_name: "B", customer_group: ["gold", "Silver"] });
    await invoices.addCustomer({ customer_code: "C", customer_name: "C" });
    return new Told(invoices, franchises);
  }

  #terms(terms: Omit<Extract<Event, { kind: "update" }>, "kind" | "place">): Members {
    const { billDate, dueDate, customer: customer_code, franchise } = terms;
    const dates = { bill_date: billDate.toString(), due_date: dueDate.toString() };
    return { ...dates, customer_code, franchise_id: this.#franchises[franchise]! };
  }

  async save(all: readonly Parameters<typeof newInvoice>[1][]): Promise<void> {
    const { body } = await this.invoices.save(all.map((terms) => ({ ...PLAIN, ...this.#terms(terms) })));
    const saved = body.srvrsp as { invoice_id: string }[];
    this.model.push(...saved.map(({ invoice_id }, index) => newInvoice(invoice_id, all[index]!)));
  }

  /** The status of the server's answer, and of the model's. */
  async let(event: Event): Promise<{ status: number; expected: number }> {
    const invoice = this.model[event.place]!;
    const { invoiceId: invoice_id } = invoice;
    const ask = () => {
      if (event.kind === "cancel") return this.invoices.cancel(invoice_id);
      if (event.kind === "update") return this.invoices.update(invoice_id, this.#terms(event));
      const payment = { amount: event.rupees, paid_date: event.paidDate.toString(), mode: "Cash" };
      return this.invoices.settle({ invoice_id, ...payment });
    };
    return { status: (await ask()).status, expected: happen(invoice, event) };
  }

  /** The ids that a list answers with, over all its pages, and the total that each page says. */
  async read(filter: Filter, limit: number): Promise<{ ids: string[]; totals: Set<number> }> {
    const wire = {
      filter_by: filter.filter_by,
      from_date: filter.from?.toString() ?? "",
      to_date: filter.to?.toString() ?? "",
      invoice_status: filter.status ?? "",
      customer_code: filter.customer ?? "",
      group: filter.group ?? "",
      franchise_id: filter.franchise === undefined ? "" : this.#franchises[filter.franchise],
    };
    const ids: string[] = [];
    const totals = new Set<number>();
    for (let page = 1; ; page += 1) {
      const { body } = await this.invoices.list({ ...wire, page, limit });
      totals.add(body.total_records as number);
      const records = body.srvrsp as { invoice_id: string }[];
      if (records.length === 0) return { ids, totals };
      ids.push(...records.slice(0, limit).map(({ invoice_id }) => invoice_id));
    }
  }

  /** The day counts that stand, and those that a recount of the invoices gives. */
  async counts(): Promise<[unknown, unknown]> {
    const recounts = ["bill_date", "due_date", "sent_date", "paid_date"].map(
      (date) => `select '${date}' as filter_by, ${date} as day, status, franchise_id, count(*)::text as invoices,
          sum(sums.billed_paise)::text as billed, sum(sums.paid_paise)::text as paid, sum(sums.due_paise)::text as due
        from invoice cross join lateral invoice_sums(
          status, amount_paise, previous_dues_paise, carried_paise, invoice.paid_paise, credited_paise,
          is_opening_balance) as sums
        where merchant_id = $1 and ${date} is not null group by ${date}, status, franchise_id`,
    );
    const order = "order by filter_by, day, status, franchise_id";
    const text = `select filter_by, day, status, franchise_id, invoices::text, billed_paise::text, paid_paise::text, due_paise::text
      from invoice_day
      where merchant_id = $1 and invoices <> 0 ${order}`;
    const kept = await installation.pool.query(text, [this.invoices.merchant.id]);
    const recounted = await installation.pool.query(`${recounts.join(" union all ")} ${order}`, [
      this.invoices.merchant.id,
    ]);
    const print = (rows: Members[]) => rows.map((row) => Object.values(row).join(" "));
    return [print(kept.rows as Members[]), print(recounted.rows as Members[])];
  }
}

test("lists and day counts agree with a model through random stories", async () => {
  await fc.assert(
    fc.asyncProperty(story(today, { invoices: 240, events: 160 }), async ({ invoices, events, filters }) => {
      const told = await Told.begin();
      await told.save(invoices.slice(0, 150));
      await told.save(invoices.slice(150));
      for (const event of events) {
        const { status, expected } = await told.let(event);
        expect(status, JSON.stringify(event)).toBe(expected);
      }
      const [kept, recounted] = await told.counts();
      expect(kept).toEqual(recounted);
      const plain: Filter[] = DATES.map((filter_by) => ({ filter_by }));
      const byStatus = STATUSES.map((status): Filter => ({ filter_by: "bill_date", status }));
      const all = [...plain, ...byStatus, { filter_by: "due_date", status: "Overdue" } as const, ...filters];
      for (const [index, filter] of all.entries()) {
        const ids = listIds(told.model, filter, today);
        const found = await told.read(filter, [7, 50, 1000][index % 3]!);
        expect(found, JSON.stringify(filter)).toEqual({ ids, totals: new Set([ids.length]) });
      }
    }),
    { numRuns: 3, endOnFailure: true },
  );
});

/** On Citus a request may wait in vain behind eighty of its merchant, and is sent again then, as the answer says. */
const TRIES = CITUS_URL === null ? 1 : 5;

async function sentUntilDecided(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (answer.status !== 503 || tries === TRIES) return answer;
  }
}

test("day counts are right also after payments, updates and cancellations at once", async () => {
  const told = await Told.begin();
  const terms = { billDate: today, dueDate: today, customer: "A", franchise: 1 };
  await told.save(Array.from({ length: 20 }, () => terms));
  const { invoices, model } = told;
  const changes = model.flatMap(({ invoiceId }, index) => [
    sentUntilDecided(() => invoices.settle({ invoice_id: invoiceId, amount: "40.00" })),
    sentUntilDecided(() => invoices.update(invoiceId, { bill_date: today.subtract({ days: index % 3 }).toString() })),
    sentUntilDecided(() => invoices.cancel(invoiceId)),
    sentUntilDecided(() => invoices.settle({ invoice_id: invoiceId, amount: "60.00" })),
  ]);
  const statuses = new Set((await Promise.all(changes)).map(({ status }) => status));
  expect(statuses).toEqual(new Set([200, 409]));
  const [kept, recounted] = await told.counts();
  expect(kept).toEqual(recounted);
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
