// Header fields of invoices over real HTTP: what the template makes of those that are sent by their ids. What a value
// may be is in invoices.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { settledToday } from "../support/days.ts";
import { Installation, type Members } from "../support/installation.ts";
import { INVOICE_SAVE, Invoices, PLAIN } from "../support/invoices.ts";
import type { Answer } from "../support/nodal.ts";
import { Biller, REPEATED, Subscriptions } from "../support/subscriptions.ts";

type HeaderField = { readonly id: string; readonly name: string; readonly type: string; readonly value: string };

const NUMBER = { id: "1", name: "Invoice no", type: "text", value: "" };
const TERMS = { id: "2", name: "Delivery", type: "textarea", value: "By road" };
const ORDER = { id: "3", name: "PO number", type: "text", value: "" };

let installation: Installation;
let biller: Biller;
let invoices: Invoices;
let templateId: string;

beforeAll(async () => {
  installation = await Installation.shared();
  biller = new Biller(installation.serverUrl);
  invoices = await Invoices.ofNewMerchant(installation);
  templateId = await addTemplate(invoices);
});
afterAll(async () => {
  await biller.close();
  await installation.stop();
});

async function addTemplate({ merchant }: Invoices): Promise<string> {
  const owner = await Browser.signIn(installation, await newPerson(installation, merchant.id));
  const header_fields = [NUMBER, TERMS, ORDER];
  const draft = { request_key: `goods-${merchant.id}`, name: "Goods", prefix: "G/{FY}/", yearly: 1, header_fields };
  const answer = await owner.post("/templates", draft);
  if (answer.status !== 200) throw new Error(`no template: ${answer.status} ${JSON.stringify(answer.body)}`);
  return (answer.body as { template_id: string }).template_id;
}

function save(custom_header_fields: unknown, invoice: Members = {}): Promise<Answer> {
  const sent = custom_header_fields === undefined ? {} : { custom_header_fields };
  return invoices.ask(INVOICE_SAVE, { template_id: templateId, invoice: [{ ...PLAIN, ...invoice, ...sent }] });
}

/** The number of a new invoice, and the header fields that it has then. */
async function printed(custom_header_fields: unknown): Promise<{ id: string; number: string; fields: HeaderField[] }> {
  const answer = await save(custom_header_fields);
  expect(answer).toBeSuccess("write");
  const [saved] = answer.body.srvrsp as { invoice_id: string; invoice_number: string }[];
  const detail = await invoices.read(saved!.invoice_id);
  return {
    id: saved!.invoice_id,
    number: saved!.invoice_number,
    fields: detail["custom_header_fields"] as HeaderField[],
  };
}

describe("a new invoice", () => {
  test.each<[string, unknown, HeaderField[]]>([
    ["nothing", undefined, [NUMBER, TERMS, ORDER]],
    ["an empty list", [], [NUMBER, TERMS, ORDER]],
    ["a value by its id alone", [{ id: "3", value: "PO-1" }], [{ ...ORDER, value: "PO-1" }, NUMBER, TERMS]],
    ["an id as a number", [{ id: 3, value: "PO-1" }], [{ ...ORDER, value: "PO-1" }, NUMBER, TERMS]],
    [
      "another name and type",
      [{ id: "3", name: "Invoice no", type: "textarea", value: "PO-1" }],
      [{ ...ORDER, value: "PO-1" }, NUMBER, TERMS],
    ],
    [
      "two lines for a textarea",
      [{ id: "2", type: "text", value: "By sea\nand rail" }],
      [{ ...TERMS, value: "By sea\nand rail" }, NUMBER, ORDER],
    ],
    ["an emptied default", [{ id: "2", value: "" }], [{ ...TERMS, value: "" }, NUMBER, ORDER]],
    ["a name without an id", [{ name: "po NUMBER", value: "PO-1" }], [{ ...ORDER, value: "PO-1" }, NUMBER, TERMS]],
    [
      "an id that the template does not know",
      [{ id: "77", name: "Vehicle", type: "text", value: "KA-01" }],
      [{ id: "77", name: "Vehicle", type: "text", value: "KA-01" }, NUMBER, TERMS, ORDER],
    ],
  ])("of which is sent %s", async (_what, sent, expected) => {
    const { number, fields } = await printed(sent);
    expect(fields).toEqual(expected);
    expect(number).toMatch(/^G\/2627\/[0-9]{5}$/);
  });

  test("has the number that is sent by the field's id alone, once", async () => {
    const sent = [{ id: "1", value: "OWN-1" }];
    const { number, fields } = await printed(sent);
    expect({ number, fields }).toEqual({ number: "OWN-1", fields: [{ ...NUMBER, value: "OWN-1" }, TERMS, ORDER] });
    const refused = (answer: Answer, status: number, code: string, at: string) =>
      expect(answer).toBeFailure({ status, code, fields: [`invoice[0].custom_header_fields[0].value ${at}`] });
    const again = await invoices.unmoved(() => save(sent));
    refused(again, 409, "invoice_number_exists", "invoice_number_exists");
    refused(
      await save([{ id: "1", value: "G/2627/00001" }]),
      409,
      "invoice_number_reserved",
      "invoice_number_reserved",
    );
    refused(await save([{ id: "1", value: "A B" }]), 400, "validation_failed", "invalid");
  });

  test("is told all that is wrong at once, by the template's types", async () => {
    const sent = [
      { id: "2", value: "two\nlines" },
      { id: "3", type: "textarea", value: "two\nlines" },
      { id: "1", value: "A B" },
    ];
    const answer = await invoices.unmoved(() => save(sent, { due_date: "2026-13-01" }));
    const fields = ["due_date", "custom_header_fields[1].value", "custom_header_fields[2].value"];
    const expected = fields.map((field) => `invoice[0].${field} invalid`);
    expect(answer).toBeFailure({ status: 400, code: "validation_failed", fields: expected });
  });
});

