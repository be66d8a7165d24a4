// Webhooks of providers: each is kept before it is answered, and worked off by asking the provider.
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { MerchantKey } from "../../merchants/index.ts";
import type { Pool } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import { Worker } from "../../platform/jobs/worker.ts";
import type { Logger } from "../../platform/log.ts";
import type { Rails } from "./rails.ts";
import { SIMULATOR } from "../rails/simulator.ts";
import type { PaymentReport } from "../rails/rail.ts";
import type { ArrivedWebhook } from "./connector.ts";
import type { Provider } from "./connectors.ts";
import { INSTALLATION, railName, type ProviderAccountKey } from "./provider-account.ts";
import { writeDowntime } from "./provider-downtime-store.ts";
import {
  findTransferRail,
  insertNotice,
  settleNotice,
  takeDueNotices,
  type DueNotice,
} from "./provider-notice-store.ts";

/** What arrives here is looked at when it does; the rest was left by a process that died, or is to be asked about again. */
const LOOK_MS = 1000;
const AT_ONCE = 32;
const OF_ONE_MERCHANT = 4;
/** Pauses double from ten seconds on: for about three hours. */
const MAX_STATUS_REQUESTS = 11;
const UNKNOWN_REMEMBERED = 10_000;
/** An account that has just been connected at another process is found within this. */
const UNKNOWN_REMEMBERED_MS = 1000;

export type ProviderNoticesOptions = {
  readonly pool: Pool;
  readonly rails: Rails;
  /** Writes what the provider says of a transfer. */
  readonly hear: (report: PaymentReport) => Promise<void>;
  readonly logger: Logger;
};

export class ProviderNotices {
  readonly #options: ProviderNoticesOptions;
  /** Accounts that are not there, so that whoever guesses addresses costs the database little. */
  readonly #unknown = new LRUCache<string, true>({ max: UNKNOWN_REMEMBERED, ttl: UNKNOWN_REMEMBERED_MS });
  readonly #worker: Worker<DueNotice>;

  constructor(options: ProviderNoticesOptions) {
    this.#options = options;
    this.#worker = new Worker({
      name: "webhooks of providers",
      logger: options.logger,
      atOnce: AT_ONCE,
      lookMs: LOOK_MS,
      find: (room, inProgress) => takeDueNotices(options.pool, room, OF_ONE_MERCHANT, findBusy(inProgress)),
      run: (notice) => this.#ask(notice),
    });
  }

  /** Starts to work off what is kept. */
  start(): void {
    this.#worker.start();
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }

  /**
   * Keeps a webhook that has arrived at the address of an account.
   * @throws NodalError `not_found` where there is no such account, `signature_refused`
   */
  async take(provider: Provider, key: ProviderAccountKey, webhook: ArrivedWebhook): Promise<void> {
    const { pool, rails } = this.#options;
    const name = railName({ provider, ...key });
    const place = `${key.bucket} ${key.merchantId} ${name}`;
    const isUnknown = this.#unknown.has(place);
    const connector = isUnknown ? null : await rails.find(name, key);
    if (connector?.name !== provider) {
      if (!isUnknown) this.#unknown.set(place, true);
      throw new NodalError("not_found", "This provider account does not exist.");
    }
    const notice = connector.readWebhook(webhook, Temporal.Now.instant());
    if (!notice) throw new NodalError("signature_refused", "The webhook's signature is wrong, or it is too old.");
    const { about, downtime } = notice;
    if (downtime) {
      await writeDowntime(pool, key, downtime);
      rails.readAgain(name, key);
    }
    // The installation's account pays for any merchant: the notice is kept with the one whose payment it names.
    const isOurs = about !== null && (key.merchantId === INSTALLATION.merchantId || isOf(key, about));
    const kept = isOurs ? { ...key, bucket: about.bucket, merchantId: about.merchantId } : key;
    // A delivery that is retried has the same body, and nothing else of it is signed by every provider.
    const eventId = createHash("sha256").update(webhook.body).digest("hex");
    await insertNotice(pool, kept, eventId, isOurs ? about.transferId : null, notice.claims);
    if (isOurs) this.#worker.lookNow();
  }

  /** One that fails is due again later. */
  async #ask(notice: DueNotice): Promise<void> {
    const { pool, rails, hear, logger } = this.#options;
    try {
      const transfer = await findTransferRail(pool, notice);
      if (transfer !== null && transfer.rail !== SIMULATOR) {
        const connector = await rails.connector(transfer.rail, notice);
        const { bucket, merchantId, transferId } = notice;
        const reference = { bucket, merchantId, transferId, amountPaise: transfer.amountPaise };
        const report = await connector.status(reference, this.#worker.stopping);
        if (report) await hear(report);
        // Its status may lag behind what it told: then it is asked again, for as long as that may be so.
        if (!agrees(report, notice) && notice.tries < MAX_STATUS_REQUESTS) return;
      }
      await settleNotice(pool, notice);
    } catch (error) {
      logger.warn(
        { err: error, transfer_id: String(notice.transferId) },
        "could not check a webhook with its provider",
      );
    }
  }
}

function isOf(one: MerchantKey, other: MerchantKey): boolean {
  return one.bucket === other.bucket && one.merchantId === other.merchantId;
}

/** Whether the provider says what its webhook claims, or what comes after it. */
function agrees(report: PaymentReport | null, { claims }: DueNotice): boolean {
  if (report === null) return false;
  return claims === null || claims === "PENDING" || report.status === claims || report.status === "REVERSED";
}

/** The merchants that have all theirs in hand: one whose provider hangs leaves room for others. */
function findBusy(inProgress: readonly DueNotice[]): bigint[] {
  const ofMerchants = Map.groupBy(inProgress, ({ merchantId }) => merchantId);
  return [...ofMerchants].filter(([, notices]) => notices.length >= OF_ONE_MERCHANT).map(([merchantId]) => merchantId);
}
