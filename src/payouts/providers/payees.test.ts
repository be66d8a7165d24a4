// Payees at providers are stored in the database, by account and merchant, across restarts and until the provider no longer knows
// them.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openLedgerDatabase, makeLiveMerchants, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { connectStandIn, CREDENTIALS } from "../../../test/support/stand-ins.ts";
import { cashfree } from "../../../stand-ins/cashfree.ts";
import { razorpayx } from "../../../stand-ins/razorpayx.ts";
import { startStandIn, type StandIn } from "../../../stand-ins/stand-in.ts";
import type { Merchant } from "../../merchants/index.ts";
import type { PaymentInstruction } from "../rails/rail.ts";
import { Rails } from "./rails.ts";
import { railName } from "./provider-account.ts";

const NEVER = new AbortController().signal;
let db: LedgerDatabase;
let lastId = 2n ** 50n;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

describe.each([cashfree, razorpayx])("at $name", (protocol) => {
  let bank: StandIn;
  let one: Merchant;
  let other: Merchant;
  let rail: string;

  beforeEach(async () => {
    bank = await startStandIn(protocol, {
      port: 0,
      file: ":memory:",
      credentials: { ...CREDENTIALS },
      noticeUrl: null,
      settleMs: 1,
      callsPerSecond: null,
      random: Math.random,
    });
    bank.desk.book.fund(10n ** 12n);
    [one, other] = (await makeLiveMerchants(db, 2, 1_000_000n)) as [Merchant, Merchant];
    // The installation's account, which both share.
    const { account } = await connectStandIn({ pool: db.server, ids: db.ids }, bank, null);
    rail = railName(account);
  });
  afterEach(() => bank.stop());

  /** Pays over new connectors, like a process that has just started. */
  async function pay(merchant: Merchant, accountNumber = "50100012345678"): Promise<void> {
    const { bucket, merchantId } = merchant;
    const payee = { name: "Asha Rao", accountNumber, ifsc: "HDFC0001234", upi: null };
    lastId += 1n;
    const payment: PaymentInstruction = {
      transferId: lastId,
      bucket,
      merchantId,
      amountPaise: 100n,
      mode: "IMPS",
      payee,
      narrative: "",
    };
    const connector = await new Rails(db.server, null, 5000).connector(rail, merchant);
    expect(await connector.submit(payment, NEVER)).toMatchObject({ status: "PENDING" });
  }

  async function remembered(): Promise<bigint[]> {
    const { rows } = await db.owner.query<{ merchant_id: bigint; provider_id: string }>(
      "select merchant_id, provider_id from provider_payee where account_id = $1 order by merchant_id",
      [BigInt(rail.split(":").at(-1)!)],
    );
    expect(rows.every(({ provider_id: id }) => id.startsWith("enc1:"))).toBe(true);
    return rows.map(({ merchant_id: id }) => id);
  }

  test("a payee is made once, whatever process pays", async () => {
    await pay(one);
    bank.desk.faults.add({ kind: "error_before", on: "payee" });
    await pay(one);
    expect(await remembered()).toEqual([one.merchantId]);
    await expect(pay(one, "50100087654321")).rejects.toThrow("answered 500");
    expect(await remembered()).toEqual([one.merchantId]);
  });

  test("merchants that share the account have rows of their own, also for the same payee", async () => {
    await pay(one);
    await pay(other);
    expect(await remembered()).toEqual([one.merchantId, other.merchantId]);
    bank.desk.faults.add({ kind: "error_before", on: "payee" });
    await pay(other);
    const { payeeId } = bank.desk.book.listPayments().at(-1)!;
    expect(bank.desk.book.listPayments().filter((payment) => payment.payeeId === payeeId).length).toBeGreaterThan(1);
  });

  test("a payee that was given another's place there with SQL is not paid", async () => {
    await pay(one);
    await pay(one, "50100087654321");
    const swap = `update provider_payee to_swap set provider_id = other.provider_id from provider_payee other
      where to_swap.account_id = $1 and other.account_id = $1 and other.payee_index <> to_swap.payee_index`;
    await db.owner.query(swap, [BigInt(rail.split(":").at(-1)!)]);
    await expect(pay(one)).rejects.toThrow("can't be decrypted");
    expect(bank.desk.book.listPayments()).toHaveLength(2);
  });

  test("what the provider no longer knows is made again and remembered in its place", async () => {
    await pay(one);
    bank.desk.book.removePayee(bank.desk.book.listPayments()[0]!.payeeId);
    await pay(one);
    expect(await remembered()).toEqual([one.merchantId]);
    bank.desk.faults.add({ kind: "error_before", on: "payee" });
    await pay(one);
    expect(bank.desk.book.listPayments()).toHaveLength(3);
  });
});
