// Invoice numbers over real HTTP: the series', the merchant's own, financial years, and many saves at once.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installation, type Members } from "../support/installation.ts";
import { INVOICE_SAVE, Invoices, NO_NEW_CUSTOMER, numbered, PLAIN } from "../support/invoices.ts";
import { nodalJson, type Answer } from "../support/nodal.ts";

const FIELD = "custom_header_fields[0].value";

let installation: Installation;
let invoices: Invoices;

beforeAll(async () => {
  // Few connections, so that many saves at once have to share them.
  installation = await Installation.start({ DATABASE_POOL_SIZE: "6" });
  invoices = await Invoices.ofNewMerchant(installation);
});
afterAll(() => installation.stop());

function on(bill_date: string): Members {
  return { bill_date, due_date: bill_date };
}

function numbersOf(answers: readonly Answer[]): string[] {
  const saved = answers.filter(({ status }) => status === 200);
  return saved.flatMap(({ body }) => (body.srvrsp as Members[]).map((each) => each["invoice_number"] as string));
}

function series(prefix: string, count: number, width = 5): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1).padStart(width, "0")}`);
}

describe("a series", () => {
  test("begins anew on 1 April, and goes on in each year whatever the order of the dates", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const dates = ["2026-03-31", "2026-04-01", "2025-04-01", "2027-03-31", "2027-04-01", "2026-03-30", "2026-12-31"];
    const answer = await mine.save(dates.map((date) => ({ ...PLAIN, ...on(date) })));
    const expected = ["2526-00001", "2627-00001", "2526-00002", "2627-00002", "2728-00001", "2526-00003", "2627-00003"];
    expect(numbersOf([answer])).toEqual(expected.map((number) => `INV-${number}`));
    expect(await mine.add(on("2000-01-01"))).toMatchObject({ invoice_number: "INV-9900-00001" });
    expect(await mine.add(on("2099-04-01"))).toMatchObject({ invoice_number: "INV-9900-00001" });
  });

  test("is the template's that the request names", async () => {
    const create = ["template", "create", "--merchant", invoices.merchant.id, "--name"];
    const made = await nodalJson<{ template_id: string }>(
      installation.environment,
      ...create,
      "Export",
      "--prefix",
      "EX/",
      "--width",
      "3",
      "--no-yearly",
    );
    const save = (invoice: Members[], template_id: unknown = made.template_id) =>
      invoices.ask(INVOICE_SAVE, { template_id, invoice });
    const dates = [on("2026-03-31"), on("2026-04-01")].map((dated) => ({ ...PLAIN, ...dated }));
    const answers = [await save(dates), await save(dates, Number(made.template_id)), await save(dates, "")];
    const own = ["EX/001", "EX/002", "EX/003", "EX/004"];
    expect(numbersOf(answers)).toEqual([...own, "INV-2526-00001", "INV-2627-00001"]);
  });

  test("gives no number to a save that is refused", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    await mine.add();
    const refused = await mine.save([PLAIN, PLAIN, { ...PLAIN, ...numbered("INV-2627-00009") }]);
    expect(refused).toMatchObject({ status: 409 });
    expect(await mine.add()).toMatchObject({ invoice_number: "INV-2627-00002" });
  });

  test("that meets a number given by hand before there was the series says which invoice it is for", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    await mine.add(numbered("OLD-2"));
    const create = ["template", "create", "--merchant", mine.merchant.id, "--name", "Old", "--prefix", "OLD-"];
    const { template_id } = await nodalJson<{ template_id: string }>(
      installation.environment,
      ...create,
      "--width",
      "1",
    );
    const before = await mine.stored();
    const answer = await mine.ask(INVOICE_SAVE, { template_id, invoice: [PLAIN, PLAIN] });
    const fields = ["invoice[1] invoice_number_exists"];
    expect(answer).toBeFailure({ status: 409, code: "invoice_number_exists", fields });
    expect(await mine.stored()).toEqual(before);
  });
});

describe("a number of one's own", () => {
  test.each([["Invoice no"], ["Invoice No."], ["invoice number"], ["Bill No"], ["INVOICE NO "], ["Tax invoice no"]])(
    "in the field %j is the invoice's, and leaves the series alone",
    async (name) => {
      const mine = await Invoices.ofNewMerchant(installation);
      const field = { id: "9", name, type: "text", value: " A-1/x " };
      expect(await mine.add({ custom_header_fields: [field] })).toMatchObject({ invoice_number: "A-1/x" });
      expect(await mine.add()).toMatchObject({ invoice_number: "INV-2627-00001" });
    },
  );

  test("is none where the field is empty, or is about something else", async () => {
    expect(await invoices.add(numbered(""))).toMatchObject({
      invoice_number: expect.stringMatching(/^INV-/) as unknown,
    });
    const custom_header_fields = [{ id: "1", name: "Invoice note", value: "A-2" }];
    expect(await invoices.add({ custom_header_fields })).toMatchObject({
      invoice_number: expect.stringMatching(/^INV-/) as unknown,
    });
    const asNumber = [{ id: 9, name: "Invoice no", value: 4711 }];
    expect(await invoices.add({ custom_header_fields: asNumber })).toMatchObject({ invoice_number: "4711" });
  });

  test("is taken once in a financial year, and free in another", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const first = { ...numbered("A-7"), ...on("2026-04-01") };
    await mine.add(first);
    await mine.add({ ...first, ...on("2026-03-31") });
    const before = await mine.stored();
    const again = await mine.save([PLAIN, { ...PLAIN, ...first, ...on("2027-03-31") }]);
    const refusal = { status: 409, code: "invoice_number_exists" };
    expect(again).toBeFailure({ ...refusal, fields: [`invoice[1].${FIELD} invoice_number_exists`] });
    const twice = [numbered("B-1"), numbered("B-2"), numbered("B-1")].map((own) => ({ ...PLAIN, ...own }));
    const fields = [`invoice[2].${FIELD} invoice_number_exists`];
    expect(await mine.save(twice)).toBeFailure({ ...refusal, fields });
    expect(await mine.stored()).toEqual(before);
    const other = await Invoices.ofNewMerchant(installation);
    expect(await other.add(first)).toMatchObject({ invoice_number: "A-7" });
  });

  test("that differs from another by its case alone is the same number", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const { invoice_id } = await mine.add(numbered("Ab-1"));
    await mine.add(numbered("Ab-2"));
    const refusal = { status: 409, code: "invoice_number_exists" };
    const fields = [`invoice[0].${FIELD} invoice_number_exists`];
    for (const value of ["Ab-1", "AB-1", "ab-1"]) {
      expect(await mine.unmoved(() => mine.save([{ ...PLAIN, ...numbered(value) }])), value).toBeFailure({
        ...refusal,
        fields,
      });
    }
    const twins = [numbered("c-1"), numbered("C-1")].map((own) => ({ ...PLAIN, ...own }));
    const second = [`invoice[1].${FIELD} invoice_number_exists`];
    expect(await mine.unmoved(() => mine.save(twins))).toBeFailure({ ...refusal, fields: second });
    const other = [`invoice.${FIELD} invoice_number_exists`];
    const change = () => mine.update(invoice_id, numbered("aB-2"));
    expect(await mine.unmoved(change)).toBeFailure({ ...refusal, fields: other });
    expect((await mine.update(invoice_id, numbered("AB-1"))).body.srvrsp).toMatchObject({ invoice_number: "AB-1" });
  });

  test("in many spellings is given to one of many saves at once", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const spellings = ["wanted", "WANTED", "Wanted", "wAnTeD"];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => mine.save([{ ...PLAIN, ...numbered(spellings[index % 4]!) }])),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    const failures = answers.filter(({ status }) => status !== 200);
    for (const answer of failures) {
      const fields = [`invoice[0].${FIELD} invoice_number_exists`];
      expect(answer).toBeFailure({ status: 409, code: "invoice_number_exists", fields });
    }
  });

  test("of 16 characters is taken, of 17 or with others is not", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    for (const value of ["A234567890123456", "a", "0", "-/-", "2026/1-a"]) {
      expect(await mine.add(numbered(value))).toMatchObject({ invoice_number: value });
    }
    const fields = [`invoice[0].${FIELD} invalid`];
    for (const value of ["A2345678901234567", "A 1", "A_1", "A#1", "बिल-1", "A–1", "A.1", "A\\1", "'--"]) {
      const answer = await mine.save([{ ...PLAIN, ...numbered(value) }]);
      expect(answer, value).toBeFailure({ status: 400, code: "validation_failed", fields });
    }
  });

  test("that the series could write is refused, in either case, but not one of another year", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const fields = [`invoice[0].${FIELD} invoice_number_reserved`];
    for (const value of ["INV-2627-00001", "INV-2627-99999", "INV-2627-7", "inv-2627-00002", "CN-2627-00001"]) {
      const answer = await mine.save([{ ...PLAIN, ...numbered(value) }]);
      expect(answer, value).toBeFailure({ status: 409, code: "invoice_number_reserved", fields });
    }
    for (const value of ["INV-2526-00001", "INV-2627-A", "INV-2627-", "INV-00001", "XINV-2627-00001"]) {
      expect(await mine.add(numbered(value))).toMatchObject({ invoice_number: value });
    }
  });

  test("is given to one of many saves that want it at once", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const save = (index: number) => {
      const wanted = { ...PLAIN, ...numbered("WANTED") };
      return mine.save(index % 2 === 0 ? [wanted] : [PLAIN, wanted, { ...PLAIN, ...numbered(`OWN-${index}`) }]);
    };
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => save(index)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 200) continue;
      const fields = [`invoice[${index % 2}].${FIELD} invoice_number_exists`];
      expect(answer).toBeFailure({ status: 409, code: "invoice_number_exists", fields });
    }
  });

  test("given by batches in opposite orders meets the others' without an error of the server", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const batch = Array.from({ length: 40 }, (_, index) => ({ ...PLAIN, ...numbered(`D-${index}`) }));
    const orders = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? batch : batch.toReversed()));
    const answers = await Promise.all(orders.map((order) => mine.save(order)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 11 }, () => 409),
    ]);
  });
});

describe("many saves at once", () => {
  test("50 get consecutive numbers, also when some fail and some are batches", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const requests = Array.from({ length: 50 }, (_, index) => {
      if (index % 5 === 1) return [PLAIN, { ...PLAIN, customer_code: "nobody" }];
      if (index % 5 === 2) return [PLAIN, { ...PLAIN, ...numbered("INV-2627-1") }, PLAIN];
      if (index % 5 === 3) return [PLAIN, { ...PLAIN, ...numbered(`OWN-${index}`) }, PLAIN, PLAIN];
      return [PLAIN];
    });
    const answers = await Promise.all(requests.map((request) => mine.save(request)));
    const expected = requests.map((_, index) => (index % 5 === 1 ? 404 : index % 5 === 2 ? 409 : 200));
    expect(answers.map(({ status }) => status)).toEqual(expected);
    const given = numbersOf(answers).filter((number) => !number.startsWith("OWN-"));
    expect(given.toSorted()).toEqual(series("INV-2627-", 50));
    expect(await mine.add()).toMatchObject({ invoice_number: "INV-2627-00051" });
  });

  test("in two financial years and with new customers, batches too large for one block of ids go through", async () => {
    const mine = await Invoices.ofNewMerchant(installation);
    const requests = Array.from({ length: 30 }, (_, request) =>
      Array.from({ length: 90 }, (__, index) => {
        const dates = on((request + index) % 2 === 0 ? "2026-03-31" : "2026-04-01");
        const fresh = { ...NO_NEW_CUSTOMER, customer_code: `N${request}`, customer_name: "New" };
        return { ...PLAIN, ...dates, ...(index === 50 ? { new_customer: fresh } : {}) };
      }),
    );
    const answers = await Promise.all(requests.map((request) => mine.save(request)));
    expect(answers.map(({ status }) => status)).toEqual(requests.map(() => 200));
    const expected = [...series("INV-2526-", 1350), ...series("INV-2627-", 1350)];
    expect(numbersOf(answers).toSorted()).toEqual(expected);
  });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
