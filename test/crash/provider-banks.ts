// Stand-ins of payout providers in the simulated bank's place: each merchant is live, and pays over an account of its
// own at one.
import { hookPath } from "../../src/platform/providers/hook-routes.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { cashfree } from "../../stand-ins/cashfree.ts";
import { CALL_FAULTS } from "../../stand-ins/faults.ts";
import type { BookState, Payment, PayoutBook } from "../../stand-ins/payout-book.ts";
import { razorpayx } from "../../stand-ins/razorpayx.ts";
import { startStandIn, type Protocol, type StandIn } from "../../stand-ins/stand-in.ts";
import { connectProvider } from "../../src/payouts/index.ts";
import { JOIN_PAYEE, PAYEE_COLUMNS } from "../../src/payouts/transfer-store.ts";
import type { Payee } from "../../src/payouts/rails/rail.ts";
import { takeLive } from "../support/live.ts";
import { readWithPayees } from "../support/payees.ts";
import { expectHolds, expectSame } from "./expectations.ts";
import { until, type CrashSite, type SiteMerchant } from "./site.ts";
import { ownCredentials } from "../support/stand-ins.ts";

const CREDENTIALS = { id: "key", secret: "secret", noticeSecret: "whsec" };
const FUNDS_PAISE = 10n ** 13n;
const SETTLE_MS = 40;
/** Of a hundred calls, how many go wrong in each way; silence lasts as long as the server's patience. */
const FAULT_PERCENT = 2;
const SILENCE_PERCENT = 0.5;
const NOTICE_FAULT_PERCENT = 10;
/** The last webhooks are on their way for so long at most. */
const AGREE_TIMEOUT_MS = 120_000;
const HURRY_MS = 3000;
/** What a server remembers of a key's merchant, which was in the sandbox, is up to 2 s old. */
const KEYS_REMEMBERED_MS = 2500;

/** Which providers are stood in for; with both, merchants are at one and the other by turns. */
export const PROVIDER_CHOICES = ["cashfree", "razorpayx", "both"] as const;
export type ProviderChoice = (typeof PROVIDER_CHOICES)[number];

const PROTOCOLS: Readonly<Record<ProviderChoice, readonly Protocol[]>> = {
  cashfree: [cashfree],
  razorpayx: [razorpayx],
  both: [cashfree, razorpayx],
};

/** What a server has to be started with: it does not wait for a silent provider for long. */
export const PROVIDER_SETTINGS = { BANK_TIMEOUT_MS: "700" };

const STATES: Readonly<Record<BookState, string>> = {
  QUEUED: "PENDING",
  PENDING: "PENDING",
  PAID: "SUCCESS",
  FAILED: "FAILED",
  REJECTED: "REJECTED",
  REVERSED: "REVERSED",
};

type Row = {
  readonly bucket: number;
  readonly merchant_id: bigint;
  readonly transfer_id: bigint;
  readonly beneficiary_id: bigint | null;
  readonly payee: Payee;
  readonly state: string;
  readonly amount_paise: bigint;
  readonly utr: string | null;
  readonly fee_paise: bigint;
};

export class ProviderBanks {
  readonly #banks: readonly (readonly [StandIn, SiteMerchant])[];
  #hurry: NodeJS.Timeout | undefined;

  private constructor(banks: readonly (readonly [StandIn, SiteMerchant])[]) {
    this.#banks = banks;
  }

  /** Starts a stand-in for each merchant, connects it there, and takes it live. */
  static async connect(
    site: CrashSite,
    merchants: readonly SiteMerchant[],
    choice: ProviderChoice,
    random: () => number,
  ): Promise<ProviderBanks> {
    const protocols = PROTOCOLS[choice];
    const banks = await Promise.all(
      merchants.map(async (merchant, index) => {
        const bank = await startStandIn(protocols[index % protocols.length]!, {
          port: 0,
          file: ":memory:",
          credentials: CREDENTIALS,
          noticeUrl: null,
          settleMs: SETTLE_MS,
          callsPerSecond: null,
          random,
        });
        return [bank, merchant] as const;
      }),
    );
    const connected = new ProviderBanks(banks);
    for (const [bank, merchant] of banks) await connected.#connect(site, bank, merchant);
    await sleep(KEYS_REMEMBERED_MS);
    return connected;
  }

