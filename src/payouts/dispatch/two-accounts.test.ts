// Two payout accounts, and earlier rows of transfers that are restored with SQL: one account pays, once.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { changeMerchants } from "../../../test/support/reprove.ts";
import { dispatching } from "../../../test/support/dispatching.ts";
import { keepingRows, type EarlierRows } from "../../../test/support/earlier-rows.ts";
import {
  accept,
  claim,
  newClaim,
  newTransfer,
  openLedgerDatabase,
  report,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { PayingBank } from "../../../test/support/paying-bank.ts";
import { withTestSecrets } from "../../../test/support/secrets.ts";
import { connectStandIn, openLivePayer, openStandIn } from "../../../test/support/stand-ins.ts";
import type { StandIn } from "../../../stand-ins/stand-in.ts";
import type { Merchant } from "../../merchants/index.ts";
import { createPool, type OwnedPool, type Pool } from "../../platform/database/pool.ts";
import { createLogger } from "../../platform/log.ts";
import { insertNotice } from "../../platform/providers/notice-store.ts";
import { PaymentReview } from "../providers/payment-review.ts";
import { railName } from "../providers/provider-account.ts";
import { openPayoutInbox } from "../providers/provider-notices.ts";
import { Rails } from "../providers/rails.ts";
import type { PaymentReport } from "../rails/rail.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { claimTransfers, takeOtherRail } from "./claim-transfers.ts";

const NEVER = new AbortController().signal;
const KEY = ["bucket", "merchant_id", "transfer_id"];

let db: LedgerDatabase;
let payouts: OwnedPool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  payouts = withTestSecrets(createPool({ url: db.url, size: 2, role: "nodal_payouts" }));
});
afterAll(async () => {
  await payouts.end();
  await db.close();
});

/** No bank of its own: all payments leave over accounts at providers. */
class Providers extends PayingBank {
  override inPlace(pool: Pool): Rails {
    return new Rails(pool, null, 5000);
  }
}

