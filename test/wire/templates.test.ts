// `nodal template` as an operator has it, and the default template of every merchant, however it was made. Numbers and
// concurrency are tested beside the store.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOSTILE_SVGS, pngOf } from "../support/pictures.ts";
import { Installation, type Members } from "../support/installation.ts";
import { nodal, nodalJson, NodalProcess, removeDataDir } from "../support/nodal.ts";
import { makePreparedDataDir } from "../support/prepared-data.ts";

const DEFAULT = {
  name: "Tax invoice",
  default: true,
  series: { series_id: expect.stringMatching(/^[0-9]+$/) as unknown, prefix: "INV-{FY}-", width: 5, yearly: true },
  credit_series: {
    series_id: expect.stringMatching(/^[0-9]+$/) as unknown,
    prefix: "CN-{FY}-",
    width: 5,
    yearly: true,
  },
  header_fields: [
    { id: "1", name: "PO number", type: "text", value: "" },
    { id: "2", name: "Notes", type: "textarea", value: "" },
  ],
  default_rows: [],
  default_taxes: [],
  company: {},
  terms: "",
  signatory: "",
  accent_colour: "#1f5fae",
  upi_handle: null,
  prints_bank_account: false,
  logo_type: null,
};

let installation: Installation;
let folder: string;

beforeAll(async () => {
  installation = await Installation.shared();
  folder = await mkdtemp(join(tmpdir(), "nodal-templates-"));
});
afterAll(async () => {
  await installation.stop();
  await rm(folder, { recursive: true });
});

function template<T = Members>(...args: string[]): Promise<T> {
  return nodalJson<T>(installation.environment, "template", ...args);
}

async function newMerchant(): Promise<{ merchant_id: string; template_id: string }> {
  return nodalJson(installation.environment, "merchant", "create", "--name", "Asha", "--email", "asha@example.com");
}

/** Writes a file and returns its path. */
async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function refusal(...args: string[]): Promise<{ code: number; lines: string[] }> {
  const { code, stdout, stderr } = await nodal(installation.environment, "template", ...args, "--json");
  expect(stdout).toBe("");
  expect(stderr).not.toMatch(/\n\s+at /);
  return { code, lines: (JSON.parse(stderr) as { error: string }).error.split("\n") };
}

describe("the default template", () => {
  test("of a created merchant, whose id `merchant create` prints", async () => {
    const { merchant_id: id, template_id } = await newMerchant();
    expect(await template<Members[]>("list", "--merchant", id)).toEqual([
      { ...DEFAULT, template_id, created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as unknown },
    ]);
  });

  test("of seeded merchants", async () => {
    const seed = ["seed", "--merchants", "3", "--fund", "1"];
    const seeded = await nodalJson<{ merchant_id: string }[]>(installation.environment, ...seed);
    const ids = new Set<unknown>();
    for (const { merchant_id } of seeded) {
      const shown = await template("show", "--merchant", merchant_id);
      expect(shown).toMatchObject(DEFAULT);
      ids.add(shown["template_id"]);
    }
    expect(ids.size).toBe(3);
  });

  test("of the demo, which a first start makes in a database of the server's own", async () => {
    const environment = { DATA_DIR: await makePreparedDataDir() };
    const server = await NodalProcess.start(environment);
    try {
      const list = () => nodalJson<{ merchant_id: string; name: string }[]>(environment, "merchant", "list");
      // It is made once the server listens.
      await expect.poll(list).toMatchObject([{ name: "Demo Traders" }]);
      const all = await list();
      const show = ["template", "show", "--merchant", all[0]!.merchant_id];
      expect(await nodalJson<Members>(environment, ...show)).toMatchObject(DEFAULT);
    } finally {
      await server.stop();
      await removeDataDir(environment.DATA_DIR);
    }
  });
});

