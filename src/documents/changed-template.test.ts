// Payment details changed with SQL for a few seconds and then restored: no document shows them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Invoicing } from "../../test/support/invoicing.ts";
import { openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { codeOf } from "../../test/support/policy-stage.ts";
import { buildDocument, readSources } from "./build-document.ts";
import { PublicLinks } from "./public-link.ts";

const links = new PublicLinks(() => "https://pay.example");
let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
  shop = await Invoicing.ofNewMerchant(db);
});
afterAll(() => db.close());

test.each([
  ["template", "upi_handle = 'else@okhdfc'", "upi_handle = null"],
  ["template", "prints_bank_account = true", "prints_bank_account = false"],
])("a %s that says for a moment: %s", async (table, change, back) => {
  const invoice = await shop.save();
  const set = (to: string) =>
    db.owner.query(`update ${table} set ${to} where merchant_id = $1`, [shop.merchant.merchantId]);
  const read = () => readSources(db.server, invoice, links);
  await set(change);
  expect(await codeOf(read())).toBe("access_denied");
  await set(back);
  expect(buildDocument(await read()).upi).toBeNull();
});
