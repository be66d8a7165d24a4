// One use case: a test event is sent to an endpoint at once, and only once.
import { randomUUID } from "node:crypto";
import type { Merchant } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { AddressGuard } from "./address.ts";
import { insertAttempts, type Attempt } from "./attempt-store.ts";
import { endpointNotFound, type EndpointKey } from "./endpoint.ts";
import { findEndpoint } from "./endpoint-store.ts";
import { Line } from "./exchange.ts";
import { listSecrets } from "./secret-store.ts";
import { sendMessage } from "./send-message.ts";

const TYPE = "webhook.test";
/** It is none of the merchant's events, whose numbers begin with 1. */
const NUMBER = 0n;

/**
 * Sends an event `webhook.test`, signed as all are, to an endpoint, disabled or not, and logs the attempt.
 * @throws NodalError `not_found`
 */
export async function tryEndpoint(
  pool: Pool,
  guard: AddressGuard,
  merchant: Merchant,
  endpointId: bigint,
): Promise<Attempt> {
  const key: EndpointKey = { bucket: merchant.bucket, merchantId: merchant.merchantId, endpointId };
  const endpoint = await findEndpoint(pool, key);
  if (!endpoint) throw endpointNotFound();
  const secrets = (await listSecrets(pool, key)).map(({ secret }) => secret);
  const now = Temporal.Now.instant();
  const event = { eventNo: NUMBER, type: TYPE, subjectId: endpointId, createdAt: now };
  const message = {
    type: TYPE,
    timestamp: now.toString({ fractionalSecondDigits: 3 }),
    sequence: Number(NUMBER),
    merchant_id: String(merchant.merchantId),
    data: { endpoint_id: String(endpointId) },
  };
  const line = new Line(endpoint.url, guard);
  try {
    const id = `evt_${merchant.merchantId}_test_${randomUUID()}`;
    const never = new AbortController().signal;
    const { attempt } = await sendMessage(line, secrets, merchant, { event, message }, never, id);
    await insertAttempts(pool, key, [attempt]);
    return attempt;
  } finally {
    line.close();
  }
}
