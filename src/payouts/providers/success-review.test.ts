// Money that comes back without a webhook: it is noticed when successes are looked at again.
// What belongs here: a database, and stand-ins of both providers. A clock is given, so that nothing has to wait.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  accept,
  applyReports,
  claim,
  makeLiveMerchants,
  newTransfer,
  openLedgerDatabase,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { CREDENTIALS, openStandIn } from "../../../test/support/stand-ins.ts";
import { SOURCE_ACCOUNT } from "../../../stand-ins/razorpayx.ts";
import type { StandIn } from "../../../stand-ins/stand-in.ts";
import type { Merchant } from "../../merchants/index.ts";
import { createPool, type OwnedPool } from "../../platform/database/pool.ts";
import { createLogger } from "../../platform/log.ts";
import { withTestSecrets } from "../../../test/support/secrets.ts";
import { Rails } from "../rails/rails.ts";
import type { PaymentReport } from "../rails/rail.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { connectProvider } from "./connect-provider.ts";
import { railName } from "./provider-account.ts";
import { SuccessReview } from "./success-review.ts";

const FUNDS_PAISE = 10_000_000n;
const NEVER = new AbortController().signal;

let db: LedgerDatabase;
let payouts: OwnedPool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  payouts = withTestSecrets(createPool({ url: db.url, size: 2, role: "nodal_payouts", pipelined: true }));
});
afterAll(async () => {
  await payouts.end();
  await db.close();
});

describe.each(["cashfree", "razorpayx"] as const)("%s", (name) => {
  let bank: StandIn;
  let merchant: Merchant;
  let rails: Rails;
  let rail: string;
  let paid: NewTransfer[];
  let heard: PaymentReport[];
  let review: SuccessReview;

  beforeEach(async () => {
    bank = await openStandIn(name);
    // The stand-ins of those before are gone.
    await db.owner.query("update merchant set live = false");
    await db.owner.query("delete from success_review");
    [merchant] = (await makeLiveMerchants(db, 1, FUNDS_PAISE)) as [Merchant];
    const { account } = await connectProvider(
      { pool: db.server, ids: db.ids, merchant },
      {
        provider: name,
        baseUrl: bank.url,
        keyId: CREDENTIALS.id,
        secret: CREDENTIALS.secret,
        webhookSecret: CREDENTIALS.noticeSecret,
        sourceAccount: SOURCE_ACCOUNT,
        modes: null,
      },
    );
    rail = railName(account);
    rails = new Rails(payouts, null, 5000);
    heard = [];
    review = newReview();
    return () => bank.stop();
  });

  function newReview(): SuccessReview {
    const hear = async (report: PaymentReport): Promise<void> => {
      heard.push(report);
      await applyReports(db.server, Temporal.Now.instant(), [{ ...report, dueAt: null, attempts: 1 }]);
    };
    return new SuccessReview({ pool: payouts, rails, hear, logger: createLogger("silent") });
  }

  /** Transfers that the provider has paid, as the books know. */
  async function pay(count: number): Promise<void> {
    const connector = await rails.connector(rail, merchant);
    const wishes = Array.from({ length: count }, async (_, index) => ({
      ...newTransfer(merchant, await db.ids.next(), 1000n + BigInt(index), `pay ${index}`),
      rail,
    }));
    paid = [...(await accept(db.server, await Promise.all(wishes)))];
    await claim(db.server, paid);
    for (const { payee, railMode: mode, ...transfer } of paid) {
      await connector.submit({ ...transfer, payee, mode }, NEVER);
      const { providerId } = bank.desk.book.listPayments().at(-1)!;
      bank.desk.book.move(providerId, "PAID", null, bank.desk.clock.nowMs());
      const report = (await connector.status(transfer, NEVER))!;
      await applyReports(db.server, Temporal.Now.instant(), [{ ...report, dueAt: null, attempts: 1 }]);
    }
  }

  function sendBack(transfer: NewTransfer): void {
    const { providerId } = bank.desk.book
      .listPayments()
      .find(({ amountPaise }) => amountPaise === transfer.amountPaise)!;
    bank.desk.book.move(providerId, "REVERSED", "RETURNED_FROM_BENEFICIARY: Sent back.", bank.desk.clock.nowMs());
  }

  async function states(): Promise<string[]> {
    const { rows } = await db.owner.query<{ state: string }>(
      "select state from transfer where merchant_id = $1 order by transfer_id",
      [merchant.merchantId],
    );
    return rows.map(({ state }) => state);
  }

  const after = (duration: Temporal.DurationLike) => Temporal.Now.instant().add(duration);

  test.each([
    ["an hour", { minutes: 59 }, { minutes: 61 }],
    ["a day", { hours: 23 }, { hours: 25 }],
    ["three working days", { hours: 26 }, { hours: 24 * 9 }],
  ])("what came back without a webhook is noticed after %s, once", async (_, before, then) => {
    await pay(3);
    // What was right before is not asked about again.
    await review.runDue(after(before));
    sendBack(paid[1]!);
    await review.runDue(after(before));
    expect(await states()).toEqual(["SUCCESS", "SUCCESS", "SUCCESS"]);
    await newReview().runDue(after(then));
    expect(await states()).toEqual(["SUCCESS", "REVERSED", "SUCCESS"]);
    await newReview().runDue(after({ hours: 24 * 20 }));
    expect(heard.filter(({ status }) => status === "REVERSED")).toHaveLength(1);
  });

  test("many are asked about in few calls, in turns, and none is left out", async () => {
    await pay(25);
    for (const transfer of paid.slice(0, 24)) sendBack(transfer);
    await review.runDue(after({ hours: 2 }));
    expect(await states()).toEqual([...Array<string>(24).fill("REVERSED"), "SUCCESS"]);
  });

  test("a provider that is away is asked again later", async () => {
    await pay(3);
    sendBack(paid[2]!);
    bank.desk.faults.add({ kind: "error_before", on: "status" });
    await expect(review.runDue(after({ hours: 2 }))).rejects.toThrow(/500/);
    bank.desk.faults.clear();
    await review.runDue(after({ hours: 3 }));
    expect(await states()).toEqual(["SUCCESS", "SUCCESS", "REVERSED"]);
  });
});
