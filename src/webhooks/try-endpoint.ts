// One use case: a test event is sent to an endpoint at once, and only once.
import { randomUUID } from "node:crypto";
import type { Merchant, ReadContext } from "../merchants/index.ts";
import type { AddressGuard } from "./address.ts";
import { insertAttempts, type Attempt } from "./attempt-store.ts";
import { endpointNotFound, TEST_EVENT_NO, type EndpointKey } from "./endpoint.ts";
import { findEndpoint } from "./endpoint-store.ts";
import { ReceiverConnection } from "./exchange.ts";
import { listSecrets } from "./secret-store.ts";
import { sendMessage } from "./send-message.ts";

const TYPE = "webhook.test";

type TryContext = ReadContext<Merchant> & {
  /** The addresses that may be sent to. */
  readonly guard: AddressGuard;
  readonly cutOff?: AbortSignal;
};

/**
 * Sends an event `webhook.test`, signed as all are, to an endpoint, disabled or not, and logs the attempt.
 * What is cut off counts as not answered.
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
