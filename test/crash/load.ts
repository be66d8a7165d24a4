// A load of every kind of write, with a journal of what each was answered: acknowledged, refused or unknown. No
// assertion.
import { setTimeout as sleep } from "node:timers/promises";
import { NodalError } from "../../src/platform/errors.ts";
import { send } from "../support/nodal.ts";
import type { Ask, Entry, Kind } from "./journal.ts";
import type { CrashSite, PayeeName, SiteMerchant } from "./site.ts";
import { between, PAYOUT_KINDS, WRITES, type Stage, type WireWrite } from "./writes.ts";

export { seededRandom } from "../../stand-ins/random.ts";

type LoadOptions = {
  readonly site: CrashSite;
  readonly merchants: readonly SiteMerchant[];
  readonly random: () => number;
  /** What is sent: by default what moves money to and from the bank. */
  readonly kinds?: readonly Kind[];
};

const PAUSE_MS = 10;
/** After a broken connection or a 5xx a client waits, as a good one would. */
const PAUSE_AFTER_FAILURE_MS = 50;
const REQUEST_TIMEOUT_MS = 20_000;
/** How many of the requests are ones that were acknowledged before. */
const REPEATED = 0.07;
/** Only the latest are changed, so that some are changed more than once. */
const RECENT = 40;
const TIME_ZONE = "Asia/Kolkata";

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
  readonly #options: Required<LoadOptions>;
  readonly #firstDay: Temporal.PlainDate;
  /** How many days each merchant's clock was moved ahead. */
  readonly #daysAhead = new Map<SiteMerchant, number>();
  /** Entries, and merchants, of which a change is under way or in doubt. */
  readonly #held = new Set<object>();
  /** What was acknowledged and may be changed or named by others, by merchant and kind. */
  readonly #known = new Map<string, Entry[]>();
  #acknowledged = 0;
  #failures = 0;
  #clients: Promise<void>[] = [];
  #running = false;

  constructor(options: LoadOptions) {
    this.#options = { kinds: PAYOUT_KINDS, ...options };
    this.targets = [options.site.baseUrl];
    this.#firstDay = Temporal.Now.plainDateISO(TIME_ZONE);
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

  /** Saves a beneficiary, the same one again and again until it is acknowledged. Returns how long that took, in ms. */
  async timeToServe(timeoutMs: number): Promise<number> {
    const startedMs = performance.now();
    const entry = this.#make("beneficiary", this.#chooseMerchant(), "success");
    for (;;) {
      await this.#send(entry);
      const tookMs = performance.now() - startedMs;
      if (entry.outcome === "acknowledged") return tookMs;
      if (tookMs > timeoutMs) throw new Error(`not serving within ${timeoutMs} ms: ${entry.answers.at(-1)}`);
      await sleep(PAUSE_MS);
    }
  }

  /** How often a request was neither done nor refused. */
  countFailures(): number {
    return this.#failures;
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
    const { random } = this.#options;
    const earlier = this.entries[Math.floor(random() * this.entries.length)];
    if (random() < REPEATED && earlier?.outcome === "acknowledged" && isRepeatable(earlier)) return earlier;
    return this.#make(this.#chooseKind(), this.#chooseMerchant(), this.#choosePayee());
  }

  #chooseKind(): Kind {
    const { kinds, random } = this.#options;
    const total = kinds.reduce((sum, kind) => sum + WRITES[kind].weight, 0);
    let point = random() * total;
    return kinds.find((kind) => (point -= WRITES[kind].weight) < 0) ?? "transfer";
  }

  #chooseMerchant(): SiteMerchant {
    const { merchants, random } = this.#options;
    return merchants[Math.floor(random() * merchants.length)]!;
  }

  #choosePayee(): PayeeName {
    let point = this.#options.random() * 100;
    return PAYEE_WEIGHTS.find(([, weight]) => (point -= weight) < 0)?.[0] ?? "success";
  }

  /** A new entry of the kind; a transfer where the kind needs something to change and there is nothing. */
  #make(kind: Kind, merchant: SiteMerchant, payee: PayeeName): Entry {
    const { random } = this.#options;
    const { changes, alone } = WRITES[kind];
    const subject = changes?.map((each) => this.#pick(merchant, each, true)).find((found) => found !== null) ?? null;
    if ((changes && !subject) || (alone && this.#held.has(merchant))) return this.#make("transfer", merchant, payee);
    if (subject) this.#held.add(subject);
    if (alone) this.#held.add(merchant);
    if (kind === "clock") this.#daysAhead.set(merchant, (this.#daysAhead.get(merchant) ?? 0) + between(random, 1, 3));
    const ask: Ask = {
      kind,
      name: `load-${this.entries.length}`,
      merchant,
      amountPaise: BigInt(between(random, 100, 50_000)),
      subject,
      beneficiaryId: kind === "transfer" ? merchant.beneficiaryIds[payee] : null,
      ...this.#chooseRepetition(kind),
    };
    const write = WRITES[kind];
    const entry: Entry = {
      ...ask,
      body: "path" in write ? write.body(ask, this.#stageOf(merchant)) : null,
      ids: new Set(),
      status: "",
      utr: "",
      outcome: "under way",
      acknowledgedAs: 0,
      answers: [],
      sentAtMs: 0,
    };
    this.entries.push(entry);
    return entry;
  }

  /** By what a request may be sent again: a few withdrawals by nothing. */
  #chooseRepetition(kind: Kind): Pick<Ask, "referenceId" | "idempotencyKey"> {
    const name = `load-${this.entries.length}`;
    const how = this.#options.random();
    const { repeatedBy } = WRITES[kind];
    const hasReference = repeatedBy === "reference" || (repeatedBy === "either" && how < 0.5);
    const hasKey = repeatedBy === "key" || (repeatedBy === "either" && how >= 0.3 && how < 0.9) || how > 0.95;
    const { signedBy } = WRITES[kind] as Partial<WireWrite>;
    return {
      referenceId: hasReference ? name : null,
      idempotencyKey: hasKey && signedBy ? `key-${name}` : null,
    };
  }

  #pick(merchant: SiteMerchant, kind: Kind, isFree: boolean): Entry | null {
    const known = this.#known.get(`${merchant.merchantId} ${kind}`) ?? [];
    const recent = known.slice(-RECENT).filter((entry) => !isFree || !this.#held.has(entry));
    return recent[Math.floor(this.#options.random() * recent.length)] ?? null;
  }

  #stageOf(merchant: SiteMerchant): Stage {
    return {
      random: this.#options.random,
      firstDay: this.#firstDay,
      today: this.#firstDay.add({ days: this.#daysAhead.get(merchant) ?? 0 }),
      pick: (kind) => this.#pick(merchant, kind, false),
    };
  }

  async #send(entry: Entry): Promise<void> {
    entry.sentAtMs = performance.now();
    const write = WRITES[entry.kind];
    try {
      if ("path" in write) await this.#request(entry, write);
      else {
        const identified = await write.perform(entry, this.#options.site, this.#stageOf(entry.merchant));
        this.#acknowledge(entry, "done", identified);
      }
    } catch (error) {
      const isRefused = error instanceof NodalError && error.status < 500;
      entry.answers.push(isRefused ? `${error.status} ${error.code}` : String((error as Error).cause ?? error));
      this.#fail(entry, isRefused);
    }
  }

  async #request(entry: Entry, { path, signedBy, identify }: WireWrite): Promise<void> {
    const target = this.targets[Math.floor(this.#options.random() * this.targets.length)]!;
    const { token, keys } = entry.merchant;
    const headers = {
      ...(signedBy === "token" ? { authorization: `Bearer ${token}` } : {}),
      ...(entry.idempotencyKey === null ? {} : { "idempotency-key": entry.idempotencyKey }),
    };
    const body = signedBy === "keys" ? { ...keys, ...entry.body } : entry.body;
    const answer = await within(REQUEST_TIMEOUT_MS, send(target, "POST", path, body, headers));
    const said = `${answer.status} ${answer.body?.code ?? (answer.body?.errcode || "")}`;
    if (answer.status === 200) {
      entry.status = (answer.body.transfer_status ?? answer.body.withdrawal_status ?? "") as string;
      entry.utr = (answer.body.utr_number ?? "") as string;
      this.#acknowledge(entry, said, identify(answer.body));
    } else {
      entry.answers.push(said);
      // A server that stood still may find that a request was too long on its way: nothing was done, and it may come again.
      this.#fail(entry, answer.status < 500 && answer.status !== 408);
    }
  }

  #acknowledge(entry: Entry, said: string, identified: string): void {
    entry.answers.push(said);
    entry.ids.add(identified);
    if (entry.outcome === "acknowledged") return;
    entry.outcome = "acknowledged";
    entry.acknowledgedAs = this.#acknowledged += 1;
    const { kind, merchant, subject } = entry;
    if (subject && WRITES[kind].ends) {
      const known = this.#known.get(`${merchant.merchantId} ${subject.kind}`)!;
      known.splice(known.indexOf(subject), 1);
    }
    const name = `${merchant.merchantId} ${kind}`;
    this.#known.set(name, [...(this.#known.get(name) ?? []), entry]);
    this.#free(entry);
  }

  /** What was acknowledged stays so, whatever becomes of a repetition. */
  #fail(entry: Entry, isRefused: boolean): void {
    if (!isRefused) this.#failures += 1;
    if (entry.outcome === "acknowledged") return;
    entry.outcome = isRefused ? "refused" : "unknown";
    if (isRefused) this.#free(entry);
  }

  #free({ kind, merchant, subject }: Entry): void {
    if (subject) this.#held.delete(subject);
    if (WRITES[kind].alone) this.#held.delete(merchant);
  }
}

/** Whether sending it again is the same request: it has a reference or a key, or looks for what it did before. */
function isRepeatable(entry: Entry): boolean {
  return entry.referenceId !== null || entry.idempotencyKey !== null || entry.body === null;
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
