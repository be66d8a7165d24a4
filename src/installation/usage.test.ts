// A merchant's usage: counted from its journal, by days in its time zone.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  accept,
  claim,
  fund,
  makeMerchants,
  newTransfer,
  openLedgerDatabase,
  report,
  type LedgerDatabase,
} from "../../test/support/ledger.ts";
import { recordEvents } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { readUsage } from "./usage.ts";

let db: LedgerDatabase;
let merchant: Merchant;

beforeAll(async () => {
  db = await openLedgerDatabase();
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
});
afterAll(() => db.close());

const NOTHING = {
  payout_count: 0,
  payout_amount: "0.00",
  return_count: 0,
  return_amount: "0.00",
  invoices_created: 0,
  payments_recorded: 0,
  subscription_invoices: 0,
  accounts_verified: 0,
};

const today = () => Temporal.Now.plainDateISO(merchant.timeZone);
const usage = (from: Temporal.PlainDate, to: Temporal.PlainDate) =>
  readUsage({ pool: db.server, merchant }, { from, to });

test("counts what happened on these days, and nothing else", async () => {
  // The days before and after are counted too, so that midnight does no harm.
  const days = [today().subtract({ days: 1 }), today().add({ days: 1 })] as const;
  expect(await usage(...days)).toEqual(NOTHING);
  await fund(db, merchant, 100_000n, "opening");
  const transfers = [];
  for (const amountPaise of [5000n, 700n, 30n]) {
    transfers.push(newTransfer(merchant, await db.ids.next(), amountPaise, `order-${amountPaise}`));
  }
  const accepted = await accept(db.server, transfers);
  await claim(db.server, accepted);
  await report(db.server, accepted[0]!, "SUCCESS");
  await report(db.server, accepted[1]!, "SUCCESS");
  await report(db.server, accepted[1]!, "REVERSED");
  await report(db.server, accepted[2]!, "FAILED");
  const now = Temporal.Now.instant();
  await inTransaction(db.server, (connection) =>
    recordEvents(
      connection,
      merchant,
      ["invoice.created", "invoice.created", "settlement.recorded", "subscription.billed", "beneficiary.checked"].map(
        (type) => ({ type, subjectId: 1n }),
      ),
      now,
    ),
  );
  expect(await usage(...days)).toEqual({
    payout_count: 2,
    payout_amount: "57.00",
    return_count: 1,
    return_amount: "7.00",
    invoices_created: 2,
    payments_recorded: 1,
    subscription_invoices: 1,
    accounts_verified: 1,
  });
  expect(await usage(today().subtract({ days: 40 }), today().subtract({ days: 10 }))).toEqual(NOTHING);
});

test("refuses a period that is turned around or longer than a year", async () => {
  for (const to of [today().subtract({ days: 1 }), today().add({ days: 366 })]) {
    await expect(usage(today(), to)).rejects.toMatchObject({
      code: "validation_failed",
      errors: [{ field: "to", code: "invalid" }],
    });
  }
  expect(await usage(today(), today().add({ days: 365 }))).toMatchObject({ invoices_created: 2 });
});