test("an update replaces the fields by those that are sent, and takes the number by its id", async () => {
  const { id } = await printed([{ id: "1", value: "UP-1" }]);
  const fieldsOf = async () => (await invoices.read(id))["custom_header_fields"];
  const answer = await invoices.update(id, { custom_header_fields: [{ id: "1", value: "UP-2" }] });
  expect(answer.body.srvrsp).toMatchObject({ invoice_number: "UP-2" });
  expect(await fieldsOf()).toEqual([{ ...NUMBER, value: "UP-2" }]);
  expect(await invoices.update(id, { custom_header_fields: [{ id: "3", value: "PO-2" }] })).toBeSuccess("write");
  expect(await fieldsOf()).toEqual([{ ...ORDER, value: "PO-2" }]);
  expect(await invoices.update(id, { bill_cycle_name: "June" })).toBeSuccess("write");
  expect(await fieldsOf()).toEqual([{ ...ORDER, value: "PO-2" }]);
  const refused = await invoices.update(id, { custom_header_fields: [{ id: "3", value: "a\nb" }], due_date: "x" });
  const fields = ["invoice.custom_header_fields[0].value invalid", "invoice.due_date invalid"];
  expect(refused).toBeFailure({ status: 400, code: "validation_failed", fields });
});

test("a subscription gives a number that is sent by its field's id to its first invoice alone", async () => {
  const mine = await Subscriptions.ofNewMerchant(installation, biller);
  const template_id = await addTemplate(mine.invoices);
  const custom_header_fields = [
    { id: "1", value: "SUB-1" },
    { id: "3", value: "PO-1" },
  ];
  const start_date = (await settledToday()).subtract({ days: 2 }).toString();
  const invoice = { ...REPEATED, custom_header_fields };
  const saved = await mine.add({ mode: "Daily", template_id, start_date, invoice });
  expect(saved).toMatchObject({ invoices_created: 3, parked: null });
  const made = await mine.made(saved);
  expect(made.map(({ invoice_number }) => invoice_number.replace(/[0-9]{4}\//, ""))).toEqual([
    "SUB-1",
    "G/00001",
    "G/00002",
  ]);
  const later = await mine.invoices.read(saved.invoice_ids[1]);
  expect(later["custom_header_fields"]).toEqual([NUMBER, { ...ORDER, value: "PO-1" }, TERMS]);
});

test("the form's preview prints what saving would", async () => {
  const owner = await Browser.signIn(installation, await newPerson(installation, invoices.merchant.id));
  const invoice = {
    ...PLAIN,
    custom_header_fields: [
      { id: "1", value: "PRE-1" },
      { id: "3", value: "PO-1" },
    ],
  };
  const { body } = await owner.post("/invoices/preview", { template_id: templateId, invoice });
  const { html } = body as { html: string };
  for (const text of ["PRE-1", "PO number", "PO-1", "By road"]) expect(html).toContain(text);
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
