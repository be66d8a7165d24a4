// Templates in the database: numbers without gaps under concurrency, default templates, and names that are taken.
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { TEST_ACTOR, withTestSecrets } from "../../../test/support/secrets.ts";
import { readIdempotencyKey, type MerchantKey } from "../../merchants/index.ts";
import { createPool, inTransaction, type OwnedPool } from "../../platform/database/pool.ts";
import { pngSize } from "../../platform/pdf/picture-size.ts";
import { createPdfRenderer } from "../../platform/pdf/renderer.ts";
import { HOSTILE_SVGS, JPEG, svgOf } from "../../../test/support/pictures.ts";
import {
  changeTemplate,
  createTemplate,
  insertDefaultTemplates,
  makeDefaultTemplate,
  takeTemplateIds,
} from "./save-template.ts";
import { financialYearOf, writeNumber } from "../numbers/number-series.ts";
import { DOCUMENT_KINDS } from "../document-kind.ts";
import { takeNumbers } from "../numbers/number-counter-store.ts";
import { findLogo, findTemplate, listTemplates } from "./template-store.ts";
import type { Template, TemplateChange, TemplateDraft } from "./template.ts";

let db: LedgerDatabase;
const renderer = createPdfRenderer({ logger: pino({ level: "silent" }) });
/** Fifty connections, so that fifty transactions really run at once. */
let pool: OwnedPool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  pool = withTestSecrets(createPool({ url: db.url, size: 50, role: "nodal_server", actor: TEST_ACTOR }));
});
afterAll(async () => {
  await renderer.close();
  await pool.end();
  await db.close();
});

async function newOwner(): Promise<MerchantKey> {
  const [owner] = await makeMerchants(db, 1);
  const ids = await takeTemplateIds(db.ids);
  await inTransaction(pool, (connection) => insertDefaultTemplates(connection, [owner!], [ids]));
  return owner!;
}

const contextOf = (merchant: MerchantKey) => ({ pool, ids: db.ids, merchant, idempotency: null, renderer });
const change = (template: MerchantKey & { readonly templateId: bigint }, changes: TemplateChange): Promise<Template> =>
  changeTemplate({ pool, merchant: template, renderer }, { templateId: template.templateId, change: changes });

async function defaultOf(owner: MerchantKey): Promise<Template> {
  return (await findTemplate(pool, owner, null))!;
}

function draft(changes: Partial<TemplateDraft> = {}): TemplateDraft {
  return {
    name: "Export",
    prefix: "EX-",
    width: 4,
    yearly: true,
    creditPrefix: null,
    debitPrefix: null,
    estimatePrefix: null,
    headerFields: [],
    defaultRows: [],
    defaultTaxes: [],
    company: {},
    terms: "",
    signatory: "",
    accentColour: "#000000",
    upiHandle: null,
    printsBankAccount: false,
    logo: null,
    makeDefault: false,
    ...changes,
  };
}

/** Takes numbers in a transaction, which is rolled back if it is to fail. */
async function take(
  owner: MerchantKey,
  series: Template["series"]["invoice"],
  year: number,
  count = 1,
  fails = false,
): Promise<bigint> {
  return inTransaction(pool, async (connection) => {
    const first = await takeNumbers(connection, owner, series, year, count);
    if (fails) throw new Error(`rolled back ${first}`);
    return first;
  });
}

/** 1, 2, … up to `count`. */
function upTo(count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => BigInt(index + 1));
}

