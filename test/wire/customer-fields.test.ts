// Customers' groups and custom fields over real HTTP, and the columns that the command line defines. The others are in
// customers.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Customers } from "../support/customers.ts";
import { Installation, type Members } from "../support/installation.ts";
import { nodal, nodalJson } from "../support/nodal.ts";

let installation: Installation;
let customers: Customers;

beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

async function expectUnchanged(work: () => Promise<void>): Promise<void> {
  const before = await customers.stored();
  await work();
  expect(await customers.stored()).toEqual(before);
}

async function addColumn(name: string, type: string): Promise<string> {
  const options = ["--merchant", customers.merchant.id, "--name", name, "--type", type];
  const column = await nodalJson<Members>(installation.environment, "customer", "column", "add", ...options);
  return column["column_id"] as string;
}

describe("groups", () => {
  beforeAll(async () => {
    customers = await Customers.ofNewMerchant(installation);
  });

  test.each([
    ["one name", "Retail", ["Retail"]],
    ["names with commas", " Retail, wholesale ,, ALL, RETAIL", ["Retail", "wholesale"]],
    ["a list", ["Wholesale", "Gold", "gold", ""], ["wholesale", "Gold"]],
    ["nothing", "", []],
    ["an empty list", [], []],
  ])("takes %s", async (what, customer_group, groups) => {
    await customers.add({ customer_code: what, customer_name: what, customer_group });
    expect((await customers.stored()).at(-1)!["groups"]).toEqual(groups);
  });

  test("an update replaces them, or leaves them where it names none", async () => {
    const customer_id = await customers.add({ customer_code: "grouped", customer_name: "G", customer_group: "A,B" });
    const groups = async () => (await customers.stored()).at(-1)!["groups"];
    expect(await customers.update([{ customer_id, city: "Pune" }])).toBeSuccess("write");
    expect(await groups()).toEqual(["A", "B"]);
    expect(await customers.update([{ customer_id, customer_group: ["C", "b"] }])).toBeSuccess("write");
    expect(await groups()).toEqual(["C", "B"]);
    expect(await customers.update([{ customer_id, customer_group: "" }])).toBeSuccess("write");
    expect(await groups()).toEqual([]);
  });
});

describe("custom fields", () => {
  let ids: Record<string, string>;

  beforeAll(async () => {
    customers = await Customers.ofNewMerchant(installation);
    ids = {};
    for (const type of ["text", "textarea", "number", "date", "gst", "company_name", "email", "mobile"]) {
      ids[type] = await addColumn(`My ${type}`, type);
    }
  });

  test("the command line lists the columns, and refuses a second of the same name", async () => {
    const columns = await nodalJson<Members[]>(
      installation.environment,
      "customer",
      "column",
      "list",
      "--merchant",
      customers.merchant.id,
    );
    expect(columns.map((column) => column["column_id"])).toEqual(Object.values(ids));
    const again = ["--merchant", customers.merchant.id, "--name", "MY GST", "--type", "gst"];
    const { code, stderr } = await nodal(installation.environment, "customer", "column", "add", ...again);
    expect(code).toBe(1);
    expect(stderr).toContain("column named MY GST already");
    const wrong = await nodal(
      installation.environment,
      "customer",
      "column",
      "add",
      "--merchant",
      customers.merchant.id,
      "--type",
      "colour",
    );
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("--name");
    expect(wrong.stderr).toContain("--type");
  });

  const GOOD: [string, unknown, string][] = [
    ["text", " any text ", "any text"],
    ["textarea", "two\nlines", "two\nlines"],
    ["number", "-12.50", "-12.50"],
    ["number", 12.5, "12.5"],
    ["number", "", ""],
    ["date", "2024-02-29", "2024-02-29"],
    ["date", "1947-08-15", "1947-08-15"],
    ["gst", "33brspp2039t1zu", "33BRSPP2039T1ZU"],
    ["company_name", "Kumar & Søn", "Kumar & Søn"],
    ["email", "a@example.com", "a@example.com"],
    ["mobile", 9730946150, "9730946150"],
  ];
  test("take the values of their columns' types, under the columns' names", async () => {
    for (const [index, [type, value, kept]] of GOOD.entries()) {
      const custom_fields = [{ id: ids[type], name: "another name", type: "text", value }];
      await customers.add({ customer_code: `good ${index}`, customer_name: "G", custom_fields });
      expect((await customers.stored()).at(-1)!["custom_fields"]).toEqual([
        { id: ids[type], name: `My ${type}`, type, value: kept },
      ]);
    }
  });

  const BAD: [string, unknown][] = [
    ["text", "two\nlines"],
    ["number", "1,000"],
    ["number", "1e3"],
    ["date", "2023-02-29"],
    ["date", "15-08-1947"],
    ["gst", "33BRSPP2039T1Z"],
    ["email", "nobody"],
    ["mobile", "12345"],
  ];
  test("refuse other values, together with what else is wrong", async () => {
    await expectUnchanged(async () => {
      const batch = BAD.map(([type, value], index) => ({
        customer_code: `bad ${index}`,
        customer_name: "B",
        email: "no at sign",
        custom_fields: [
          { id: "unknown", value: "x" },
          { id: ids[type], value },
        ],
      }));
      const fields = BAD.flatMap((_, index) => [
        `customer[${index}].email invalid`,
        `customer[${index}].custom_fields[1].value invalid`,
      ]);
      expect(await customers.save(batch)).toBeFailure({ status: 400, code: "validation_failed", fields });
    });
  });

  test("of unknown ids stay as they come, those of another merchant's columns too", async () => {
    const other = await Customers.ofNewMerchant(installation);
    const custom_fields = [
      { id: ids["text"], name: "Mail", type: "email", value: "nothing like it" },
      { id: "free", name: "", type: "", value: "" },
      { id: "17", name: "GST Number", type: "gst", value: "" },
    ];
    await other.add({ customer_code: "c", customer_name: "C", custom_fields });
    expect((await other.stored())[0]!["custom_fields"]).toEqual(custom_fields);
  });

  test("of type gst are checked whatever their id, since they decide the state; a wrong check digit passes", async () => {
    const gst = (value: string) => [{ id: "17", name: "GST Number", type: "gst", value }];
    await customers.add({ customer_code: "gst", customer_name: "G", custom_fields: gst("33brspp2039t1zu") });
    expect((await customers.stored()).at(-1)!["custom_fields"]).toEqual(gst("33BRSPP2039T1ZU"));
    await expectUnchanged(async () => {
      const batch = [{ customer_code: "gst 2", customer_name: "G", custom_fields: gst("33BRSPP2039T1Z") }];
      const fields = ["customer[0].custom_fields[0].value invalid"];
      expect(await customers.save(batch)).toBeFailure({ status: 400, code: "validation_failed", fields });
    });
  });

  test("are changed one by one, and all cleared by an empty list", async () => {
    const before = [
      { id: "a", name: "A", type: "text", value: "1" },
      { id: "b", name: "B", type: "text", value: "2" },
    ];
    const customer_id = await customers.add({ customer_code: "merge", customer_name: "M", custom_fields: before });
    const kept = async () => (await customers.stored()).at(-1)!["custom_fields"];
    const changed = { id: "b", name: "B", type: "text", value: "" };
    const added = { id: "c", name: "", type: "", value: "3" };
    expect(await customers.update([{ customer_id, custom_fields: [added, changed] }])).toBeSuccess("write");
    expect(await kept()).toEqual([before[0], changed, added]);
    expect(await customers.update([{ customer_id, custom_fields: [] }])).toBeSuccess("write");
    expect(await kept()).toEqual([]);
  });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
