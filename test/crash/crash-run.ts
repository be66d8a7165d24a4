// A crash run: an installation under a load of every kind of write is broken again and again, and its books are
// checked. How it is broken is in breakages.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { CITUS_URL } from "../support/citus.ts";
import { makeEndpoint, Receiver } from "../support/webhooks.ts";
import { BREAKAGES, planBreakages, type Breakable, type BreakageKind, type Scene } from "./breakages.ts";
import { expectNothingLost } from "./books.ts";
import { expectEventsDelivered, type Inbox } from "./event-books.ts";
import type { Entry, Kind } from "./journal.ts";
import { Load, seededRandom } from "./load.ts";
import { acknowledged } from "./party-books.ts";
import { ProviderBanks, PROVIDER_SETTINGS, type ProviderChoice } from "./provider-banks.ts";
import { CrashSite, type SiteMerchant } from "./site.ts";
import { SmallDisk } from "./small-disk.ts";
import { ALL_KINDS } from "./writes.ts";

const CLIENTS = 12;
const FUNDS_PAISE = [100_000_000n, 100_000_000n, 3_000_000n, 200_000n];
const DISK_MEGABYTES = 384;
/** What a breakage adds to the data at most. */
const DISK_MEGABYTES_EACH = 6;
/** The books are checked after so many breakages, and at the end. */
const CHECK_EVERY = 25;
const ON_CITUS = "the database is on a Citus that others use too";

export type CrashReport = {
  /** How many payments the stand-ins of providers made, and how many of them came back; `null` without stand-ins. */
  readonly atProviders: { readonly paid: number; readonly returned: number } | null;
  /** Why no disk was filled; `null` where disks were. */
  readonly diskSkippedBecause: string | null;
  /** For each kind of write: how many there were, and how many of them were acknowledged. */
  readonly writes: Readonly<Record<Kind, { readonly asked: number; readonly acknowledged: number }>>;
  readonly acknowledged: number;
  readonly refused: number;
  /** Requests that could not be sent again, and have no answer. */
  readonly unanswered: number;
  /** Answers that left open whether the work was done, and connections that broke. */
  readonly failures: number;
  /** How many requests were sent more than once. */
  readonly resent: number;
  readonly events: number;
  /** For each breakage, in ms from the restart, or from the end of the disturbance, to the first write that was taken. */
  readonly servingAgainMs: readonly { readonly kind: BreakageKind; readonly ms: number }[];
};

export type CrashOptions = {
  readonly breakages: number;
  readonly seed: number;
  /** Whose stand-ins are in the simulated bank's place, and go wrong besides; `null` for the simulated bank. */
  readonly provider?: ProviderChoice | null;
  /** Tells each breakage as it is over. */
  readonly onProgress: (line: string) => void;
};

/**
 * Makes an installation, breaks it, and removes it.
 * @throws AssertionError where something acknowledged was lost, something was done twice, or a sum does not hold
 */
export async function runCrashes({ breakages, seed, provider = null, onProgress }: CrashOptions): Promise<CrashReport> {
  const random = seededRandom(seed);
  const disk = CITUS_URL === null ? await SmallDisk.mount(DISK_MEGABYTES + breakages * DISK_MEGABYTES_EACH) : ON_CITUS;
  const receiver = await Receiver.start();
  try {
    const smallDisk = typeof disk === "string" ? null : disk;
    const settings = { WEBHOOK_ALLOW_PRIVATE: "on", ...(provider ? PROVIDER_SETTINGS : {}) };
    const site = await CrashSite.open(settings, smallDisk);
    let banks: ProviderBanks | null = null;
    try {
      const merchants = await site.newMerchants(FUNDS_PAISE);
      if (provider) banks = await ProviderBanks.connect(site, merchants, provider, random);
      const inboxes = await Promise.all(
        merchants.filter((_, index) => index % 2 === 0).map((merchant) => openInbox(site, receiver, merchant)),
      );
      sort(receiver, inboxes);
      // The clock of real money can't be moved.
      const kinds = provider ? ALL_KINDS.filter((kind) => kind !== "clock") : ALL_KINDS;
      const load = new Load({ site, merchants, random, kinds });
      const scene = { site, load, random, disk: smallDisk, banks };
      banks?.disturb();
      const servingAgainMs: { kind: BreakageKind; ms: number }[] = [];
      for (const [index, kind] of planBreakages(breakages, random, breakableOf(smallDisk)).entries()) {
        const ms = await breakOnce(scene, kind);
        servingAgainMs.push({ kind, ms });
        onProgress(`${index + 1}. ${kind}: serving again after ${Math.round(ms)} ms`);
        if ((index + 1) % CHECK_EVERY === 0 || index + 1 === breakages) await checkAll(scene, inboxes, index + 1);
      }
      return {
        ...reportOf(load, inboxes, servingAgainMs, typeof disk === "string" ? disk : null),
        atProviders: banks?.count() ?? null,
      };
    } finally {
      await banks?.stop();
      await site.close();
    }
  } finally {
    await receiver.stop();
  }
}

