// Two merchants of one bucket, for tests of their separation: a query that names only the bucket finds both. No assertions.
import { createMerchantsWithTemplate, sampleProfile } from "../../src/installation/index.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { GOOD_ACCOUNT, TestMerchant, type Installation } from "./installation.ts";

/** One more than there are buckets, so that two share one. */
const ENOUGH = 129;

/** Two merchants of one bucket with ₹1,000.00 each, a bank account and a template, signed in. */
export async function makeNeighbours(installation: Installation): Promise<[TestMerchant, TestMerchant]> {
  const ids = new IdSource(installation.pool);
  const profiles = Array.from({ length: ENOUGH }, (_, index) => ({
    ...sampleProfile(`Neighbour ${index}`, `neighbour${index}@example.com`),
    bankAccount: GOOD_ACCOUNT.account_number,
    ifsc: GOOD_ACCOUNT.ifsc,
  }));
  const made = await createMerchantsWithTemplate({ pool: installation.pool, ids }, profiles);
  const byBucket = Map.groupBy(made, ({ merchant }) => merchant.bucket);
  const pair = [...byBucket.values()].find(({ length }) => length > 1)!.slice(0, 2);
  const neighbours: TestMerchant[] = [];
  for (const { merchant, accessKeyId, secret } of pair) {
    await fundMerchant(installation.pool, ids, { ...merchant, amountPaise: 100_000n, reference: "opening" });
    const keys = { access_key_id: accessKeyId, secret_access_key: secret };
    neighbours.push(await TestMerchant.signIn(installation, String(merchant.merchantId), keys));
  }
  return neighbours as [TestMerchant, TestMerchant];
}