describe("numbers", () => {
  test("fifty at once, some of them rolled back: no gap, no duplicate", async () => {
    const owner = await newOwner();
    const { invoice: series } = (await defaultOf(owner)).series;
    const fails = (index: number) => index % 3 === 1;
    const taken = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => take(owner, series, 2026, 1 + (index % 4), fails(index))),
    );
    const numbers = taken.flatMap((outcome, index) => {
      expect(outcome.status).toBe(fails(index) ? "rejected" : "fulfilled");
      if (outcome.status === "rejected") return [];
      return Array.from({ length: 1 + (index % 4) }, (_, place) => outcome.value + BigInt(place));
    });
    expect(numbers.toSorted((a, b) => Number(a - b))).toEqual(upTo(numbers.length));
    expect(await take(owner, series, 2026)).toBe(BigInt(numbers.length + 1));
  });

  test("who comes second waits, and takes the number that a rollback gives back", async () => {
    const owner = await newOwner();
    const { invoice: series } = (await defaultOf(owner)).series;
    await take(owner, series, 2026);
    const waiting: Promise<bigint>[] = [];
    const first = inTransaction(pool, async (connection) => {
      expect(await takeNumbers(connection, owner, series, 2026, 1)).toBe(2n);
      waiting.push(take(owner, series, 2026));
      await sleep(100);
      throw new Error("rolled back");
    });
    await expect(first).rejects.toThrow("rolled back");
    expect(await Promise.all(waiting)).toEqual([2n]);
  });

  test("begin anew on 1 April, except where a series counts on", async () => {
    const owner = await newOwner();
    const { invoice: series } = (await defaultOf(owner)).series;
    const march = financialYearOf(Temporal.PlainDate.from("2026-03-31"));
    const april = financialYearOf(Temporal.PlainDate.from("2026-04-01"));
    expect([
      await take(owner, series, march, 3),
      await take(owner, series, april),
      await take(owner, series, march),
    ]).toEqual([1n, 1n, 4n]);
    const { invoice: endless } = (await createTemplate(contextOf(owner), draft({ yearly: false }))).series;
    expect([await take(owner, endless, march, 3), await take(owner, endless, april)]).toEqual([1n, 4n]);
  });

  test("of two series and of two merchants are independent", async () => {
    const [one, other] = [await newOwner(), await newOwner()];
    const { invoice: series, credit_note: creditSeries } = (await defaultOf(one)).series;
    const both = await inTransaction(pool, async (connection) => [
      await takeNumbers(connection, one, series, 2026, 7),
      await takeNumbers(connection, one, creditSeries, 2026, 1),
    ]);
    expect(both).toEqual([1n, 1n]);
    expect(await take(other, (await defaultOf(other)).series.invoice, 2026)).toBe(1n);
    await expect(take(one, series, 2026, 0)).rejects.toThrow(RangeError);
  });
});

