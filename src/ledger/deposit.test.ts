// Deposits are credited once: over all merchants that share the installation's account, and within any other, however they are named.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  fund,
  makeLiveMerchants,
  makeMerchants,
  openLedgerDatabase,
  type LedgerDatabase,
} from "../../test/support/ledger.ts";
import { withTestSecrets } from "../../test/support/secrets.ts";
import type { Merchant } from "../merchants/index.ts";
import { verify } from "../payouts/index.ts";
import { createPool } from "../platform/database/pool.ts";
import { TenantDatabase } from "../platform/database/tenant.ts";
import { fundMerchant } from "./fund.ts";
import { namesOfReference, plainReference } from "./deposit-names.ts";
import { changeMerchants } from "../../test/support/reprove.ts";

let db: LedgerDatabase;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());
let isSpoilt = false;
afterEach(async () => {
  if (isSpoilt) return;
  const { violations } = await verify(db.owner, null);
  if (violations.length > 0) throw new Error(JSON.stringify(violations.map(({ check, what }) => `${check}: ${what}`)));
});

async function available(merchantId: bigint): Promise<bigint> {
  const text = "select available_paise as paise from ledger_book where merchant_id = $1";
  return (await db.owner.query<{ paise: bigint }>(text, [merchantId])).rows[0]!.paise;
}

test.each([
  ["utibr5 2026 1120-0001", "UTIBR5202611200001"],
  ["0000632500000042", "632500000042"],
  ["000", "0"],
  ["जमा १२", "जमा12"],
  ["'~UTIBR52026112000000001\\", "UTIBR52026112000000001"],
  ["~", "~"],
])("%s is %s", (reference, plain) => {
  expect(plainReference(reference)).toBe(plain);
});

const utr = "UTIBR52026112000000001";

test.each([
  ["NEFT UTIBR52026112000000001", [utr]],
  ["neft/utibr52026112000000001/ACME", [utr]],
  ["'UTIBR52026112000000001", []],
  ["UTR UTIBR5 2026 1120 0000 0001", [utr]],
  ["NEFT SBIN3 26112 345678", ["SBIN326112345678"]],
  ["NEFT-N324261234567890-ACME", ["N324261234567890"]],
  ["IMPS/P2A/632500000042/RAVI", ["632500000042"]],
  ["UPI 6325 0000 0042", ["632500000042"]],
  ["632500000042 Ravi", ["632500000042"]],
  ["UPI/400000000042", ["400000000042"]],
  ["opening 1005004", []],
  ["top-up nov", []],
  ["INV 12", []],
  ["INV 2026/1126/0001", []],
  ["A/C 409912345678 nov", []],
  ["A/C XXXXXXXX12345678 nov", []],
  ["BY CASH 9876543210", []],
])("the bank references in %s are %j", (reference, found) => {
  const names = namesOfReference(reference, Temporal.PlainDate.from("2026-11-26"));
  expect(names).toEqual([plainReference(reference), ...found]);
});

test.each([
  ["UTIBR52026112000000031", ["NEFT $", "NEFT/$/ACME", "'$", "UTR $", "~$", "$\\", "‘$’", "UTR: $ dt 20-11"]],
  ["632500000043", ["IMPS/P2A/$/RAVI", "UPI $", "RRN:$"]],
])("%s is one deposit, however it is typed", async (reference, typed) => {
  const [one, other] = await makeLiveMerchants(db, 2);
  const first = await fund(db, one!, 500n, reference);
  for (const text of typed.map((each) => each.replace("$", reference))) {
    expect([text, await fund(db, one!, 500n, text)]).toEqual([text, { ...first, repeated: true }]);
    await expect(fund(db, one!, 600n, text)).rejects.toThrow("another amount");
    await expect(fund(db, other!, 500n, text)).rejects.toThrow("another merchant");
  }
  expect([await available(one!.merchantId), await available(other!.merchantId)]).toEqual([500n, 0n]);
});

test("it is one deposit if the first reference had more words", async () => {
  const [one, other] = await makeLiveMerchants(db, 2);
  await fund(db, one!, 500n, "NEFT/UTIBR52026112000000032/ACME");
  await expect(fund(db, other!, 500n, "UTIBR52026112000000032")).rejects.toThrow("another merchant");
});

test("references of one's own with the same numbers in them are different deposits", async () => {
  const merchants = await makeLiveMerchants(db, 2);
  for (const [index, merchant] of merchants.entries())
    for (const text of ["opening 1005004", "top-up nov", "INV 12", "A/C 409912345678 nov"])
      await fund(db, merchant, 500n, `${text} ${["ACME", "Ravi"][index]}`);
  expect(await available(merchants[0]!.merchantId)).toBe(2000n);
  expect(await available(merchants[1]!.merchantId)).toBe(2000n);
});

test("one deposit of the installation's account is one merchant's, also of many at once", async () => {
  const merchants = await makeLiveMerchants(db, 6);
  const asked = await Promise.allSettled(merchants.map((each) => fund(db, each, 500n, "UTIBR52026112000000001")));
  expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const [refused] = asked.filter((each) => each.status === "rejected");
  expect(refused!.reason).toMatchObject({
    code: "reference_conflict",
    message: expect.stringContaining("another merchant") as string,
  });
  const sums = await Promise.all(merchants.map(({ merchantId }) => available(merchantId)));
  expect(sums.reduce((sum, paise) => sum + paise)).toBe(500n);
});

