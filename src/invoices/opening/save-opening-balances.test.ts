// An opening balance on a real database: what later invoices do with it. HTTP is in test/dashboard.
import { afterAll, beforeAll, expect, test } from "vitest";
import { OWN_PAISE } from "../../../test/support/invoice-dues.ts";
import { Invoicing } from "../../../test/support/invoicing.ts";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { findCustomers } from "../../customers/index.ts";
import { dueOf } from "../invoice.ts";
import { saveOpeningBalances } from "./save-opening-balances.ts";

let db: LedgerDatabase;
let shop: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
  shop = await Invoicing.ofNewMerchant(db);
});
afterAll(() => db.close());

test("is carried by a later invoice like dues of an invoice, and settled first", async () => {
  const { customerId, bucket } = await shop.save();
  const customers = await findCustomers(db.server, { ...shop.merchant, bucket }, [customerId]);
  const { customerCode } = customers.get(customerId)!;
  const date = Temporal.PlainDate.from("2026-05-01");
  const owed = { customerCode, date, dueDate: date, amountPaise: 50_000n, note: "", reference: "", path: "" };
  const [opening] = await saveOpeningBalances({ pool: db.server, ids: db.ids, merchant: shop.merchant }, [owed]);
  const later = await shop.save({ customerId, carries: [opening!.invoiceId] });
  expect(later).toMatchObject({ carriedPaise: 50_000n, amountPaise: 50_000n + OWN_PAISE });
  expect(await shop.read(opening!)).toMatchObject({ status: "Carried forward", carriedTo: later.invoiceId });
  await shop.pay(later, 50_500n);
  expect(await shop.read(opening!)).toMatchObject({ paidPaise: 50_000n });
  expect(dueOf(await shop.read(later))).toBe(OWN_PAISE - 500n);
  expect(await shop.violations()).toEqual([]);
});
