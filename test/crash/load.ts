// A load of every kind of request that moves money, with a journal of what each was answered: acknowledged, refused or
// unknown. What belongs here: making requests, sending them, and sending the unknown ones again. No assertion.
import { setTimeout as sleep } from "node:timers/promises";
import { fundMerchant } from "../../src/ledger/index.ts";
import { formatPaise } from "../../src/platform/money.ts";
import { send } from "../support/nodal.ts";
import type { CrashSite, PayeeName, SiteMerchant } from "./site.ts";

export type RequestKind = "transfer" | "withdrawal" | "beneficiary" | "funding";

/** One request and what became of it. */
export type Entry = {
  readonly kind: RequestKind;
  readonly merchant: SiteMerchant;
  readonly amountPaise: bigint;
  readonly beneficiaryId: string | null;
  readonly referenceId: string | null;
  readonly idempotencyKey: string | null;
  /** Every id that an answer with 200 named: there must never be two. */
  readonly ids: Set<string>;
  /** The last wire status and UTR that were acknowledged. */
  status: string;
  utr: string;
  outcome: "under way" | "acknowledged" | "refused" | "unknown";
  /** Statuses, with machine codes, or the error of a connection: one for each time that it was sent. */
  readonly answers: string[];
  sentAtMs: number;
};

type LoadOptions = {
  readonly site: CrashSite;
  readonly merchants: readonly SiteMerchant[];
  readonly random: () => number;
};

const PAUSE_MS = 10;
/** After a broken connection or a 5xx a client waits, as a good one would. */
const PAUSE_AFTER_FAILURE_MS = 50;
const REQUEST_TIMEOUT_MS = 20_000;

/** A generator of numbers from 0 up to 1 that a seed repeats (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** How often each kind of payee is paid; the accounts that answer late or fail are there to be caught mid-way. */
const PAYEE_WEIGHTS: readonly (readonly [PayeeName, number])[] = [
  ["success", 40],
  ["upi", 20],
  ["upiFailed", 5],
  ["failed", 8],
  ["pendingThenSuccess", 9],
  ["pendingThenFailed", 8],
  ["reversed", 8],
  ["staysPending", 2],
];