describe("nodal template", () => {
  test("create, list and show", async () => {
    const { merchant_id: id, template_id: first } = await newMerchant();
    const row = { item: "Tea", sac_code: "0902", description: "Assam", gst: 5, total_amount: "10.5" };
    const tax = { name: "Cess", percentage: "1", applicable_on: 10.5 };
    const logo = await file(
      "logo.svg",
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>',
    );
    const rows = await file("rows.json", JSON.stringify([row]));
    const taxes = await file("taxes.json", JSON.stringify([tax]));
    const numbering = ["--prefix", "EX/{FY}/", "--width", "4", "--no-yearly", "--credit-prefix", "EC/"];
    const look = ["--colour", "#AA0055", "--logo", logo, "--terms", "Pay soon.\nThank you.", "--signatory", "Asha Rao"];
    const beginning = [
      "--default-rows",
      rows,
      "--default-taxes",
      taxes,
      "--default",
      "--upi",
      "asha@upi",
      "--print-bank-account",
    ];
    const header = ["--header-field", "Ref: yours:text", "--header-field", "Shipped on:date"];
    const company = ["--company-name", "Asha Exports", "--company-gstin", "29aaaci1234k1z5"];
    const options = [...numbering, ...look, ...beginning, ...header, ...company];
    const created = await template("create", "--merchant", id, "--name", "Export", ...options);
    const { template_id } = created;
    expect(created).toMatchObject({
      name: "Export",
      default: true,
      series: { prefix: "EX/{FY}/", width: 4, yearly: false },
      credit_series: { prefix: "EC/", width: 4, yearly: false },
      header_fields: [
        { id: "1", name: "Ref: yours", type: "text", value: "" },
        { id: "2", name: "Shipped on", type: "date", value: "" },
      ],
      default_rows: [{ ...row, gst: "5.00", total_amount: "10.50" }],
      default_taxes: [{ ...tax, percentage: "1.00", applicable_on: "10.50" }],
      company: { name: "Asha Exports", gstin: "29AAACI1234K1Z5" },
      terms: "Pay soon.\nThank you.",
      signatory: "Asha Rao",
      accent_colour: "#aa0055",
      upi_handle: "asha@upi",
      prints_bank_account: true,
      logo_type: "image/png",
    });
    const list = await template<Members[]>("list", "--merchant", id);
    expect(list.map((item) => [item["template_id"], item["default"]])).toEqual([
      [template_id, true],
      [first, false],
    ]);
    expect(await template("show", "--merchant", id, "--template", first)).toMatchObject({ ...DEFAULT, default: false });
    const { sample_request: sample, ...shown } = await template("show", "--merchant", id);
    expect(shown).toEqual(created);
    expect(sample).toMatchObject({
      access_key_id: "",
      secret_access_key: "",
      template_id,
      invoice: [
        {
          customer_code: "",
          custom_header_fields: created["header_fields"],
          particular_rows: created["default_rows"],
          tax_rows: created["default_taxes"],
        },
      ],
    });
  });

  test("for people", async () => {
    const { merchant_id: id } = await newMerchant();
    const show = await nodal(installation.environment, "template", "show", "--merchant", id);
    expect(show).toMatchObject({ code: 0, stdout: expect.stringContaining('"particular_rows"') as unknown });
    const list = await nodal(installation.environment, "template", "list", "--merchant", id);
    expect(list.stdout).toMatch(
      /^template_id .*\n[0-9]+ +Tax invoice +yes +INV-\{FY\}- +5 +yes +CN-\{FY\}- +DN-\{FY\}-\n$/,
    );
    const help = await nodal(installation.environment, "template", "create", "--help");
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("Example:") as unknown });
  });

  test("show of another merchant's template, and of none", async () => {
    const [one, other] = [await newMerchant(), await newMerchant()];
    for (const id of [other.template_id, "1"]) {
      const { code, lines } = await refusal("show", "--merchant", one.merchant_id, "--template", id);
      expect({ code, lines }).toEqual({ code: 1, lines: [expect.stringContaining("nodal template list")] });
    }
    expect((await refusal("list", "--merchant", "99")).lines).toEqual([expect.stringContaining("no merchant 99")]);
  });
});