describe("create-template", () => {
  test("has a series for each kind of document that a series numbers", async () => {
    const owner = await newOwner();
    const created = await createTemplate(
      contextOf(owner),
      draft({ creditPrefix: "EC-", debitPrefix: "ED-", estimatePrefix: "EE-" }),
    );
    const numbers = (template: Template) =>
      Object.values(DOCUMENT_KINDS).flatMap(({ series }) =>
        series === null ? [] : [writeNumber(template.series[series.name], 2026, 1n)],
      );
    expect(numbers(await defaultOf(owner))).toEqual([
      "INV-2627-00001",
      "INV-2627-00001",
      "INV-2627-00001",
      "CN-2627-00001",
      "FN-2627-00001",
      "DN-2627-00001",
      "EST-2627-00001",
      "EST-2627-00001",
    ]);
    expect(numbers(created)).toEqual([
      "EX-0001",
      "EX-0001",
      "EX-0001",
      "EC-0001",
      "FN-2627-00001",
      "ED-0001",
      "EE-0001",
      "EE-0001",
    ]);
  });

  test("keeps everything, the logo too", async () => {
    const owner = await newOwner();
    const logo = { mimeType: "image/svg+xml", bytes: svgOf("<path d='M0 0h9v9z'/>") } as const;
    const wanted = draft({
      creditPrefix: "EC-",
      debitPrefix: "ED-",
      estimatePrefix: "EE-",
      headerFields: [{ id: "1", name: "PO date", type: "date", value: "" }],
      defaultRows: [{ item: "चाय", sac_code: "0902", description: "", gst: "5.00", total_amount: "10.50" }],
      defaultTaxes: [{ name: 'Cess "x" {a,b}', percentage: "1.00", applicable_on: "10.50" }],
      company: { name: "Asha Exports", gstin: "29AAACI1234K1Z5" },
      terms: "One\nTwo",
      upiHandle: "asha@upi",
      logo,
    });
    const { prefix, width, yearly, creditPrefix, debitPrefix, estimatePrefix, makeDefault, logo: _, ...rest } = wanted;
    const created = await createTemplate(contextOf(owner), wanted);
    expect(created).toMatchObject({ ...rest, isDefault: makeDefault, logoType: "image/png" });
    expect(created.series.invoice).toMatchObject({ prefix, width, yearly });
    expect(created.series.credit_note).toMatchObject({ prefix: creditPrefix, width, yearly });
    expect(created.series.debit_note).toMatchObject({ prefix: debitPrefix, width, yearly });
    expect(created.series.estimate).toMatchObject({ prefix: estimatePrefix, width, yearly });
    expect(await findTemplate(pool, owner, created.templateId)).toEqual(created);
    const kept = (await findLogo(pool, owner, created.templateId))!;
    expect([kept.mimeType, pngSize(kept.bytes)]).toEqual(["image/png", { width: 1200, height: 400 }]);
    expect(await findLogo(pool, owner, (await defaultOf(owner)).templateId)).toBeNull();
  });

  test("shares the credit series of the default template, and can become the default", async () => {
    const owner = await newOwner();
    const before = await defaultOf(owner);
    const created = await createTemplate(contextOf(owner), draft({ makeDefault: true }));
    expect(created.series.credit_note).toEqual(before.series.credit_note);
    expect((await listTemplates(pool, owner)).map(({ name, isDefault }) => ({ name, isDefault }))).toEqual([
      { name: "Export", isDefault: true },
      { name: "Tax invoice", isDefault: false },
    ]);
  });

  test("of another merchant is not found", async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    const { templateId } = await defaultOf(owner);
    expect(await findTemplate(pool, other, templateId)).toBeNull();
    expect(await findLogo(pool, other, templateId)).toBeNull();
    expect(await listTemplates(pool, other)).toHaveLength(1);
  });

  test.each([
    { changes: { name: "Tax invoice" }, fields: ["name"] },
    { changes: { prefix: "inv-{FY}-" }, fields: ["prefix"] },
    { changes: { prefix: "INV-2627-" }, fields: ["prefix"] },
    { changes: { prefix: "CN-{FY}-", creditPrefix: "X-" }, fields: ["prefix"] },
    { changes: { name: "Tax invoice", creditPrefix: "INV-{FY}-" }, fields: ["name", "credit_prefix"] },
    { changes: { creditPrefix: "ex-" }, fields: ["credit_prefix"] },
    { changes: { creditPrefix: "DN-{FY}-" }, fields: ["debit_prefix"] },
    { changes: { debitPrefix: "cn-{FY}-" }, fields: ["debit_prefix"] },
    { changes: { prefix: "ABCDEFGHIJKLM-" }, fields: ["width"] },
  ])("refuses $changes", async ({ changes, fields }) => {
    const owner = await newOwner();
    const refusal: unknown = await createTemplate(contextOf(owner), draft(changes)).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "validation_failed", errors: fields.map((field) => ({ field })) });
    expect(await listTemplates(pool, owner)).toHaveLength(1);
  });

  test("ten at once with one prefix: one is created", async () => {
    const owner = await newOwner();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        createTemplate(contextOf(owner), draft({ name: `Export ${index}`, makeDefault: true })),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ errors: [{ field: "prefix" }] });
    }
    expect(await listTemplates(pool, owner)).toHaveLength(2);
  });

  test("ten defaults at once: the last one stays, alone", async () => {
    const owner = await newOwner();
    await Promise.all(
      ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"].map((letter) =>
        createTemplate(contextOf(owner), draft({ name: letter, prefix: `${letter}-`, makeDefault: true })),
      ),
    );
    const templates = await listTemplates(pool, owner);
    expect(templates.map((template) => template.isDefault)).toEqual([true, ...Array<boolean>(10).fill(false)]);
  });
});

describe("create-template under a key", () => {
  test("again answers with the same template; another one under the key is refused", async () => {
    const owner = await newOwner();
    const keyOf = (name: string) => readIdempotencyKey("form-0001", "template", { name });
    const create = (name: string) =>
      createTemplate({ ...contextOf(owner), idempotency: keyOf(name) }, draft({ name, prefix: "K-" }));
    const [one, twin] = await Promise.all([create("Export"), create("Export")]);
    expect(twin).toEqual(one);
    await expect(create("Import")).rejects.toMatchObject({ code: "idempotency_conflict" });
    expect(await listTemplates(pool, owner)).toHaveLength(2);
  });
});