export class Load {
  readonly entries: Entry[] = [];
  /** Where requests go: one server, or several on one database. */
  targets: string[];
  readonly #options: LoadOptions;
  #clients: Promise<void>[] = [];
  #running = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.targets = [options.site.baseUrl];
  }

  /** Starts clients that send one request after the other until `stop`. */
  start(clients: number): void {
    this.#running = true;
    this.#clients = Array.from({ length: clients }, () => this.#runClient());
  }

  /** Stops the clients, each after its request in hand. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  /** Sends every request without an answer again, until each has one: the same reference or key, the same body. */
  async retryUnknown(): Promise<void> {
    const unknown = this.entries.filter((entry) => entry.outcome === "unknown" && isRepeatable(entry));
    const workers = Array.from({ length: 8 }, async () => {
      for (let entry = unknown.pop(); entry; entry = unknown.pop()) {
        for (let attempt = 0; entry.outcome === "unknown" && attempt < 20; attempt += 1) {
          if (attempt > 0) await sleep(250);
          await this.#send(entry);
        }
      }
    });
    await Promise.all(workers);
  }

  /** Sends one transfer to a payee of the merchant; it goes into the journal as any other. */
  async sendTransfer(merchant: SiteMerchant, payee: PayeeName): Promise<Entry> {
    const entry = this.#make("transfer", merchant, payee);
    await this.#send(entry);
    return entry;
  }

  /** How many requests were sent more than once. */
  countResent(): number {
    return this.entries.filter((entry) => entry.answers.length > 1).length;
  }

  async #runClient(): Promise<void> {
    while (this.#running) {
      const entry = this.#choose();
      await this.#send(entry);
      await sleep(entry.outcome === "unknown" ? PAUSE_AFTER_FAILURE_MS : PAUSE_MS);
    }
  }

  /** A new request or, now and then, one that has been acknowledged already. */
  #choose(): Entry {
    const roll = this.#options.random();
    const earlier = this.entries[Math.floor(this.#options.random() * this.entries.length)];
    if (roll >= 0.93 && earlier?.outcome === "acknowledged" && isRepeatable(earlier)) return earlier;
    const { merchants, random } = this.#options;
    const kind = roll < 0.68 ? "transfer" : roll < 0.83 ? "withdrawal" : roll < 0.89 ? "beneficiary" : "funding";
    return this.#make(kind, merchants[Math.floor(random() * merchants.length)]!, this.#choosePayee());
  }

  #make(kind: RequestKind, merchant: SiteMerchant, payee: PayeeName): Entry {
    const { random } = this.#options;
    const name = `load-${this.entries.length}`;
    const how = random();
    const hasReference = kind === "transfer" || kind === "funding" || (kind === "withdrawal" && how < 0.5);
    const hasKey = kind === "beneficiary" || (kind === "withdrawal" && how >= 0.3 && how < 0.9) || how > 0.95;
    const entry: Entry = {
      kind,
      merchant,
      amountPaise: BigInt(100 + Math.floor(random() * 50_000)),
      beneficiaryId: kind === "transfer" ? merchant.beneficiaryIds[payee] : null,
      referenceId: hasReference ? name : null,
      idempotencyKey: hasKey && kind !== "funding" ? `key-${name}` : null,
      ids: new Set(),
      status: "",
      utr: "",
      outcome: "under way",
      answers: [],
      sentAtMs: 0,
    };
    this.entries.push(entry);
    return entry;
  }

  #choosePayee(): PayeeName {
    let point = this.#options.random() * 100;
    return PAYEE_WEIGHTS.find(([, weight]) => (point -= weight) < 0)?.[0] ?? "success";
  }

  async #send(entry: Entry): Promise<void> {
    entry.sentAtMs = performance.now();
    try {
      if (entry.kind === "funding") await this.#fund(entry);
      else await this.#request(entry);
    } catch (error) {
      entry.answers.push(String((error as Error).cause ?? error));
      // What was acknowledged stays so, whatever becomes of a repetition.
      if (entry.outcome !== "acknowledged") entry.outcome = "unknown";
    }
  }

  /** Money comes in by the command line's use case, which talks to the database itself. */
  async #fund(entry: Entry): Promise<void> {
    const { site } = this.#options;
    const { bucket, merchantId } = entry.merchant;
    const { amountPaise, referenceId: reference } = entry;
    const funding = { bucket, merchantId, amountPaise, reference: reference! };
    const { fundingId } = await fundMerchant(site.pool, site.ids, funding);
    entry.ids.add(String(fundingId));
    entry.answers.push("funded");
    entry.outcome = "acknowledged";
  }

  async #request(entry: Entry): Promise<void> {
    const target = this.targets[Math.floor(this.#options.random() * this.targets.length)]!;
    const { path, body } = wireRequest(entry, this.entries.indexOf(entry));
    const headers = {
      authorization: `Bearer ${entry.merchant.token}`,
      ...(entry.idempotencyKey === null ? {} : { "idempotency-key": entry.idempotencyKey }),
    };
    const answer = await within(REQUEST_TIMEOUT_MS, send(target, "POST", path, body, headers));
    entry.answers.push(`${answer.status} ${answer.body?.code ?? ""}`);
    if (answer.status === 200) {
      const { transfer_id: transferId, withdrawal_id: withdrawalId, beneficiary_id: beneficiaryId } = answer.body;
      entry.ids.add((transferId ?? withdrawalId ?? beneficiaryId) as string);
      entry.status = (answer.body.transfer_status ?? answer.body.withdrawal_status ?? "") as string;
      entry.utr = (answer.body.utr_number ?? "") as string;
      entry.outcome = "acknowledged";
    } else if (entry.outcome !== "acknowledged") {
      entry.outcome = answer.status < 500 ? "refused" : "unknown";
    }
  }
}

/** Whether sending it again is the same request: it has a reference or a key. */
function isRepeatable(entry: Entry): boolean {
  return entry.referenceId !== null || entry.idempotencyKey !== null;
}

/** The account that a saved beneficiary of the load has: one of its own. */
export function accountOf(index: number): string {
  return `77${String(index).padStart(10, "0")}`;
}

function wireRequest(entry: Entry, index: number): { path: string; body: unknown } {
  const amount = formatPaise(entry.amountPaise);
  const reference = entry.referenceId === null ? {} : { reference_id: entry.referenceId };
  if (entry.kind === "transfer") {
    const body = { beneficiary_id: entry.beneficiaryId, amount, ...reference, narrative: "Under load" };
    return { path: "/api/v1/beneficiary/transfer", body };
  }
  if (entry.kind === "withdrawal") return { path: "/api/v1/payout/withdraw", body: { amount, ...reference } };
  const body = { name: "Load", account_number: accountOf(index), ifsc: "HDFC0000001" };
  return { path: "/api/v1/beneficiary/save", body };
}

/** A server that neither answers nor breaks off would keep a client, and the test, forever. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const timeout = sleep(timeoutMs, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`no answer within ${timeoutMs} ms`);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    stop.abort();
    timeout.catch(() => {});
  }
}