/** What this run can break. */
export function breakableOf(disk: SmallDisk | null): Breakable {
  if (CITUS_URL !== null) return "server and way to Citus";
  return disk ? "server, database and disk" : "server and database";
}

/** The report in lines for people. */
export function describeReport(report: CrashReport): string {
  const { acknowledged: done, refused, unanswered, failures, resent, events, servingAgainMs } = report;
  const byKind = Map.groupBy(servingAgainMs, ({ kind }) => kind);
  return [
    `${servingAgainMs.length} breakages, serving again after ${describeTimes(servingAgainMs)}`,
    ...[...byKind].map(([kind, times]) => `  ${kind}: ${times.length}, ${describeTimes(times)}`),
    ...(report.diskSkippedBecause === null ? [] : [`  disk full: SKIPPED, ${report.diskSkippedBecause}`]),
    `${done + refused + unanswered} requests: ${done} acknowledged, ${refused} refused, ${unanswered} never answered`,
    ...(report.atProviders
      ? [`at the providers: ${report.atProviders.paid} payments made, ${report.atProviders.returned} of them came back`]
      : []),
    `${failures} answers lost, ${resent} requests sent more than once, ${events} events brought by webhooks`,
    ...Object.entries(report.writes).map(([kind, count]) => `  ${kind}: ${count.acknowledged} of ${count.asked}`),
  ].join("\n");
}

function describeTimes(times: CrashReport["servingAgainMs"]): string {
  const sorted = times.map(({ ms }) => Math.round(ms)).toSorted((a, b) => a - b);
  return `${sorted[Math.floor((sorted.length - 1) / 2)]} ms (median), ${sorted.at(-1)} ms at most`;
}

/** One breakage under load, and everything without an answer asked for again. */
async function breakOnce(scene: Scene, kind: BreakageKind): Promise<number> {
  const { site, load, random } = scene;
  await makeDue(site);
  load.start(CLIENTS);
  try {
    await sleep(300 + random() * 900);
    const ms = await BREAKAGES[kind].hurt(scene);
    await sleep(300);
    return ms;
  } catch (error) {
    throw new Error(`${kind}: ${String(error)}\n${site.server.output.slice(-3000)}`, { cause: error });
  } finally {
    await load.stop();
    await load.retryUnknown();
  }
}

/** Lets schedules look at once, and commission be paid out today once more. */
async function makeDue({ pool }: CrashSite): Promise<void> {
  await pool.query("update franchise set next_payout_at = now() where deleted_at is null");
  await pool.query("update schedule set next_run_at = now()");
}

/** Gives a merchant an endpoint of all events from the next one on, at a path of its own. */
async function openInbox(site: CrashSite, receiver: Receiver, merchant: SiteMerchant): Promise<Inbox> {
  const { merchantId } = merchant;
  const { rows } = await site.pool.query<{ last_entry_no: bigint }>(
    "select last_entry_no from ledger_book where merchant_id = $1",
    [merchantId],
  );
  await makeEndpoint({ server: site.pool, ids: site.ids }, merchant, receiver.url(pathOf(merchantId)));
  return { merchantId, afterEventNo: rows[0]!.last_entry_no, received: [] };
}

function pathOf(merchantId: bigint): string {
  return `/${merchantId}`;
}

/** Puts what comes into the inbox of its path; bodies are not kept, since a long run brings very many. */
function sort(receiver: Receiver, inboxes: readonly Inbox[]): void {
  const byPath = new Map(inboxes.map((inbox) => [pathOf(inbox.merchantId), inbox.received]));
  receiver.respond = (response, { sequence, type }, { url }) => {
    byPath.get(url!)!.push({ sequence, type });
    receiver.received.length = 0;
    // Some answers are on their way when the server dies.
    setTimeout(() => response.writeHead(200).end(), 2);
  };
}

async function checkAll({ site, load, banks }: Scene, inboxes: readonly Inbox[], done: number): Promise<void> {
  await expectNothingLost(site, load, banks);
  banks?.disturb();
  for (const inbox of inboxes) await expectEventsDelivered(site, inbox, done);
}

function reportOf(
  load: Load,
  inboxes: readonly Inbox[],
  servingAgainMs: CrashReport["servingAgainMs"],
  diskSkippedBecause: string | null,
): Omit<CrashReport, "atProviders"> {
  const { entries } = load;
  const count = (outcome: Entry["outcome"]): number => entries.filter((entry) => entry.outcome === outcome).length;
  const writes = ALL_KINDS.map((kind) => {
    const asked = entries.filter((entry) => entry.kind === kind);
    return [kind, { asked: asked.length, acknowledged: acknowledged(asked, kind).length }] as const;
  });
  return {
    diskSkippedBecause,
    writes: Object.fromEntries(writes) as CrashReport["writes"],
    acknowledged: count("acknowledged"),
    refused: count("refused"),
    unanswered: count("unknown"),
    failures: load.countFailures(),
    resent: load.countResent(),
    events: inboxes.reduce((sum, { received }) => sum + new Set(received.map(({ sequence }) => sequence)).size, 0),
    servingAgainMs,
  };
}
