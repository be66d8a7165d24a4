// The catalogue by API: docs/rules/items.md
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { countLockWaits } from "../support/held-rows.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { nodal, TEST_MASTER_KEY } from "../support/nodal.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

const PEN = {
  item_code: "PEN-01",
  name: "Ball pen",
  description: "Blue, 0.7 mm",
  sac_code: "9608",
  unit: "NOS",
  unit_price: "10.00",
  price_includes_tax: "0",
  gst: "18",
  cess_percentage: "0",
  tax_treatment: "taxable",
};
const CSV = { "content-type": "text/csv" };

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;
let call: Raw;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  [merchant, owner, call] = await newOwner();
});
afterAll(() => site?.stop());

async function newOwner(): Promise<[TestMerchant, Browser, Raw]> {
  const own = await site.newMerchant();
  const browser = await Browser.signIn(site, await newPerson(site, own.id));
  return [own, browser, rawOf(site, browser)];
}

async function create(members: object = {}): Promise<Record<string, string>> {
  const { status, body } = await call("POST", "/items", { ...PEN, ...members });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.item;
}
const codes = async (query = ""): Promise<string[]> => {
  const { status, body } = await call("GET", `/items${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.items.map(({ item_code }: { item_code: string }) => item_code);
};
const fields = (answer: { body: { error: { fields: { path: string; code: string }[] } } }): string[] =>
  answer.body.error.fields.map(({ path, code }) => `${path} ${code}`);
const events = async (): Promise<string[]> => {
  const { body } = await call("GET", "/audit");
  const types: string[] = body.entries.map(({ type }: { type: string }) => type);
  return types.filter((type) => type.startsWith("item.")).toReversed();
};

describe("an item", () => {
  test("is created, read, changed, archived and restored, and the audit log says so", async () => {
    const item = await create();
    expect(item).toMatchObject({ ...PEN, archived_at: null });
    const at = `/items/${item["item_id"]!}`;
    expect((await call("GET", at)).body.item).toEqual(item);
    const { status, body } = await call("PUT", at, { unit_price: "12.50", description: "" });
    expect([status, body.item]).toEqual([
      200,
      { ...item, unit_price: "12.50", description: "", updated_at: expect.any(String) },
    ]);
    const archived = await call("POST", `${at}/archive`);
    expect(archived.body.item.archived_at).toMatch(/^20/);
    expect([await codes(), await codes("?archived=1")]).toEqual([[], ["PEN-01"]]);
    await call("POST", `${at}/archive`);
    expect((await call("POST", `${at}/restore`)).body.item.archived_at).toBeNull();
    expect([await codes(), await codes("?archived=1")]).toEqual([["PEN-01"], []]);
    expect(await events()).toEqual(["item.created", "item.changed", "item.archived", "item.restored"]);
  });

  test("can be sent back as it was read, and then nothing changes", async () => {
    const item = await create({ unit: "nos", gst: 18, tax_treatment: undefined });
    const { item_id, archived_at: _a, created_at: _c, updated_at: _u, ...members } = item;
    const again = await call("PUT", `/items/${item_id!}`, members);
    expect([again.status, again.body]).toEqual([200, { item }]);
    expect(await events()).toEqual(["item.created"]);
  });

  test("needs a code and a name; everything else has a value without them", async () => {
    const none = await call("POST", "/items", {});
    expect([none.status, fields(none)]).toEqual([400, ["item_code required", "name required"]]);
    const { body } = await call("POST", "/items", { item_code: 7, name: "Visit" });
    expect(body.item).toMatchObject({ item_code: "7", unit: "", unit_price: "", gst: "0", tax_treatment: "taxable" });
  });

  test.each([
    ["an unknown unit", { unit: "KG" }, "unit not_allowed", "KGS (kilograms)"],
    ["a rate that does not exist", { gst: "17" }, "gst not_allowed", "rate of GST that exists"],
    ["GST on an exempt item", { tax_treatment: "exempt" }, "gst not_allowed", "tax_treatment is exempt"],
    [
      "cess on a nil-rated item",
      { tax_treatment: "nil", gst: "0", cess_percentage: "1" },
      "cess_percentage not_allowed",
      "tax_treatment is nil",
    ],
    [
      "tax in no price",
      { unit_price: "", price_includes_tax: "1" },
      "unit_price required",
      "where price_includes_tax is 1",
    ],
    ["a negative price", { unit_price: "-1" }, "unit_price invalid", "amount in rupees"],
    ["an HSN of letters", { sac_code: "96A8" }, "sac_code invalid", "HSN or SAC code"],
    ["an unknown treatment", { tax_treatment: "free" }, "tax_treatment not_allowed", "taxable, nil, exempt, non_gst"],
    ["a long code", { item_code: "x".repeat(46) }, "item_code too_long", "45"],
  ])("with %s is refused with the field and the remedy, and nothing is saved", async (_, members, field, remedy) => {
    const refused = await call("POST", "/items", { ...PEN, ...members });
    expect([refused.status, fields(refused)]).toEqual([400, [field]]);
    expect(refused.body.error.fields[0].message).toContain(remedy);
    const item = await create({ item_code: "OTHER" });
    const changed = await call("PUT", `/items/${item["item_id"]!}`, members);
    expect([changed.status, fields(changed)]).toEqual([400, [field]]);
    expect((await call("GET", `/items/${item["item_id"]!}`)).body.item).toEqual(item);
    expect(await codes()).toEqual(["OTHER"]);
  });

  test("has a code of its own, in any case of letters", async () => {
    const pen = await create();
    const pencil = await create({ item_code: "Bleistift-Ä" });
    for (const item_code of ["PEN-01", "pen-01", "Pen-01"]) {
      const taken = await call("POST", "/items", { ...PEN, item_code });
      expect([taken.status, taken.body.error.code, fields(taken)]).toEqual([
        409,
        "item_code_exists",
        ["item_code item_code_exists"],
      ]);
    }
    const other = await call("PUT", `/items/${pencil["item_id"]!}`, { item_code: "pen-01" });
    expect([other.status, other.body.error.code]).toEqual([409, "item_code_exists"]);
    const recased = await call("PUT", `/items/${pen["item_id"]!}`, { item_code: "pen-01" });
    expect(recased.body.item.item_code).toBe("pen-01");
  });

  test("of many at once with one code is created once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        call("POST", "/items", { ...PEN, item_code: index % 2 ? "pen-01" : "PEN-01" }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 409),
    ]);
    expect(await codes()).toHaveLength(1);
  });

  test("is created once under one Idempotency-Key", async () => {
    const key = { "idempotency-key": "item-1" };
    const [one, other] = [await call("POST", "/items", PEN, key), await call("POST", "/items", PEN, key)];
    expect([one.status, other.status, other.body]).toEqual([200, 200, one.body]);
    expect(other.headers.get("idempotent-replayed")).toBe("true");
  });

  test("of another merchant is not found, and its code is free", async () => {
    const item = await create();
    [merchant, owner, call] = await newOwner();
    const at = `/items/${item["item_id"]!}`;
    for (const [method, path, body] of [
      ["GET", at, undefined],
      ["PUT", at, { name: "Mine" }],
      ["POST", `${at}/archive`, undefined],
      ["POST", `${at}/restore`, undefined],
    ] as const) {
      const { status, body: answer } = await call(method, path, body);
      expect([status, answer.error.code]).toEqual([404, "item_not_found"]);
    }
    expect(await codes()).toEqual([]);
    await create();
    expect(await codes()).toEqual(["PEN-01"]);
  });

  test("is managed only with the permission for it", async () => {
    const viewer = rawOf(site, await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer")));
    const item = await create();
    expect((await viewer("GET", "/items")).body.items).toHaveLength(1);
    expect((await viewer("POST", "/items", PEN)).status).toBe(403);
    expect((await viewer("PUT", `/items/${item["item_id"]!}`, { name: "x" })).status).toBe(403);
    expect((await viewer("POST", "/items/batch", { item: [PEN] })).status).toBe(403);
    const accountant = rawOf(site, await Browser.signIn(site, await newPerson(site, merchant.id, "Accountant")));
    expect((await accountant("PUT", `/items/${item["item_id"]!}`, { name: "Pen" })).status).toBe(200);
  });
});

describe("the list", () => {
  test("is in the order of codes, page by page, and is searched by code, name and HSN", async () => {
    const wanted = ["A-1", "b-2", "C-3", "d-4", "ए-5"];
    for (const item_code of wanted.toReversed()) await create({ item_code, name: `Thing ${item_code}` });
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page = await call("GET", `/items?limit=2${after === null ? "" : `&after=${encodeURIComponent(after)}`}`);
      seen.push(...page.body.items.map(({ item_code }: { item_code: string }) => item_code));
      after = page.body.next;
    } while (after !== null);
    expect(seen).toEqual(wanted);
    await create({ item_code: "PEN", name: "Fountain Pen", sac_code: "960830" });
    expect(await codes("?search=fountain")).toEqual(["PEN"]);
    expect(await codes("?search=96083")).toEqual(["PEN"]);
    expect(await codes("?search=B-")).toEqual(["b-2"]);
    expect(await codes("?search=%25")).toEqual([]);
    expect((await call("GET", "/items?serach=x")).status).toBe(400);
  });
});

type Preview = {
  lines: number;
  good: { line: number; outcome: string; item: object }[];
  bad_lines: number;
  errors: { line: number; field: string; message: string }[];
  ignored: string[];
};
const preview = async (text: string): Promise<Preview> => {
  const { status, body } = await owner.post("/item-files/preview", Buffer.from(text), CSV);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const exported = async (): Promise<string> => String((await call("GET", "/items.csv")).body);

describe("files", () => {
  test("an export that is imported changes nothing", async () => {
    await create({
      item_code: "0042",
      name: '=HYPERLINK("http://x")',
      description: 'say "hi", + more',
      unit_price: "1590.00",
    });
    await create({ item_code: "-7", name: "मसाला चाय", unit_price: "", tax_treatment: "exempt", gst: "0" });
    await create({ item_code: "@x", price_includes_tax: "1", cess_percentage: "12.5", gst: "0.25" });
    const file = await exported();
    // A spreadsheet runs no cell of it.
    expect(file).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(file).not.toMatch(/(^|,)"?[=+@-]/m);
    const { good, errors, ignored } = await preview(file);
    expect([errors, ignored]).toEqual([[], []]);
    expect(good.map(({ outcome }) => outcome)).toEqual(["unchanged", "unchanged", "unchanged"]);
    const saved = await call("POST", "/items/batch", { item: good.map(({ item }) => item) });
    expect(saved.body).toEqual({ created: 0, changed: 0, unchanged: 3 });
    expect(await exported()).toBe(file);
    expect(await events()).toEqual(["item.created", "item.created", "item.created"]);
  });

  test("add and change items by their codes; columns that a file does not have stay as they are", async () => {
    const pen = await create();
    const { good, errors } = await preview('Code,Unit Price,Name\npen-01,"1,234.50",Ball pen\nNEW,5,New thing\n');
    expect(errors).toEqual([]);
    expect(good.map(({ line, outcome }) => [line, outcome])).toEqual([
      [2, "changed"],
      [3, "new"],
    ]);
    const body = { item: good.map(({ item }) => item) };
    expect((await call("POST", "/items/batch", body)).body).toEqual({ created: 1, changed: 1, unchanged: 0 });
    const changed = (await call("GET", `/items/${pen["item_id"]!}`)).body.item;
    expect(changed).toEqual({ ...pen, item_code: "pen-01", unit_price: "1234.50", updated_at: expect.any(String) });
    expect((await call("POST", "/items/batch", body)).body).toEqual({ created: 0, changed: 0, unchanged: 2 });
  });

  test("name each error by line, and nothing is saved", async () => {
    const item = await create({ item_code: "OLD" });
    await call("POST", `/items/${item["item_id"]!}/archive`);
    const { lines, good, bad_lines, errors } = await preview(
      [
        "item_code,name,unit,gst,tax_treatment,colour",
        "A,Apple,KGS,5,,red",
        ",Nameless,,,,",
        "B,,,,,",
        "C,Cup,CUP,17,,",
        "a,Apple again,,,,",
        "D,Dal,KGS,5,exempt,",
        "OLD,Changed,,,,",
      ].join("\n"),
    );
    expect([lines, good.map(({ line }) => line), bad_lines]).toEqual([7, [2], 6]);
    expect(errors.map(({ line, field }) => `${line} ${field}`)).toEqual([
      "3 item_code",
      "4 name",
      "5 unit",
      "6 item_code",
      "7 gst",
      "8 item_code",
    ]);
    expect(errors[3]!.message).toContain("line 2");
    expect(errors[5]!.message).toContain("archived");
    const refused = await call("POST", "/items/batch", {
      item: [{ item_code: "A", name: "Apple" }, { item_code: "B" }, { item_code: "a", name: "Apple" }],
    });
    expect([refused.status, fields(refused)]).toEqual([
      400,
      ["item[1].name required", "item[2].item_code not_allowed"],
    ]);
    expect(await codes()).toEqual([]);
  });
});

describe("`nodal item`", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "nodal-items-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const run = async (...args: string[]) => {
    const ran = await nodal(site.environment, "item", ...args, "--merchant", merchant.id, "--json");
    return { ...ran, answer: ran.stdout === "" ? null : JSON.parse(ran.stdout) };
  };

  test("imports, lists and exports; a file with an error changes nothing", async () => {
    const file = join(folder, "items.csv");
    writeFileSync(file, "item_code,name,unit_price\nA,Apple,10\nB,,5\n");
    const bad = await run("import", "--file", file);
    expect([bad.code, bad.answer.errors]).toEqual([1, [expect.objectContaining({ line: 3, field: "name" })]]);
    const refused = await run("import", "--file", file, "--confirm");
    expect([refused.code, JSON.stringify(refused)]).toEqual([2, expect.stringContaining("line 3")]);
    expect((await run("list")).answer).toEqual([]);
    writeFileSync(file, "item_code,name,unit_price\nA,Apple,10\nB,Bread,5\n");
    expect((await run("import", "--file", file)).answer).toMatchObject({ new: 2, changed: 0, errors: [] });
    expect((await run("list")).answer).toEqual([]);
    expect((await run("import", "--file", file, "--confirm")).answer).toEqual({ created: 2, changed: 0, unchanged: 0 });
    expect((await run("list", "--search", "app")).answer).toMatchObject([{ item_code: "A", unit_price: "10.00" }]);
    const out = join(folder, "out.csv");
    expect((await run("export", "--file", out)).answer).toEqual({ items: 2, file: out });
    expect((await run("import", "--file", out, "--confirm")).answer).toEqual({ created: 0, changed: 0, unchanged: 2 });
  });

  test("goes on after an import that was killed in between", async () => {
    const file = join(folder, "many.csv");
    const lines = Array.from({ length: 1800 }, (_, index) => `C${String(index).padStart(4, "0")},Thing ${index}`);
    writeFileSync(file, ["item_code,name", ...lines].join("\n"));
    const count = async (): Promise<number> => {
      const { rows } = await site.pool.query<{ count: bigint }>("select count(*) from item where merchant_id = $1", [
        merchant.id,
      ]);
      return Number(rows[0]!.count);
    };
    const args = ["item", "import", "--merchant", merchant.id, "--file", file, "--confirm", "--json"];
    const killed = spawn(process.execPath, ["bin/nodal.js", ...args], {
      env: {
        PATH: process.env["PATH"] ?? "",
        NODAL_MASTER_KEY: TEST_MASTER_KEY,
        NODAL_SETTINGS_FILE: "/dev/null",
        ...site.environment,
      },
      stdio: "ignore",
    });
    const ended = once(killed, "exit");
    // An item of the second batch, not yet committed: the import waits for it with its first 500 items saved.
    await inTransaction(site.pool, async (connection) => {
      await connection.query(
        `insert into item (
           bucket, merchant_id, item_id, item_code, code_key, name, description, sac_code, unit, price_includes_tax,
           gst_thousandths, cess_thousandths, tax_treatment, created_at, updated_at)
         select bucket, merchant_id, 1, 'C0700', 'C0700', 'Held', '', '', '', false, 0, 0, 'taxable', now(), now()
         from merchant where merchant_id = $1`,
        [merchant.id],
      );
      await expect.poll(() => countLockWaits(site.pool, "insert into item"), { timeout: 180_000 }).toBe(1);
      killed.kill("SIGKILL");
      await ended;
      await connection.query("delete from item where merchant_id = $1 and item_id = 1", [merchant.id]);
    });
    const saved = await count();
    expect(saved).toBe(500);
    expect((await run("import", "--file", file, "--confirm")).answer).toEqual({
      created: 1800 - saved,
      changed: 0,
      unchanged: saved,
    });
    expect(await count()).toBe(1800);
    expect(await site.findProblems()).toEqual([]);
  });
});
