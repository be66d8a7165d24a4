// What of a subscription is refused over HTTP: every wrong member by its key path, and nothing is saved.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settledToday } from "../support/days.ts";
import { Installation, type Members } from "../support/installation.ts";
import { numbered } from "../support/invoices.ts";
import { ask } from "../support/merchant-wire.ts";
import { Biller, REPEATED, SUBSCRIPTION_SAVE, Subscriptions } from "../support/subscriptions.ts";

const TODAY = await settledToday();
const START = TODAY.add({ days: 1 }).toString();
const OUT_OF_RANGE = ["0", 0, "-1", "1.5", 100_001, "many", [1]];

const ROW = { item: "Rent", total_amount: "100.00" };
const HUGE = { item: "Rent", total_amount: "9999999999999.00" };
const ENDING = { start_date: "2030-06-15", end_mode: "End date" };

/** Requests, each with the fields that it is refused for. */
const REFUSALS: Record<string, [Members, ...string[]][]> = {
  "of the wrong form": [
    [{ mode: "monthly" }, "mode not_allowed"],
    [{ mode: "Hourly", end_mode: "never" }, "mode not_allowed", "end_mode not_allowed"],
    ...OUT_OF_RANGE.map((value): [Members, string] => [{ repeat_every: value }, "repeat_every invalid"]),
    [{ repeat_every: 1001 }, "repeat_every invalid"],
    [{ start_date: "2027-02-30", due_date: START }, "start_date invalid"],
    [{ start_date: START, due_date: "31/03/2027" }, "due_date invalid"],
    [{ carry_forword_dues: "yes" }, "carry_forword_dues not_allowed"],
    [{ template_id: "T1" }, "template_id invalid"],
    [{ invoice: [REPEATED] }, "invoice invalid"],
  ],
  "dates before the start": [
    [{ start_date: "2030-06-15", due_date: "2030-06-14" }, "due_date invalid"],
    [{ ...ENDING, end_date: "2030-06-14" }, "end_date invalid"],
    [{ ...ENDING, end_date: "2030-06-31" }, "end_date invalid"],
  ],
  "what the end mode needs": [
    ...["Occurences", "Occurrences"].flatMap((endMode): [Members, string][] => [
      [{ end_mode: endMode }, "occurences required"],
      [{ end_mode: endMode, end_date: "2199-01-01" }, "occurences required"],
      ...OUT_OF_RANGE.map((value): [Members, string] => [
        { end_mode: endMode, occurences: value },
        "occurences invalid",
      ]),
    ]),
    [{ end_mode: "End date", occurences: "3" }, "end_date required"],
  ],
  "of the invoice, by their paths": [
    [
      { invoice: { customer_code: "C1", particular_rows: [{ ...ROW, gst: "101" }, { item: "x" }] } },
      "invoice.particular_rows[0].gst invalid",
      "invoice.particular_rows[1].total_amount required",
    ],
    [{ invoice: { particular_rows: [ROW] } }, "invoice.customer_code required"],
    [{ invoice: { customer_code: "C1" } }, "invoice.particular_rows required"],
    [
      { invoice: { customer_code: "C1", particular_rows: [], previous_dues: "10.00" } },
      "invoice.particular_rows required",
    ],
    [{ invoice: { ...REPEATED, bill_date: "soon" } }, "invoice.bill_date invalid"],
    [
      { invoice: { ...REPEATED, new_customer: { customer_code: "N1" } }, mode: "" },
      "invoice.new_customer.customer_name required",
      "mode required",
    ],
    [{ invoice: { ...REPEATED, particular_rows: [HUGE, HUGE] } }, "invoice.particular_rows invalid"],
    [{ invoice: { ...REPEATED, ...numbered("A 1") } }, "invoice.custom_header_fields[0].value invalid"],
  ],
};

let installation: Installation;
let biller: Biller;
let mine: Subscriptions;
let other: Subscriptions;

beforeAll(async () => {
  installation = await Installation.shared();
  biller = new Biller(installation.serverUrl);
  [mine, other] = [
    await Subscriptions.ofNewMerchant(installation, biller),
    await Subscriptions.ofNewMerchant(installation, biller),
  ];
});
afterAll(async () => {
  await biller.close();
  await installation.stop();
});

