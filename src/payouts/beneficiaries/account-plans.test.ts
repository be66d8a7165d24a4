// Finding beneficiaries by IFSC or by account number alone always uses the index.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import type { Merchant } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { findByAccountNumber, findByIfsc } from "./beneficiary-store.ts";

let db: LedgerDatabase;
let merchant: Merchant;
beforeAll(async () => {
  db = await openLedgerDatabase();
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  await db.owner.query(
    `insert into beneficiary (bucket, merchant_id, beneficiary_id, name, email_id, mobile, account_number, account_index,
       ifsc, address, city, state, zipcode, created_at)
     select $1, $2, 9000000 + number, 'Payee', '', '', 'enc1:x', decode(lpad(to_hex(number), 64, '0'), 'hex'),
       'HDFC0' || lpad((number % 500)::text, 6, '0'), '', '', '', '', now()
     from generate_series(1, 20000) as number`,
    [merchant.bucket, merchant.merchantId],
  );
  await db.owner.query("vacuum (analyze) beneficiary");
});
afterAll(() => db.close());

type Statement = string | { readonly text: string; readonly values?: readonly unknown[] };

/** The plans of `work`'s statements about beneficiaries. They return one IFSC and nothing else. */
async function plansOf(work: (of: Queryable) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  const query = async (statement: Statement, given?: readonly unknown[]): Promise<object> => {
    const { text, values } = typeof statement === "string" ? { text: statement, values: given } : statement;
    if (!text.includes("beneficiary")) return db.server.query(text, [...(values ?? [])]);
    const { rows } = await db.server.query<{ "QUERY PLAN": string }>(`explain ${text}`, [...(values ?? [])]);
    plans.push(...rows.map((row) => row["QUERY PLAN"]));
    return { rows: text.includes("select ifsc from code") ? [{ ifsc: "HDFC0000007" }] : [] };
  };
  await work({ query, beneath: db.server } as unknown as Queryable);
  return plans.join("\n");
}

test.each([
  [
    "an IFSC",
    (of: Queryable) => findByIfsc(of, merchant, "HDFC0000007", { after: null, limit: 5 }),
    ["beneficiary_ifsc"],
  ],
  [
    "an account number",
    (of: Queryable) => findByAccountNumber(of, merchant, "50100200300400"),
    ["beneficiary_ifsc", "beneficiary_account_once"],
  ],
])("%s is looked up in indexes, and no table is scanned", async (_, work, indexes) => {
  const plans = await plansOf(work);
  for (const index of indexes)
    expect(plans).toMatch(new RegExp(`Index (Only )?Scan (Backward )?using ${index}|Index Scan on ${index}`));
  expect(plans).not.toContain("Seq Scan on beneficiary");
});
