// One use case: a command has the running server send a test event to an endpoint, and waits for what came of it.
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { listAttempts, type Attempt } from "./attempt-store.ts";
import { endpointNotFound, TEST_EVENT_NO, type EndpointKey } from "./endpoint.ts";
import { findEndpoint } from "./endpoint-store.ts";
import { EXCHANGE_TIMEOUT_MS } from "./exchange.ts";
import { requestTest, withdrawTest } from "./asked-test-store.ts";

const POLL_MS = 50;
/** A server looks several times in this time. */
const TAKEN_WITHIN_MS = 5000;

/**
 * Asks the server for a test event, which it sends to an endpoint, disabled or not. Answers the attempt, as it is logged.
 * @throws NodalError `not_found`; `unavailable` where no server runs or takes it, and then nothing is sent
 */
export async function askForTest(
  pool: Pool,
  key: EndpointKey,
  isServerRunning: () => Promise<boolean>,
): Promise<Attempt> {
  if (!(await findEndpoint(pool, key))) throw endpointNotFound();
  if (!(await isServerRunning())) {
    throw new NodalError(
      "unavailable",
      "No server runs on this database, and only the server sends webhooks: start it with `nodal start`, then try again. " +
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
      ? "The server is sending the event and has not told what came of it: look with `nodal webhook attempts`."
      : "The server did not take the test event: look at its log, and whether it is of this release. Nothing was sent.",
  );
}

async function latestTest(pool: Pool, key: EndpointKey): Promise<Attempt | null> {
  const [latest] = await listAttempts(pool, key, { eventNo: TEST_EVENT_NO, limit: 1 });
  return latest ?? null;
}
