// Idempotency-Key on requests of /api/v4 that change something: docs/api.md#idempotency-key
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requireMerchant, runAtMostOnce } from "../../src/merchants/index.ts";
import { NodalError } from "../../src/platform/errors.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import type { Answer } from "../support/nodal.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

let installation: Installation;
let merchant: TestMerchant;
let owner: Raw;
let keys = 0;

beforeAll(async () => {
  installation = await Installation.start();
  merchant = await installation.newMerchant({ fund: "1000.00" });
  owner = rawOf(installation, await Browser.signIn(installation, await newPerson(installation, merchant.id)));
});
afterAll(() => installation.stop());

const newKey = (): string => `key-${(keys += 1)}`;
const ask = (key: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  owner(method, path, body, { "idempotency-key": key });
const count = async (table: string): Promise<number> =>
  Number(
    (
      await installation.pool.query<{ count: bigint }>(`select count(*) from ${table} where merchant_id = $1`, [
        merchant.id,
      ])
    ).rows[0]!.count,
  );
const replayed = ({ headers }: Answer): string | null => headers.get("idempotent-replayed");

describe("the same request under the same key", () => {
  // One of each kind: in a transaction around the use case, or in the use case's own.
  test.each([
    ["a customer group", "POST", "/customer-groups", { name: "Gold" }, "customer_group"],
    ["a column", "POST", "/customer-columns", { name: "Branch", type: "text" }, "customer_column"],
    ["a role", "POST", "/roles", { name: "Clerk", permissions: ["invoices.view"] }, "role"],
    ["a customer", "POST", "/customers", { customer_code: "C1", customer_name: "Asha" }, "customer"],
    [
      "a beneficiary",
      "POST",
      "/beneficiaries",
      { name: "Ravi", account_number: "001122334455", ifsc: "HDFC0000001" },
      "beneficiary",
    ],
  ])("saves %s once, and answers the same again", async (_, method, path, body, table) => {
    const before = await count(table);
    const key = newKey();
    const first = await ask(key, method, path, body);
    expect([first.status, replayed(first)], JSON.stringify(first.body)).toEqual([200, null]);
    const again = await ask(key, method, path, body);
    expect([again.status, again.body, replayed(again)]).toEqual([200, first.body, "true"]);
    expect(await count(table)).toBe(before + 1);
    const other = await ask(key, method, path, { ...body, name: "Other", customer_name: "Other" });
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_conflict"]);
    expect(await count(table)).toBe(before + 1);
  });

  test("pays once, with or without the same reference", async () => {
    const { body } = await owner("POST", "/beneficiaries", {
      name: "Meera",
      account_number: "998877665544",
      ifsc: "HDFC0000001",
    });
    const transfer = {
      beneficiary_id: body.beneficiary_id as string,
      amount: "10.00",
      reference_id: "KEYED-1",
      mode: "banktransfer",
    };
    const key = newKey();
    const first = await ask(key, "POST", "/transfers", transfer);
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    const again = await ask(key, "POST", "/transfers", transfer);
    expect([again.status, again.body.transfer_id, replayed(again)]).toEqual([200, first.body.transfer_id, "true"]);
    const other = await ask(key, "POST", "/transfers", { ...transfer, reference_id: "KEYED-2" });
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_conflict"]);
    expect(await count("transfer")).toBe(1);
  });

  test("at once is done once", async () => {
    const key = newKey();
    const before = await count("customer_group");
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => ask(key, "POST", "/customer-groups", { name: "At once" })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
    expect(new Set(answers.map(({ body }) => body.group_id as string)).size).toBe(1);
    expect(answers.filter((answer) => replayed(answer) === "true")).toHaveLength(5);
    expect(await count("customer_group")).toBe(before + 1);
  });

  test("is another one with another path, parameter or method", async () => {
    const key = newKey();
    const { body } = await ask(key, "POST", "/customer-groups", { name: "Platinum" });
    const elsewhere = await ask(key, "PUT", `/customer-groups/${body.group_id}`, { name: "Platinum" });
    expect([elsewhere.status, elsewhere.body.error.code]).toEqual([409, "idempotency_conflict"]);
    expect((await ask(key, "GET", "/customer-groups")).status).toBe(200);
  });

  test("that was refused may be corrected", async () => {
    const key = newKey();
    await owner("POST", "/customer-groups", { name: "Taken" });
    expect((await ask(key, "POST", "/customer-groups", { name: "Taken" })).body.error.code).toBe("group_exists");
    expect((await ask(key, "POST", "/customer-groups", {})).status).toBe(400);
    const corrected = await ask(key, "POST", "/customer-groups", { name: "Free" });
    expect([corrected.status, replayed(corrected)]).toEqual([200, null]);
  });

  test("is not known under a key that is none", async () => {
    const answer = await ask("x".repeat(256), "POST", "/customer-groups", { name: "Long" });
    expect(answer.body.error.fields).toMatchObject([{ path: "Idempotency-Key", code: "invalid" }]);
  });
});

test("secrets and account numbers are not kept: a repeated answer has them empty", async () => {
  const key = newKey();
  const first = await ask(key, "POST", "/access-keys", { name: "Payroll", scopes: ["payouts.view"] });
  expect(first.body.secret_access_key).toMatch(/^ns_/);
  const again = await ask(key, "POST", "/access-keys", { name: "Payroll", scopes: ["payouts.view"] });
  expect(again.body).toEqual({ ...first.body, secret_access_key: "" });
  const { rows } = await installation.pool.query<{ kept: string }>(
    "select response::text as kept from idempotency_key where merchant_id = $1",
    [merchant.id],
  );
  const kept = rows.map((row) => row.kept).join("\n");
  expect(kept).toContain(first.body.access_key_id);
  expect(kept).not.toContain(first.body.secret_access_key);
});

test("where the process ends before the answer is kept, nothing was done; the retry does it", async () => {
  await installation.pool.query("alter table idempotency_key add constraint broken check (response is null) not valid");
  const [key, before] = [newKey(), await count("customer_group")];
  expect((await ask(key, "POST", "/customer-groups", { name: "After a crash" })).status).toBe(500);
  expect(await count("customer_group")).toBe(before);
  await installation.pool.query("alter table idempotency_key drop constraint broken");
  const retried = await ask(key, "POST", "/customer-groups", { name: "After a crash" });
  expect([retried.status, replayed(retried)]).toEqual([200, null]);
  expect(await count("customer_group")).toBe(before + 1);
});

test("an operator opens a merchant once", async () => {
  const operator = rawOf(installation, await Browser.signIn(installation, await newPerson(installation, null)));
  const merchants = async (): Promise<number> =>
    (await installation.pool.query<{ count: number }>("select count(*)::integer as count from merchant")).rows[0]!
      .count;
  const [before, key] = [await merchants(), newKey()];
  const body = { name: "Kaveri Traders", email: "office@example.com", user_email: "kaveri@example.com" };
  const open = (name = body.name) => operator("POST", "/merchants", { ...body, name }, { "idempotency-key": key });
  const first = await open();
  expect([first.status, first.body.password === ""], JSON.stringify(first.body)).toEqual([200, false]);
  const again = await open();
  expect([again.status, replayed(again), again.body]).toEqual([
    200,
    "true",
    { ...first.body, password: "", secret_access_key: "" },
  ]);
  expect((await open("Other Traders")).body.error.code).toBe("idempotency_conflict");
  expect(await merchants()).toBe(before + 1);
});

describe("work that is more than a transaction", () => {
  test("is done once for a bank that is asked whose an account is", async () => {
    const payee = { name: "Uma Devi", account_number: "556677889900", ifsc: "HDFC0000001" };
    const { body } = await owner("POST", "/beneficiaries", payee);
    const [key, path] = [newKey(), `/beneficiaries/${body.beneficiary_id}/verify`];
    const asked = async (): Promise<number> => {
      const sql =
        "select count(*)::integer as count from journal where merchant_id = $1 and type = 'beneficiary.checked'";
      return (await installation.pool.query<{ count: number }>(sql, [merchant.id])).rows[0]!.count;
    };
    const before = await asked();
    const first = await ask(key, "POST", path);
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    const again = await ask(key, "POST", path);
    expect([again.status, again.body, replayed(again)]).toEqual([200, first.body, "true"]);
    expect(await asked()).toBe(before + 1);
  });

  const run = async (key: string, work: () => Promise<string>) => {
    const idempotency = { key, requestHash: Buffer.from("a request") };
    const whose = await requireMerchant(installation.pool, BigInt(merchant.id));
    return runAtMostOnce(installation.pool, whose, idempotency, work);
  };

  test("is begun once, also if its process ends before the answer", async () => {
    const key = newKey();
    expect(await run(key, () => Promise.resolve("done"))).toEqual({ answer: "done", replayed: false });
    expect(await run(key, () => Promise.resolve("again"))).toEqual({ answer: "done", replayed: true });
    const crashed = newKey();
    let begun = 0;
    const work = (): Promise<string> => {
      begun += 1;
      throw new Error("the end of the process");
    };
    await expect(run(crashed, work)).rejects.toThrow("the end of the process");
    await expect(run(crashed, work)).rejects.toMatchObject({ code: "request_interrupted" });
    expect(begun).toBe(1);
  });

  test("that was refused gives its key back", async () => {
    const key = newKey();
    const refuse = () => Promise.reject(new NodalError("provider_check_failed", "The provider refused."));
    await expect(run(key, refuse)).rejects.toMatchObject({ code: "provider_check_failed" });
    expect(await run(key, () => Promise.resolve("done"))).toEqual({ answer: "done", replayed: false });
  });
});