describe("what is refused, by flag", () => {
  const base = ["--name", "Export", "--prefix", "EX-"];
  let id: string;
  beforeAll(async () => {
    ({ merchant_id: id } = await newMerchant());
  });

  test.each([
    { args: ["--name", "Export"], flags: ["--prefix"] },
    { args: ["--prefix", "EX-"], flags: ["--name"] },
    { args: ["--name", "Export", "--prefix", "EX1"], flags: ["--prefix"] },
    { args: ["--name", "Export", "--prefix", "EX-{FY}"], flags: ["--prefix"] },
    { args: ["--name", "Export", "--prefix", "EX EX-"], flags: ["--prefix"] },
    { args: ["--name", "Export", "--prefix", "INV-{FY}-"], flags: ["--prefix"] },
    {
      args: ["--name", "Tax invoice", "--prefix", "EX-", "--credit-prefix", "inv-{FY}-"],
      flags: ["--name", "--credit-prefix"],
    },
    { args: [...base, "--width", "0"], flags: ["--width"] },
    { args: ["--name", "Export", "--prefix", "EXPORTS-{FY}/", "--width", "5"], flags: ["--width"] },
    { args: [...base, "--credit-prefix", "EX-"], flags: ["--credit-prefix"] },
    { args: [...base, "--upi", "asha", "--colour", "red"], flags: ["--colour", "--upi"] },
    { args: [...base, "--header-field", "A:text", "--header-field", "B:money"], flags: ["--header-field[1].type"] },
    { args: [...base, "--header-field", "A"], flags: ["--header-field"] },
    { args: [...base, "--logo", "/nowhere.png"], flags: ["--logo"] },
    { args: [...base, "--logo", "/"], flags: ["--logo"] },
    { args: [...base, "--default-rows", "package.json"], flags: ["--default-rows"] },
    { args: [...base, "--default-taxes", "README.md"], flags: ["--default-taxes"] },
    {
      args: [...base, "--company-gstin", "1", "--company-zipcode", "x"],
      flags: ["--company-zipcode", "--company-gstin"],
    },
  ])("$args", async ({ args, flags }) => {
    const { code, lines } = await refusal("create", "--merchant", id, ...args);
    expect({ code, flags: lines.map((line) => line.split(" ")[0]) }).toEqual({ code: 2, flags });
  });

  test("files that hold something else", async () => {
    const create = (...args: string[]) => refusal("create", "--merchant", id, ...base, ...args);
    const script = await file("script.svg", "<svg><script>alert(1)</script></svg>");
    expect((await create("--logo", script)).lines).toEqual([
      expect.stringMatching(/^--logo must be an SVG without scripts/),
    ]);
    const large = await file("large.png", Buffer.alloc(200 * 1024 + 1));
    expect((await create("--logo", large)).lines).toEqual([expect.stringMatching(/^--logo must be .*200 KiB/)]);
    const huge = await file("huge.png", pngOf(30_000, 30_000, Buffer.alloc(1000)));
    expect((await create("--logo", huge)).lines).toEqual([
      expect.stringMatching(/^--logo must be at most 3000 × 3000 pixels; it has 30000 × 30000/),
    ]);
    const crafted = await file("crafted.svg", HOSTILE_SVGS["uses of uses"]!);
    expect((await create("--logo", crafted)).lines).toEqual([expect.stringMatching(/^--logo must be .*PNG\.$/)]);
    const named = await file("named.png", "no image");
    expect((await create("--logo", named)).lines).toEqual([
      expect.stringMatching(/^--logo must be a PNG, JPEG or SVG/),
    ]);
    const rows = await file("bad.json", JSON.stringify([{ item: "Tea", gst: "101", total_amount: "-1" }]));
    expect((await create("--default-rows", rows)).lines).toEqual([
      expect.stringMatching(/^--default-rows\[0\]\.gst must/),
      expect.stringMatching(/^--default-rows\[0\]\.total_amount must/),
    ]);
  });

  test("after all that, nothing was created", async () => {
    expect(await template<Members[]>("list", "--merchant", id)).toHaveLength(1);
  });
});
