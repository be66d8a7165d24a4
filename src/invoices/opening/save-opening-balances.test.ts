// Opening balances on a real database: many at once, and their effect on later invoices. test/dashboard tests HTTP.
import { afterAll, beforeAll, expect, test } from "vitest";
import { OWN_PAISE } from "../../../test/support/invoice-dues.ts";
import { Invoicing } from "../../../test/support/invoicing.ts";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { findCustomers } from "../../customers/index.ts";
import { dueOf } from "../invoice.ts";
import type { OpeningBalanceToSave } from "./opening-balance.ts";
import { saveOpeningBalances } from "./save-opening-balances.ts";

let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
  shop = await Invoicing.ofNewMerchant(db);
});
afterAll(() => db.close());

/** An opening balance of a new customer. */
async function newOwed(): Promise<OpeningBalanceToSave & { customerId: bigint }> {
  const { customerId } = await shop.save();
  const customers = await findCustomers(db.server, shop.merchant, [customerId]);
  const { customerCode } = customers.get(customerId)!;
  const date = Temporal.PlainDate.from("2026-05-01");
  return { customerId, customerCode, date, dueDate: date, amountPaise: 50_000n, note: "", reference: "", path: "" };
}

const save = (owed: OpeningBalanceToSave) =>
  saveOpeningBalances({ pool: db.server, ids: db.ids, merchant: shop.merchant }, [owed]);

test("of a hundred at once for a customer exactly one is made", async () => {
  const owed = await newOwed();
  const tried = await Promise.allSettled(Array.from({ length: 100 }, () => save(owed)));
  const made = tried.filter(({ status }) => status === "fulfilled");
  const refused = tried.flatMap((each) =>
    each.status === "rejected" ? [(each.reason as { code: unknown }).code] : [],
  );
  expect([made.length, refused]).toEqual([1, Array.from({ length: 99 }, () => "opening_balance_exists")]);
  expect(await shop.violations()).toEqual([]);
});

test("is carried by a later invoice like dues of an invoice, and settled first", async () => {
  const owed = await newOwed();
  const { customerId } = owed;
  const [opening] = await save(owed);
  const later = await shop.save({ customerId, carries: [opening!.invoiceId] });
  expect(later).toMatchObject({ carriedPaise: 50_000n, amountPaise: 50_000n + OWN_PAISE });
  expect(await shop.read(opening!)).toMatchObject({ status: "Carried forward", carriedTo: later.invoiceId });
  await shop.pay(later, 50_500n);
  expect(await shop.read(opening!)).toMatchObject({ paidPaise: 50_000n });
  expect(dueOf(await shop.read(later))).toBe(OWN_PAISE - 500n);
  expect(await shop.violations()).toEqual([]);
});