describe.each(["cashfree", "razorpayx"] as const)("%s", (name) => {
  let first: StandIn;
  let second: StandIn;
  let merchant: Merchant;
  let rail: string;
  let otherRail: string;
  let rails: Rails;

  beforeEach(async () => {
    ({ bank: first, merchant, rail } = await openLivePayer(db, name, 100_000n));
    second = await openStandIn(name);
    const keyId = `key.${merchant.merchantId}.2`;
    const { account } = await connectStandIn({ pool: db.server, ids: db.ids }, second, merchant, { keyId });
    otherRail = railName(account);
    rails = new Rails(db.server, null, 5000);
    return () => Promise.all([first.stop(), second.stop()]);
  });

  const owner = (text: string, { transferId }: NewTransfer) => db.owner.query(text, [transferId]);
  const stateOf = async (transfer: NewTransfer): Promise<unknown> =>
    (await owner("select state from transfer where transfer_id = $1", transfer)).rows[0]!["state"];
  const keeping = (work: (earlier: EarlierRows) => Promise<void>) => keepingRows(db.owner, "transfer", KEY, work);
  const countPaid = () => [first, second].map(({ desk }) => desk.book.listPayments().length);

  async function accepted(): Promise<NewTransfer> {
    const id = await db.ids.next();
    const transfer = { ...newTransfer(merchant, id, 1000n, `r-${id}`), rail };
    await accept(db.server, [transfer]);
    return transfer;
  }

  /** Sends it over an account, as a server does. */
  async function submit(transfer: NewTransfer, over: string): Promise<void> {
    await (await rails.connector(over, merchant)).submit({ ...transfer, mode: transfer.railMode }, NEVER);
  }

  async function rerouted(): Promise<NewTransfer> {
    const transfer = await accepted();
    const held = newClaim();
    await claimTransfers(db.server, Temporal.Now.instant(), held, [transfer]);
    await takeOtherRail(db.server, { ...transfer, claimId: held.claimId }, otherRail);
    await submit(transfer, otherRail);
    return transfer;
  }

  async function queue(transfer: NewTransfer, state: string): Promise<void> {
    await owner(`update transfer set state = '${state}', claim_id = null where transfer_id = $1`, transfer);
    await owner(
      `insert into transfer_dispatch select bucket, merchant_id, transfer_id, now() from transfer where transfer_id = $1
       on conflict (bucket, merchant_id, transfer_id) do update set due_at = now(), attempts = 0`,
      transfer,
    );
  }

  async function dispatch(transfer: NewTransfer): Promise<void> {
    await dispatching(db, new Providers(), async () => {
      const asked = "select from transfer_dispatch where transfer_id = $1 and attempts > 0 and due_at > now()";
      await vi.waitFor(async () => expect((await owner(asked, transfer)).rowCount).toBe(1), 60_000);
    });
  }

  test("one that left over the second account is asked about there, whatever row of the first one SQL puts back", async () => {
    await keeping(async (earlier) => {
      const transfer = await rerouted();
      await earlier.putBack(`transfer_id = ${transfer.transferId} and state = 'SUBMITTING' and first_rail is null`);
      await queue(transfer, "UNKNOWN");
      await dispatch(transfer);
      expect(countPaid()).toEqual([0, 1]);
      expect(await stateOf(transfer)).toBe("PENDING");
      const { providerId } = second.desk.book.listPayments()[0]!;
      second.desk.book.move(providerId, "PAID", null, second.desk.clock.nowMs());
      await queue(transfer, "UNKNOWN");
      await dispatching(db, new Providers(), () =>
        vi.waitFor(async () => expect(await stateOf(transfer)).toBe("SUCCESS"), 60_000),
      );
      expect(countPaid()).toEqual([0, 1]);
    });
  });

  test("one that was sent leaves over no second account when SQL puts its unsent row back and the first is down", async () => {
    await changeMerchants(db.owner, "update merchant set when_down = 'next' where merchant_id = $1", [
      merchant.merchantId,
    ]);
    await keeping(async (earlier) => {
      const transfer = await accepted();
      await claim(db.server, [transfer]);
      await submit(transfer, rail);
      await report(db.server, transfer, "PENDING");
      await earlier.putBack(`transfer_id = ${transfer.transferId} and state = 'RESERVED'`);
      await queue(transfer, "RESERVED");
      Object.assign(first.desk.credentials, { secret: "nobody-has-this" });
      await dispatch(transfer);
      expect(countPaid()).toEqual([1, 0]);
      expect(await stateOf(transfer)).toBe("UNKNOWN");
    });
  });

  test("a payment that ended is re-checked over its own account, whatever account SQL writes into its row", async () => {
    const transfer = await accepted();
    await claim(db.server, [transfer]);
    await report(db.server, transfer, "SUCCESS");
    await submit(transfer, otherRail);
    const { providerId } = second.desk.book.listPayments()[0]!;
    for (const state of ["PAID", "REVERSED"] as const)
      second.desk.book.move(providerId, state, null, second.desk.clock.nowMs());
    await db.owner.query("update transfer set rail = $2 where transfer_id = $1", [transfer.transferId, otherRail]);
    const heard: PaymentReport[] = [];
    const hear = async (said: PaymentReport): Promise<void> => void heard.push(said);
    const review = new PaymentReview({ pool: payouts, rails, hear, logger: createLogger("silent") });
    await review.runDue(Temporal.Now.instant().add({ hours: 2 }));
    expect(heard).toEqual([]);
  });

  test("a webhook has the transfer's own account asked, whatever account SQL writes into its row", async () => {
    const transfer = await accepted();
    await claim(db.server, [transfer]);
    await report(db.server, transfer, "PENDING");
    await submit(transfer, otherRail);
    const { providerId } = second.desk.book.listPayments()[0]!;
    second.desk.book.move(providerId, "FAILED", "BENE_BANK_DECLINED: Declined.", second.desk.clock.nowMs());
    await db.owner.query("update transfer set rail = $2 where transfer_id = $1", [transfer.transferId, otherRail]);
    const heard: PaymentReport[] = [];
    const hear = async (said: PaymentReport): Promise<void> => void heard.push(said);
    const inbox = openPayoutInbox({ pool: payouts, rails, hear, logger: createLogger("silent") });
    const notice = { eventId: "e", subjectId: transfer.transferId, claims: "FAILED" };
    await insertNotice(payouts, "payouts", { ...merchant, accountId: 1n }, notice);
    inbox.start();
    const tried = "select from provider_notice where subject_id = $1 and tries > 0";
    await vi.waitFor(async () => expect((await owner(tried, transfer)).rowCount).toBe(1), 60_000);
    await inbox.stop();
    expect(heard).toEqual([]);
  });
});
