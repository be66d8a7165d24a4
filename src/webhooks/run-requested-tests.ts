// Test events, each sent once: at once, or for a command. The server sends those of commands, since deliveries come from its
// network.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadContext } from "../merchants/index.ts";
import { isConnectionLost } from "../platform/database/failure.ts";
import type { Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { Worker } from "../platform/jobs/worker.ts";
import type { Logger } from "../platform/log.ts";
import type { AddressGuard } from "./address.ts";
import { insertAttempts, listAttempts, type Attempt } from "./attempt-store.ts";
import { requestTest, takeTestRequests, withdrawTest } from "./delivery-store.ts";
import { findEndpoint } from "./endpoint-store.ts";
import { endpointNotFound, TEST_EVENT_NO, type EndpointKey } from "./endpoint.ts";
import { EXCHANGE_TIMEOUT_MS, ReceiverConnection } from "./exchange.ts";
import { listSecrets } from "./secret-store.ts";
import { sendMessage } from "./send-message.ts";

const TYPE = "webhook.test";

type TryContext = ReadContext & {
  readonly guard: AddressGuard;
  readonly cutOff?: AbortSignal;
};

/**
 * Sends a signed event `webhook.test` to an endpoint, even a disabled one, and logs the attempt. An aborted attempt counts as
 * unanswered.
 * @throws NodalError `not_found`
 */
export async function tryEndpoint(
  { pool, guard, merchant, cutOff = new AbortController().signal }: TryContext,
  endpointId: bigint,
): Promise<Attempt> {
  const key: EndpointKey = { bucket: merchant.bucket, merchantId: merchant.merchantId, endpointId };
  const endpoint = await findEndpoint(pool, key);
  if (!endpoint) throw endpointNotFound();
  const secrets = (await listSecrets(pool, key)).map(({ secret }) => secret);
  const now = Temporal.Now.instant();
  const event = { eventNo: TEST_EVENT_NO, type: TYPE, subjectId: endpointId, createdAt: now };
  const message = {
    type: TYPE,
    timestamp: now.toString({ fractionalSecondDigits: 3 }),
    sequence: Number(TEST_EVENT_NO),
    merchant_id: String(merchant.merchantId),
    data: { endpoint_id: String(endpointId) },
  };
  const connection = new ReceiverConnection(endpoint.url, guard);
  try {
    const id = `evt_${merchant.merchantId}_test_${randomUUID()}`;
    const { attempt } = await sendMessage(connection, secrets, merchant, { event, message }, cutOff, id);
    await insertAttempts(pool, key, [attempt]);
    return attempt;
  } finally {
    connection.close();
  }
}

const LOOK_MS = 500;
/** How many are sent at once; the others wait for the next poll. */
const CONCURRENCY = 4;

export type RequestedTestsOptions = { readonly pool: Pool; readonly guard: AddressGuard; readonly logger: Logger };

/** Sends the test events that commands request, from `start` to `stop`. Each is taken by one process only. */
export function requestedTests({ pool, guard, logger }: RequestedTestsOptions): Worker<EndpointKey> {
  const worker: Worker<EndpointKey> = new Worker({
    name: "webhooks to test",
    logger,
    atOnce: CONCURRENCY,
    lookMs: LOOK_MS,
    find: (room) =>
      takeTestRequests(pool, room).catch((error: unknown) => {
        // Other parts report that the database is down.
        if (isConnectionLost(error)) return [];
        throw error;
      }),
    run: ({ bucket, merchantId, endpointId }) => {
      const merchant = { bucket, merchantId };
      // A stop aborts exchanges in progress, and logs that.
      return tryEndpoint({ pool, guard, merchant, cutOff: worker.stopping }, endpointId);
    },
  });
  return worker;
}

const POLL_MS = 50;
/** How long to wait for a server, which polls several times meanwhile. */
const TAKEN_WITHIN_MS = 5000;

type AskContext = ReadContext & { readonly isServerRunning: () => Promise<boolean> };

/**
 * Asks the server to send a test event to an endpoint, even a disabled one. Returns the logged attempt.
 * @throws NodalError `not_found`; `unavailable` if no server is running or takes it; nothing is sent then
 */
export async function askForTest(
  { pool, merchant: { bucket, merchantId }, isServerRunning }: AskContext,
  endpointId: bigint,
): Promise<Attempt> {
  const key = { bucket, merchantId, endpointId };
  if (!(await findEndpoint(pool, key))) throw endpointNotFound();
  if (!(await isServerRunning())) {
    throw new NodalError(
      "unavailable",
      "No server is running on this database, and only the server sends webhooks: start it with `nodal start`, then try again. " +
        "Nothing was sent.",
    );
  }
  const before = await latestTest(pool, key);
  await requestTest(pool, key);
  const takenBy = performance.now() + TAKEN_WITHIN_MS;
  let isTaken = false;
  for (let deadline = takenBy + EXCHANGE_TIMEOUT_MS; performance.now() < deadline;) {
    const latest = await latestTest(pool, key);
    if (latest && (!before || Temporal.Instant.compare(latest.attemptedAt, before.attemptedAt) !== 0)) return latest;
    if (!isTaken && performance.now() > takenBy) {
      if (await withdrawTest(pool, key)) break;
      isTaken = true;
    }
    await sleep(POLL_MS);
  }
  throw new NodalError(
    "unavailable",
    isTaken
      ? "The server is still sending the event: see `nodal webhook attempts` for the result."
      : "The server did not pick up the test event: check its log, and that it is this release. Nothing was sent.",
  );
}

async function latestTest(pool: Pool, key: EndpointKey): Promise<Attempt | null> {
  const [latest] = await listAttempts(pool, key, { eventNo: TEST_EVENT_NO, limit: 1 });
  return latest ?? null;
}