test("written in another way it is the same deposit, for its merchant and for others", async () => {
  const [one, other] = await makeLiveMerchants(db, 2);
  const first = await fund(db, one!, 500n, "HDFCN52026112000000077");
  expect(await fund(db, one!, 500n, "hdfcn5 2026-1120 0000 0077")).toEqual({ ...first, repeated: true });
  await expect(fund(db, one!, 600n, "hdfcn52026112000000077")).rejects.toThrow("another amount");
  await expect(fund(db, other!, 500n, "00hdfcn52026112000000077")).rejects.toThrow("another merchant");
  expect([await available(one!.merchantId), await available(other!.merchantId)]).toEqual([500n, 0n]);
});

test("in the database as requests see it, which shows no other merchant's rows", async () => {
  const pool = withTestSecrets(createPool({ url: db.url, size: 4, role: "nodal_tenant", pipelined: true }));
  const tenants = new TenantDatabase(pool);
  const [one, other] = await makeLiveMerchants(db, 2);
  const credit = ({ bucket, merchantId }: Merchant) =>
    fundMerchant(tenants.of({ merchantId }, { actor: "operator:7", address: null, mayMoveMoney: true }), db.ids, {
      bucket,
      merchantId,
      amountPaise: 500n,
      reference: "HDFCN52026112000000088",
    });
  await credit(one!);
  await expect(credit(other!)).rejects.toThrow("another merchant");
  expect(await credit(one!)).toMatchObject({ repeated: true });
  expect([await available(one!.merchantId), await available(other!.merchantId)]).toEqual([500n, 0n]);
  await pool.end();
});

test("merchants with accounts of their own, and the sandbox, have deposits of their own", async () => {
  const [shared, own] = await makeLiveMerchants(db, 2);
  const [sandbox] = await makeMerchants(db, 1);
  await changeMerchants(
    db.owner,
    `update merchant set payout_rails = '{"IMPS": "cashfree:1"}' where merchant_id = $1`,
    [own!.merchantId],
  );
  for (const merchant of [shared!, own!, sandbox!]) await fund(db, merchant, 500n, "topup-1");
  for (const { merchantId } of [shared!, own!, sandbox!]) expect(await available(merchantId)).toBe(500n);
});

test("a UTR is one live merchant's, also after the account has moved to another owner", async () => {
  const [before, after, sharing] = await makeLiveMerchants(db, 3);
  const [sandbox] = await makeMerchants(db, 1);
  const rails = (merchant: Merchant, value: string | null) =>
    changeMerchants(db.owner, "update merchant set payout_rails = $2 where merchant_id = $1", [
      merchant.merchantId,
      value,
    ]);
  await rails(before!, '{"IMPS": "cashfree:1"}');
  await fund(db, before!, 500n, "NEFT UTIBR52026112000000041 ACME");
  await rails(before!, null);
  await rails(after!, '{"IMPS": "cashfree:1"}');
  for (const merchant of [after!, sharing!])
    await expect(fund(db, merchant, 500n, "UTIBR52026112000000041")).rejects.toThrow("another merchant");
  expect(await fund(db, before!, 500n, "UTIBR52026112000000041")).toMatchObject({ repeated: true });
  await fund(db, sandbox!, 500n, "UTIBR52026112000000041");
});

test.each([
  ["UTIBR52026112000000051", ["$", "NEFT/$/ACME", "00$", "utr $ dt 20-11", "UTIBR5 2026 1120 0000 0051"]],
  ["NEFT UTIBR52026112000000052 ACME", ["UTIBR52026112000000052", "$", "IMPS UTIBR52026112000000052"]],
  ["UTR UTIBR5 2026 1120 0000 0053", ["UTIBR52026112000000053", "$"]],
  ["IMPS/P2A/632500000054/RAVI", ["UPI 632500000054", "$"]],
  ["top-up 55", ["TOP UP 55", "$"]],
])("%s is credited once, also after SQL has removed what names it", async (reference, typed) => {
  const [one, other] = await makeLiveMerchants(db, 2);
  const first = await fund(db, one!, 500n, reference);
  await db.owner.query("delete from deposit where funding_id = $1", [first.fundingId]);
  isSpoilt = true;
  for (const text of typed.map((each) => each.replace("$", reference))) {
    expect([text, await fund(db, one!, 500n, text)]).toEqual([text, { ...first, repeated: true }]);
    await expect(fund(db, other!, 500n, text)).rejects.toThrow("another merchant");
  }
  expect([await available(one!.merchantId), await available(other!.merchantId)]).toEqual([500n, 0n]);
});

test("other references are other deposits, as before", async () => {
  const [one, other] = await makeLiveMerchants(db, 2);
  const [sandbox] = await makeMerchants(db, 1);
  await changeMerchants(
    db.owner,
    `update merchant set payout_rails = '{"IMPS": "cashfree:1"}' where merchant_id = $1`,
    [other!.merchantId],
  );
  await fund(db, one!, 500n, "top-up nov 61");
  for (const text of ["nov", "61", "NOV 61", "top-up nov 62"]) await fund(db, one!, 500n, text);
  for (const merchant of [other!, sandbox!]) await fund(db, merchant, 500n, "top-up nov 61");
  await fund(db, one!, 500n, "UTIBR52026112000000061");
  await expect(fund(db, other!, 500n, "UTIBR52026112000000061")).rejects.toThrow("another merchant");
  await fund(db, sandbox!, 500n, "UTIBR52026112000000061");
  expect(await available(one!.merchantId)).toBe(3000n);
});