describe("fields", () => {
  test("that are required are named all at once", async () => {
    const answer = await mine.unmoved(() => ask(installation, mine.invoices.merchant, SUBSCRIPTION_SAVE, {}));
    const names = ["mode", "repeat_every", "start_date", "due_date", "end_mode", "invoice"];
    const fields = names.map((name) => `${name} required`);
    expect(answer).toBeFailure({ status: 400, code: "validation_failed", fields });
  });

  test.each(Object.entries(REFUSALS))("%s", async (_name, refusals) => {
    for (const [members, ...fields] of refusals) {
      const answer = await mine.unmoved(() => mine.save(members));
      expect(answer, JSON.stringify(members)).toBeFailure({ status: 400, code: "validation_failed", fields });
    }
  });
});

describe("what the invoice refers to", () => {
  const cases: [string, Members, { status: number; code: string; fields: string[] }][] = [
    [
      "template",
      { template_id: "7" },
      { status: 404, code: "template_not_found", fields: ["template_id template_not_found"] },
    ],
    [
      "customer",
      { invoice: { ...REPEATED, customer_code: "C2" } },
      { status: 404, code: "customer_not_found", fields: ["invoice.customer_code customer_not_found"] },
    ],
    [
      "new customer",
      { invoice: { ...REPEATED, new_customer: { customer_code: "C1", customer_name: "Twin" } } },
      {
        status: 409,
        code: "customer_code_exists",
        fields: ["invoice.new_customer.customer_code customer_code_exists"],
      },
    ],
    [
      "franchise",
      { invoice: { ...REPEATED, franchise_id: "7" } },
      { status: 404, code: "franchise_not_found", fields: ["invoice.franchise_id franchise_not_found"] },
    ],
    [
      "number of a series",
      { invoice: { ...REPEATED, ...numbered(`INV-${seriesYear()}-00001`) } },
      {
        status: 409,
        code: "invoice_number_reserved",
        fields: ["invoice.custom_header_fields[0].value invoice_number_reserved"],
      },
    ],
  ];
  for (const [name, members, failure] of cases) {
    test(`${name}: refused when it begins later, and when it begins today`, async () => {
      for (const start of [START, TODAY.toString()]) {
        const answer = await mine.unmoved(() => mine.save({ ...members, start_date: start }));
        expect(answer).toBeFailure(failure);
      }
    });
  }

  test("what belongs to another merchant does not exist", async () => {
    await other.invoices.addCustomer({ customer_code: "THEIRS", customer_name: "Theirs" });
    const template = await mine.unmoved(() => mine.save({ template_id: other.invoices.templateId }));
    expect(template.body.errcode).toBe("template_not_found");
    const customer = await mine.unmoved(() => mine.save({ invoice: { ...REPEATED, customer_code: "THEIRS" } }));
    expect(customer.body.errcode).toBe("customer_not_found");
    const saved = await mine.add();
    await expect(other.show(saved)).rejects.toThrow("there is no subscription");
  });
});

test("without rows it is told that every subscription needs them, whatever is due from before", async () => {
  const invoice = { customer_code: "C1", previous_dues: "10.00" };
  const { body } = await mine.unmoved(() => mine.save({ invoice }));
  const [problem] = body.errlist as [{ msg: string }];
  expect(problem.msg).toMatch(/^invoice\.particular_rows must have at least one row: previous dues alone/);
});

test("more than 60 occurrences in the past are refused, 60 are billed", async () => {
  const before = (days: number) => ({ mode: "Daily", start_date: TODAY.subtract({ days }).toString() });
  const fields = ["start_date too_many_occurrences"];
  for (const members of [before(60), before(4000), { start_date: "2000-01-01" }]) {
    const answer = await mine.unmoved(() => mine.save(members));
    expect(answer).toBeFailure({ status: 422, code: "too_many_occurrences", fields });
  }
  expect(await mine.add(before(59))).toMatchObject({ invoices_created: 60 });
  const ended = { ...before(4000), end_mode: "Occurences", occurences: "60" };
  expect(await mine.add(ended)).toMatchObject({ invoices_created: 60, status: "Completed", next_invoice_date: "" });
});

test("wrong keys are refused before anything else", async () => {
  const answer = await installation.send("POST", SUBSCRIPTION_SAVE, { access_key_id: "x", secret_access_key: "y" });
  expect(answer).toBeFailure({ status: 401, code: "invalid_keys" });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});

/** The financial year of tomorrow as the default series writes it. */
function seriesYear(): string {
  const { year, month } = Temporal.PlainDate.from(START);
  const first = month >= 4 ? year : year - 1;
  return `${String(first % 100).padStart(2, "0")}${String((first + 1) % 100).padStart(2, "0")}`;
}
