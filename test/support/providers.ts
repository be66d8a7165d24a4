// Merchants that pay real money over stand-ins of providers. No assertions except that waits end.
import { hookPath } from "../../src/platform/providers/hook-routes.ts";
import { vi } from "vitest";
import { cashfree } from "../../stand-ins/cashfree.ts";
import type { BookState, Payment } from "../../stand-ins/payout-book.ts";
import { razorpayx } from "../../stand-ins/razorpayx.ts";
import { startStandIn, type Protocol, type StandIn } from "../../stand-ins/stand-in.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { changeCredentials, setWhenDown, type ProviderAccount } from "../../src/payouts/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import type { Account, Installation, TestMerchant } from "./installation.ts";
import type { Answer } from "./nodal.ts";
import { connectStandIn } from "./stand-ins.ts";

const PROTOCOLS: Readonly<Record<"cashfree" | "razorpayx", Protocol>> = { cashfree, razorpayx };
const SETTLE_MS = 100;
let names = 0;

/** A stand-in, with credentials that a test may change. */
export class Bank {
  readonly standIn: StandIn;
  readonly credentials: { id: string; secret: string; noticeSecret: string };
  readonly #protocol: Protocol;

  constructor(protocol: Protocol, standIn: StandIn, credentials: Bank["credentials"]) {
    this.#protocol = protocol;
    this.standIn = standIn;
    this.credentials = credentials;
  }

  /** Connects it for a merchant, or for the installation. */
  connect(
    { pool }: Pick<Installation, "pool">,
    merchant: { readonly merchantId: bigint } | null,
    modes: string | null = null,
  ): Promise<{ readonly account: ProviderAccount }> {
    const { credentials } = this;
    return connectStandIn({ pool, ids: new IdSource(pool) }, this.standIn, merchant, { modes, credentials });
  }

  sendNotices({ server }: Installation, account: ProviderAccount): void {
    this.standIn.desk.notices.sendTo(server.baseUrl + hookPath(account.provider, account));
  }

  signNotice(body: string, credentials: Bank["credentials"]): Record<string, string> {
    return {
      "content-type": "application/json",
      ...this.#protocol.signNotice(body, credentials, Date.now()),
    };
  }

  /** The amounts that really left for a merchant's payees, in paise, in order; returned ones are negative. */
  paidOf({ id }: { readonly id: string }): bigint[] {
    const isOf = (clientId: string): boolean => clientId.split("_")[2] === BigInt(id).toString(36);
    return this.standIn.desk.book
      .listMovements()
      .filter(({ clientId }) => isOf(clientId))
      .map(({ kind, amountPaise }) => (kind === "paid" ? amountPaise : -amountPaise));
  }

  /** Changes a transfer's payment at the bank, without a webhook. */
  settle(transferId: string, state: BookState): Payment {
    const { book, clock } = this.standIn.desk;
    return book.move(this.#paymentOf(transferId).providerId, state, "BANK: Because.", clock.nowMs())!;
  }

  /** The fund source that a transfer left from. */
  sourceOf(transferId: string): Payment["source"] {
    return this.#paymentOf(transferId).source;
  }

  #paymentOf(transferId: string): Payment {
    const isMeant = ({ clientId }: Payment): boolean => clientId.endsWith(`_${BigInt(transferId).toString(36)}`);
    return this.standIn.desk.book.listPayments().find(isMeant)!;
  }

  /** The bank returns a paid transfer, and sends a webhook. */
  sendBack(transferId: string): void {
    this.standIn.desk.notices.add(this.settle(transferId, "REVERSED"));
  }
}

/** Starts a stand-in with enough money. */
export async function openBank(name: keyof typeof PROTOCOLS): Promise<Bank> {
  const credentials = { id: "key", secret: "a-secret", noticeSecret: "whsec" };
  const standIn = await startStandIn(PROTOCOLS[name], {
    port: 0,
    file: ":memory:",
    credentials,
    noticeUrl: null,
    settleMs: SETTLE_MS,
    callsPerSecond: null,
    random: Math.random,
  });
  standIn.desk.book.fund(10n ** 12n);
  return new Bank(PROTOCOLS[name], standIn, credentials);
}

type RequestedPayout = Partial<Account> & { readonly upi?: string; readonly amount?: string };

/** A merchant whose money is to leave over providers. */
export class PayingMerchant {
  readonly wire: TestMerchant;
  readonly key: { readonly merchantId: bigint };
  readonly #installation: Installation;

  private constructor(installation: Installation, wire: TestMerchant) {
    this.#installation = installation;
    this.wire = wire;
    this.key = { merchantId: BigInt(wire.id) };
  }

  static async of(installation: Installation, options: { readonly bank?: Account } = {}): Promise<PayingMerchant> {
    return new PayingMerchant(
      installation,
      await installation.newMerchant({ name: `Live ${(names += 1)}`, live: true, ...options }),
    );
  }

  get id(): string {
    return this.wire.id;
  }

  async connect(bank: Bank, modes: string | null = null): Promise<ProviderAccount> {
    return (await bank.connect(this.#installation, this.key, modes)).account;
  }

  changeCredentials(credentials: Parameters<typeof changeCredentials>[1]) {
    return changeCredentials({ pool: this.#installation.pool, merchant: this.key }, credentials);
  }

  setWhenDown(changes: Parameters<typeof setWhenDown>[1]) {
    return setWhenDown({ pool: this.#installation.pool, merchant: this.key }, changes);
  }

  /** Gives it so much money, and waits until every process knows over which accounts it leaves. */
  async goLive(amountPaise: bigint): Promise<void> {
    const { pool } = this.#installation;
    const { bucket, merchantId } = await requireMerchant(pool, this.key.merchantId);
    const funding = { bucket, merchantId, amountPaise, reference: `live ${merchantId}` };
    if (amountPaise > 0n) await fundMerchant(pool, new IdSource(pool), funding);
    await new Promise((resolve) => setTimeout(resolve, 2500));
  }

  /** Requests a transfer to a new payee: ₹100.00 by default. */
  async ask({ amount = "100.00", upi, ...account }: RequestedPayout = {}): Promise<Answer> {
    names += 1;
    const number = { account_number: `5010${String(names).padStart(10, "0")}`, ifsc: "HDFC0001234" };
    const beneficiary_id = await this.wire.addBeneficiary(upi ? { upi } : { ...number, ...account });
    return this.wire.transfer({ beneficiary_id, amount, reference_id: `pay-${names}` });
  }

  /** The same, which is accepted; returns its id. */
  async pay(payoutRequest: RequestedPayout = {}): Promise<string> {
    const answer = await this.ask(payoutRequest);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return String(answer.body.transfer_id);
  }

  async find(transferId: string): Promise<{ state: string; rail: string; reason: string | null; waits: boolean }> {
    const { rows } = await this.#installation.pool.query<{
      state: string;
      rail: string;
      reason: string | null;
      waits: boolean;
    }>(
      `select state, rail, reason, waits_since is not null as waits from transfer
       where merchant_id = $1 and transfer_id = $2`,
      [this.id, transferId],
    );
    return rows[0]!;
  }

  becomes(transferId: string, state: string): Promise<void> {
    const look = async (): Promise<void> => {
      const found = await this.find(transferId);
      if (found.state !== state) throw new Error(`${transferId} is ${found.state}, not ${state}: ${found.reason}`);
    };
    return vi.waitFor(look, { timeout: 120_000, interval: 50 });
  }
}
