// Webhooks about payouts: an account's connector reads one, and the provider is asked about its payment.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Pool } from "../../platform/database/pool.ts";
import type { Logger } from "../../platform/log.ts";
import type { DueNotice } from "../../platform/providers/notice-store.ts";
import type { AccountKey, ArrivedWebhook } from "../../platform/providers/webhook.ts";
import { WebhookInbox, type ReadWebhook } from "../../platform/providers/webhook-inbox.ts";
import { findKnownRails, UNKNOWN_RAIL } from "../known-rail-store.ts";
import type { PaymentReport } from "../rails/rail.ts";
import { SIMULATOR } from "../rails/simulator.ts";
import type { Connector } from "./connector.ts";
import type { Provider } from "./connectors.ts";
import { INSTALLATION, railName } from "./provider-account.ts";
import { writeDowntime } from "./provider-downtime-store.ts";
import type { Rails } from "./rails.ts";

/** Pauses double from ten seconds on: for about three hours. */
const MAX_STATUS_REQUESTS = 11;

type Options = {
  readonly pool: Pool;
  readonly rails: Rails;
  /** Writes a provider's report on a transfer. */
  readonly hear: (report: PaymentReport) => Promise<void>;
  readonly logger: Logger;
};

/** The inbox of webhooks about payouts. */
export type PayoutInbox = WebhookInbox<Provider>;

export function openPayoutInbox(options: Options): PayoutInbox {
  const { pool, rails, logger } = options;
  return new WebhookInbox<Provider>({
    pool,
    logger,
    product: "payouts",
    async open(provider, key) {
      const rail = railName({ provider, ...key });
      const connector = await rails.find(rail, key);
      if (connector?.name !== provider) return null;
      return (webhook, now) => readWebhook(options, { key, rail, connector, webhook, now });
    },
    ask: (notice, signal) => askProvider(options, notice, signal),
  });
}

type Arrived = {
  readonly key: AccountKey;
  readonly rail: string;
  readonly connector: Connector;
  readonly webhook: ArrivedWebhook;
  readonly now: Temporal.Instant;
};

async function readWebhook({ pool, rails }: Options, arrived: Arrived): Promise<ReadWebhook | null> {
  const { key, rail, connector, webhook, now } = arrived;
  const notice = connector.readWebhook(webhook, now);
  if (!notice) return null;
  const { about, claims, downtime } = notice;
  if (downtime) {
    await writeDowntime(pool, key, downtime);
    rails.readAgain(rail, key);
  }
  // The installation's account pays for any merchant: the notice is stored with the merchant of the payment.
  const isOurs = about !== null && (key.merchantId === INSTALLATION.merchantId || isOf(key, about));
  return isOurs ? { owner: about, subjectId: about.transferId, claims } : { owner: key, subjectId: null, claims };
}

/** Asks about the payment of a notice. Settled once the provider confirms the notice, or has been asked for long enough. */
async function askProvider({ pool, rails, hear }: Options, notice: DueNotice, signal: AbortSignal): Promise<boolean> {
  const { bucket, merchantId, subjectId: transferId } = notice;
  const transfer = (await findKnownRails(pool, notice, [transferId])).get(transferId);
  if (!transfer || transfer.rail === SIMULATOR) return true;
  const { rail, amountPaise } = transfer;
  if (rail === null) throw new Error(UNKNOWN_RAIL);
  const connector = await rails.connector(rail, notice);
  const reference = { bucket, merchantId, transferId, amountPaise };
  const report = await connector.status(reference, signal);
  if (report) await hear(report);
  // The provider's status may lag behind its webhook: it is asked again for a while.
  return agrees(report, notice) || notice.tries >= MAX_STATUS_REQUESTS;
}

function isOf(one: MerchantKey, other: MerchantKey): boolean {
  return one.bucket === other.bucket && one.merchantId === other.merchantId;
}

/** Whether the provider reports the status that its webhook claims, or a later one. */
function agrees(report: PaymentReport | null, { claims }: DueNotice): boolean {
  if (report === null) return false;
  return claims === null || claims === "PENDING" || report.status === claims || report.status === "REVERSED";
}