describe("change-template", () => {
  const logo = { mimeType: "image/jpeg", bytes: JPEG } as const;
  const row = { item: "Tea", sac_code: "0902", description: "", gst: "5.00", total_amount: "10.50" };
  const tax = { name: "Cess", percentage: "1.00", applicable_on: "10.50" };

  async function changesOf({ merchantId }: MerchantKey): Promise<{ before: object; after: object }[]> {
    const { rows } = await pool.query<{ before: object; after: object }>(
      "select before, after from journal where merchant_id = $1 and type = 'template.changed' order by entry_no",
      [merchantId],
    );
    return rows;
  }

  test("changes what is given and nothing else, and the log says what", async () => {
    const owner = await newOwner();
    const before = await defaultOf(owner);
    const content = { defaultRows: [row], defaultTaxes: [tax], company: { name: "Asha Exports", gstin: null } };
    const changed = await change(before, { ...content, logo, terms: undefined });
    const expected = { ...before, ...content, company: { name: "Asha Exports" }, logoType: "image/png" };
    expect(changed).toEqual(expected);
    const further = { company: { city: "Pune" }, terms: "Pay.", upiHandle: "asha@upi", printsBankAccount: true };
    const company = { name: "Asha Exports", city: "Pune" };
    const after = { ...expected, ...further, company };
    expect(await change(before, further)).toEqual(after);
    expect(pngSize((await findLogo(pool, owner, before.templateId))!.bytes)).toEqual({ width: 32, height: 16 });
    const cleared = { company: { name: null, city: null }, upiHandle: null, logo: null, defaultRows: [] };
    const end = { ...after, company: {}, upiHandle: null, logoType: null, defaultRows: [] };
    expect(await change(before, cleared)).toEqual(end);
    expect(await findLogo(pool, owner, before.templateId)).toBeNull();
    const seen = (await changesOf(owner)).map(({ after: now }) => Object.keys(now).sort());
    expect(seen[0]).toEqual(["company", "default_rows", "default_taxes", "logo_hash", "logo_type"]);
    expect(seen[1]).toEqual(["company", "prints_bank_account", "terms", "upi_handle"]);
    expect(seen[2]).toEqual(["company", "default_rows", "logo_hash", "logo_type", "upi_handle"]);
  });

  test("a logo that can't be drawn is refused by its field, and changes nothing", async () => {
    const owner = await newOwner();
    const before = await defaultOf(owner);
    const hostile = { mimeType: "image/svg+xml", bytes: HOSTILE_SVGS["uses of uses"]! } as const;
    const refusal = { code: "validation_failed", errors: [{ field: "logo", code: "invalid" }] };
    const changed = change(before, { terms: "Pay.", logo: hostile });
    await expect(changed).rejects.toMatchObject(refusal);
    const created = createTemplate(contextOf(owner), draft({ logo: hostile }));
    await expect(created).rejects.toMatchObject(refusal);
    expect(await listTemplates(pool, owner)).toEqual([before]);
  });

  test("a header field keeps its id where it moves to, and a new one gets one of its own", async () => {
    const owner = await newOwner();
    const key = await defaultOf(owner);
    const field = (id: string | null, name: string) => ({ id, name, type: "text", value: "" }) as const;
    const idsAfter = async (...fields: ReturnType<typeof field>[]) =>
      (await change(key, { headerFields: fields })).headerFields.map(({ id, name }) => [id, name]);
    expect(await idsAfter(field("2", "Remarks"), field(null, "New"), field("2", "Twice"))).toEqual([
      ["2", "Remarks"],
      ["3", "New"],
      ["4", "Twice"],
    ]);
    expect(await idsAfter(field("77", "Unknown"), field("3", "New"))).toEqual([
      ["5", "Unknown"],
      ["3", "New"],
    ]);
    expect(await idsAfter()).toEqual([]);
  });

  test("what changes nothing leaves no entry in the log", async () => {
    const owner = await newOwner();
    const key = await defaultOf(owner);
    await change(key, { terms: "Pay.", logo });
    await change(key, { terms: "Pay.", logo });
    await makeDefaultTemplate({ pool, merchant: key }, key.templateId);
    expect(await changesOf(owner)).toHaveLength(1);
  });

  test("another merchant's template is not found, and a name that is taken is refused", async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    const { templateId } = await defaultOf(owner);
    const foreign = change({ ...other, templateId }, { terms: "Mine" });
    await expect(foreign).rejects.toMatchObject({ code: "template_not_found" });
    const further = await createTemplate(contextOf(owner), draft());
    const renamed = change(further, { name: "Tax invoice", terms: "Pay." });
    await expect(renamed).rejects.toMatchObject({ errors: [{ field: "name" }] });
    expect(await findTemplate(pool, owner, further.templateId)).toEqual(further);
  });
});
