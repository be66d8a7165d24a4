// Importing beneficiaries from a file: new and existing ones, and that each is saved once despite concurrent or interrupted
// imports. The command and the dashboard have their own tests.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { changePayoutPolicy, type Merchant } from "../../merchants/index.ts";
import type { Pool } from "../../platform/database/pool.ts";
import { beneficiaryRecord } from "../beneficiaries/beneficiary.ts";
import { deactivateUnused } from "../beneficiaries/change-beneficiary.ts";
import { saveBeneficiary } from "../beneficiaries/save-beneficiary.ts";
import { verify } from "../verify/verify.ts";
import { importBeneficiaries } from "./import-beneficiaries.ts";
import { readBeneficiaryFile } from "./read-beneficiary-file.ts";

const HEAD = "name,account_number,ifsc,upi,mobile";
const COUNT = 160;
const MANY = Array.from({ length: COUNT }, (_, index) => `Payee ${index},${5_000_000_000 + index},HDFC0000001,,`);

let db: LedgerDatabase;
let merchant: Merchant;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
});
afterEach(async () => {
  const { violations } = await verify(db.owner, merchant);
  if (violations.length > 0) throw new Error(JSON.stringify(violations));
});

const bytesOf = (lines: readonly string[]): Buffer => Buffer.from(`${[HEAD, ...lines].join("\n")}\n`);
const context = (pool: Pool = db.server) => ({ pool, ids: db.ids, merchant });
const read = (lines: readonly string[]) => readBeneficiaryFile(context(), { bytes: bytesOf(lines), after: 0 });

async function run(lines: readonly string[], { pool, after = 0, most = null }: Partial<Part> = {}) {
  const imported = await importBeneficiaries(context(pool), { bytes: bytesOf(lines), after, most });
  const told = imported.lines.map(({ line, beneficiaryId, status }) => ({ line, id: beneficiaryId, status }));
  return { ...imported, told };
}
type Part = { readonly pool: Pool; readonly after: number; readonly most: number | null };

async function count(what: string): Promise<number> {
  const { rows } = await db.owner.query<{ count: bigint }>(`select count(*) from ${what} and merchant_id = $1`, [
    merchant.merchantId,
  ]);
  return Number(rows[0]!.count);
}
/** All but the one that every merchant of the stage has. */
const countSaved = async () => (await count("beneficiary where type = 'Vendor'")) - 1;
const countEvents = () => count("journal where type = 'beneficiary.created'");

async function save(name: string, account: { accountNumber?: string; ifsc?: string; upi?: string }): Promise<bigint> {
  const details = { ...beneficiaryRecord.blank, name, ...account };
  return BigInt((await saveBeneficiary({ ...context(), idempotency: null }, details)).answer.beneficiaryId);
}

test("each wrong line says its column and what to do, and nothing is saved", async () => {
  const both = await save("Both", { accountNumber: "600000001", ifsc: "HDFC0000001", upi: "both@upi" });
  const before = [await countSaved(), await countEvents()];
  const lines = [
    "Good,700000001,HDFC0000001,good@upi,9876543210",
    ",700000002,HDFC0000001,,",
    "No IFSC,700000003,,,",
    "Nothing,,,,",
    "Bad handle,,,no handle,",
    "Bad mobile,700000004,HDFC0000001,,12",
    "Mixed with line 2,700000005,HDFC0000001,GOOD@upi,",
    "Mixed with one,700000006,HDFC0000001,both@upi,",
    "Mixed with one,600000001,HDFC0000001,other@upi,",
  ];
  const { errors, good, rowCount } = await read(lines);
  expect(errors.map(({ line, field }) => `${line} ${field}`)).toEqual([
    "3 name",
    "4 ifsc",
    "5 account_number",
    "5 ifsc",
    "6 upi",
    "7 mobile",
    "8 upi",
    "9 upi",
    "10 account_number",
  ]);
  expect(errors.at(-2)!.problem).toBe(
    `Beneficiary ${both} already has this handle, without this account: use a separate line for each.`,
  );
  expect([rowCount, good.length]).toEqual([9, 1]);
  await expect(run(lines)).rejects.toMatchObject({ code: "validation_failed" });
  expect([await countSaved(), await countEvents()]).toEqual(before);
});