  async #connect(site: CrashSite, bank: StandIn, { merchantId }: SiteMerchant): Promise<void> {
    bank.desk.book.fund(FUNDS_PAISE);
    await takeLive(site.pool, merchantId);
    const { account } = await connectProvider(
      { pool: site.pool, ids: site.ids, merchant: { merchantId } },
      {
        provider: bank.name,
        baseUrl: bank.url,
        keyId: CREDENTIALS.id,
        secret: CREDENTIALS.secret,
        ...ownCredentials(bank.name, CREDENTIALS.noticeSecret),
        modes: null,
      },
    );
    bank.desk.notices.sendTo(site.baseUrl + hookPath(bank.name, account));
  }

  /** Lets a part of all calls and webhooks go wrong, in every way. */
  disturb(): void {
    clearInterval(this.#hurry);
    for (const [{ desk }] of this.#banks) {
      for (const kind of CALL_FAULTS)
        desk.faults.add({ kind, percent: kind === "silence" ? SILENCE_PERCENT : FAULT_PERCENT });
      // What comes back after a success is told by a webhook first, so none of them is lost.
      for (const kind of ["duplicate", "reordered", "contradicting"])
        desk.faults.add({ kind, percent: NOTICE_FAULT_PERCENT });
    }
  }

  /**
   * Lets nothing more go wrong, and asks again and again about what is open: who was unlucky many times would wait for minutes,
   * and what is refused, such as a commission below the least that a provider pays, is asked about ten times first.
   */
  async calm({ pool }: CrashSite): Promise<void> {
    for (const [{ desk }] of this.#banks) {
      desk.faults.clear();
      // What waits for balance goes on.
      desk.book.fund(0n);
    }
    clearInterval(this.#hurry);
    const hurry = () => pool.query("update transfer_dispatch set due_at = now() where due_at < 'infinity'");
    await hurry();
    // A lock that is not free is free the next time.
    this.#hurry = setInterval(() => void hurry().catch(() => {}), HURRY_MS);
  }

  /** Waits until the books say what the providers' own say, and compares them: each payment was made once, and as they say. */
  async expectAgree(site: CrashSite): Promise<void> {
    let differing: readonly string[] = [];
    const agree = async (): Promise<boolean> => {
      differing = (await Promise.all(this.#banks.map(([bank, merchant]) => compare(site, bank, merchant)))).flat();
      return differing.length === 0;
    };
    await until(agree, AGREE_TIMEOUT_MS, "the books agree with the providers'").catch(() => {});
    expectSame(differing, [], "what the providers have, and what the books say");
    const { rows } = await site.pool.query("select transfer_id from simulator.payment");
    expectSame(rows, [], "what the simulated bank has paid for live merchants");
    for (const [bank, merchant] of this.#banks) await expectSums(site, bank, merchant);
  }

  /** How many payments were really made, and how many of them came back. */
  count(): { readonly paid: number; readonly returned: number } {
    const movements = this.#banks.flatMap(([{ desk }]) => desk.book.listMovements());
    const returned = movements.filter(({ kind }) => kind === "returned").length;
    return { paid: movements.length - returned, returned };
  }

  async stop(): Promise<void> {
    clearInterval(this.#hurry);
    await Promise.all(this.#banks.map(([bank]) => bank.stop()));
  }
}

/** The transfer that a payment at a provider is for. */
function transferOf({ clientId }: Payment): string {
  return String(BigInt(Number.parseInt(clientId.split("_").at(-1)!, 36)));
}

/** In which payments a provider's book and Nodal's differ, one line each; and which were made twice. */
async function compare(site: CrashSite, { desk, name }: StandIn, { merchantId }: SiteMerchant): Promise<string[]> {
  const rows = await readWithPayees<Row>(
    site.pool,
    `select transfer.*, ${PAYEE_COLUMNS}, coalesce((
       select sum(case when kind like '%returned' then -amount_paise else amount_paise end) from journal
       where journal.bucket = transfer.bucket and journal.merchant_id = transfer.merchant_id
         and subject_id = transfer_id and kind like 'fee%' and kind not like '%matched'), 0)::bigint as fee_paise
     from transfer ${JOIN_PAYEE} where transfer.merchant_id = ${merchantId}`,
  );
  const payments = new Map(desk.book.listPayments().map((payment) => [transferOf(payment), payment]));
  const net = new Map<string, number>();
  for (const { clientId, kind } of desk.book.listMovements())
    net.set(clientId, (net.get(clientId) ?? 0) + (kind === "paid" ? 1 : -1));
  const differing: string[] = [];
  for (const row of rows) {
    const payment = payments.get(String(row.transfer_id));
    payments.delete(String(row.transfer_id));
    const left = payment ? (net.get(payment.clientId) ?? 0) : 0;
    if (payment && left !== (payment.state === "PAID" ? 1 : 0))
      differing.push(`${name} ${row.transfer_id}: ${payment.state}, and paid ${left} times`);
    const [here, there] = [describeHere(row), describeThere(row, payment, desk.book)];
    // Asked about without an answer a moment ago; the bank leaves it open for ever.
    if (here !== there && !(row.state === "UNKNOWN" && payment?.state === "PENDING"))
      differing.push(`${name} ${row.transfer_id}: ${here} here, ${there} there`);
  }
  return [...differing, ...[...payments.keys()].map((id) => `${name} ${id}: paid, and there is no such transfer`)];
}

function describeHere({ state, amount_paise: paise, payee, utr, fee_paise: fee }: Row): string {
  const isPaid = state === "SUCCESS" || state === "REVERSED";
  return [state, paise, payee.accountNumber ?? payee.upi, ...(isPaid ? [utr, `fee ${fee}`] : [`fee ${fee}`])].join(" ");
}

/** What a provider refused is not there. */
function describeThere({ amount_paise: paise, payee }: Row, payment: Payment | undefined, book: PayoutBook): string {
  if (!payment) return ["FAILED", paise, payee.accountNumber ?? payee.upi, "fee 0"].join(" ");
  const isPaid = payment.state === "PAID" || payment.state === "REVERSED";
  const to = payment.accountNumber ?? payment.upi;
  const end = isPaid ? [payment.utr, `fee ${book.chargedPaise(payment)}`] : ["fee 0"];
  return [STATES[payment.state], payment.amountPaise, to, ...end].join(" ");
}

/** What has left the provider's balance is what the books say has left, to the paisa. */
async function expectSums(site: CrashSite, { desk, name }: StandIn, { merchantId }: SiteMerchant): Promise<void> {
  const { rows } = await site.pool.query<{ payout_clearing_paise: bigint }>(
    "select payout_clearing_paise from ledger_book where merchant_id = $1",
    [merchantId],
  );
  const pending = desk.book.listPayments().filter(({ state }) => state === "PENDING");
  const held = pending.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
  const left = FUNDS_PAISE - desk.book.balancePaise() - held;
  expectHolds(left > 0n, `${name} has paid something for ${merchantId}`);
  expectSame(rows[0]!.payout_clearing_paise, left, `what has left ${name} for the merchant ${merchantId}`);
}