test("who is there already, or on a line before, is that one, and is told where the name is another", async () => {
  const account = await save("Asha Rao", { accountNumber: "600000001", ifsc: "HDFC0000001" });
  const handle = await save("Uma Iyer", { upi: "uma@upi" });
  const lines = [
    "Asha Rao,600000001,hdfc0000001,,9876543210",
    "Somebody,,,UMA@upi,",
    "New,700000001,HDFC0000001,new@upi,",
    "new,700000001,HDFC0000001,,",
    "Other,,,new@upi,",
  ];
  const { errors, warnings } = await read(lines);
  expect(errors).toEqual([]);
  expect(warnings.map(({ line, field }) => `${line} ${field}`)).toEqual([
    "3 name",
    "5 account_number",
    "6 upi",
    "6 name",
  ]);
  const { told } = await run(lines);
  const fresh = told[2]!.id;
  expect(told).toEqual([
    { line: 2, id: account, status: "THERE_ALREADY" },
    { line: 3, id: handle, status: "THERE_ALREADY" },
    { line: 4, id: fresh, status: "SAVED" },
    { line: 5, id: fresh, status: "THERE_ALREADY" },
    { line: 6, id: fresh, status: "THERE_ALREADY" },
  ]);
  expect([await countSaved(), await countEvents()]).toEqual([3, 3]);
});

test("files imported at once, in both orders and beside single ones, save everybody once", async () => {
  const reversed = MANY.toReversed();
  const singles = Array.from({ length: 40 }, (_, index) => {
    const account = { accountNumber: String(5_000_000_000 + index * 4), ifsc: "HDFC0000001" };
    return save(`Payee ${index * 4}`, account).catch((error: unknown) => error as { code: string });
  });
  const [first, second, third, fourth] = await Promise.all([run(MANY), run(reversed), run(MANY), run(reversed)]);
  const refused = (await Promise.all(singles)).filter((each) => typeof each !== "bigint");
  expect(refused.every(({ code }) => code === "beneficiary_exists")).toBe(true);
  expect([await countSaved(), await countEvents()]).toEqual([COUNT, COUNT]);
  const ids = first.told.map(({ id }) => id);
  expect(new Set(ids).size).toBe(COUNT);
  expect(third.told.map(({ id }) => id)).toEqual(ids);
  for (const other of [second, fourth]) expect(other.told.map(({ id }) => id)).toEqual(ids.toReversed());
});

test("an import that ends halfway is run again from the start, and one in parts goes on where it was", async () => {
  let left = 2;
  const connect = async () => {
    left -= 1;
    if (left < 0) throw new Error("the process ended");
    return db.server.connect();
  };
  const dying = { query: db.server.query.bind(db.server), connect, beneath: db.server } as Pool;
  await expect(run(MANY, { pool: dying })).rejects.toThrow("the process ended");
  expect(await countSaved()).toBe(100);
  const first = await run(MANY, { most: 120 });
  expect(first.told.map(({ status }) => status)).toEqual(
    MANY.slice(0, 120).map((_, index) => (index < 100 ? "THERE_ALREADY" : "SAVED")),
  );
  expect(first.next).toBe(121);
  const rest = await run(MANY, { after: 121, most: 120 });
  expect(rest.told.map(({ line }) => line)).toEqual(Array.from({ length: 40 }, (_, index) => 122 + index));
  expect(rest.next).toBeNull();
  expect([await countSaved(), await countEvents()]).toEqual([COUNT, COUNT]);
});

test("new ones wait for a second person where the policy asks for one", async () => {
  const there = await save("Asha Rao", { accountNumber: "600000001", ifsc: "HDFC0000001" });
  await changePayoutPolicy(context(), { approvePayees: true });
  const lines = ["Asha Rao,600000001,HDFC0000001,,", "Uma Iyer,,,uma@upi,", "Ravi,,,ravi@upi,"];
  expect((await read(lines)).mustWait).toBe(true);
  const { told } = await run(lines);
  expect(told.map(({ status }) => status)).toEqual(["THERE_ALREADY", "AWAITING_APPROVAL", "AWAITING_APPROVAL"]);
  expect(told[0]!.id).toBe(there);
  expect(await count("beneficiary where approval = 'pending'")).toBe(2);
  expect(await count("approval where kind = 'beneficiary'")).toBe(2);
  expect(await count("journal where type = 'approval.requested'")).toBe(2);
});

test("one who was deactivated is saved anew, and a file of more than 5,000 is refused", async () => {
  const old = await save("Asha Rao", { accountNumber: "600000001", ifsc: "HDFC0000001" });
  const refuseInUse = (): Promise<void> => Promise.resolve();
  await deactivateUnused(context(), { beneficiaryId: old, refuseInUse });
  const { told } = await run(["Asha Rao,600000001,HDFC0000001,,"]);
  expect(told).toEqual([{ line: 2, id: expect.any(BigInt), status: "SAVED" }]);
  expect(told[0]!.id).not.toBe(old);
  const many = Array.from({ length: 5001 }, (_, index) => `Payee,${5_000_000_000 + index},HDFC0000001,,`);
  await expect(read(many)).rejects.toThrow("The file has more than 5000 beneficiaries: split it.");
});
