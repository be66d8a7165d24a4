// Webhooks for tests: a receiver that keeps what it is sent, endpoints that send to it, and a deliverer without a
// server. No assertion.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { PublicLinks } from "../../src/documents/index.ts";
import type { MerchantKey } from "../../src/merchants/index.ts";
import type { IdSource } from "../../src/platform/database/ids.ts";
import type { Pool } from "../../src/platform/database/pool.ts";
import { createLogger, type Logger } from "../../src/platform/log.ts";
import type { Backoff, EndpointKey } from "../../src/webhooks/endpoint.ts";
import { createEndpoint, createGuard, Deliverer, MERCHANT_EVENTS } from "../../src/webhooks/index.ts";

/** A received request, parsed but not verified. */
export type Received = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly atMs: number;
};

type Respond = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

const TAKE: Respond = (response) => response.writeHead(204).end();

/** A merchant's server: answers everything with 204 until configured otherwise. */
export class Receiver {
  readonly received: Received[] = [];
  /** Its answer. */
  respond: Respond = TAKE;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => void this.#take(request, response));
  }

  static async start(): Promise<Receiver> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Receiver(server);
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Its URL. A test can use its own path. */
  url(path = "/"): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Answers with a status, and nothing else, from now on; 204 takes events. */
  answer(status: number, headers: Record<string, string> = {}): void {
    this.respond = (response) => response.writeHead(status, headers).end();
  }

  /** The numbers of the events that it got, in order, those sent again too. */
  get sequences(): number[] {
    return this.received.map(({ sequence }) => sequence);
  }

  /** Waits until it has received this many; at the timeout returns those received. */
  async waitFor(count: number, timeoutMs = 60_000): Promise<readonly Received[]> {
    await until(() => this.received.length >= count, timeoutMs);
    return this.received;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { type, sequence, data } = JSON.parse(body) as Pick<Received, "type" | "sequence" | "data">;
    const headers = request.headers as Record<string, string>;
    const received = { headers, body, type, sequence, data, atMs: performance.now() };
    this.received.push(received);
    this.respond(response, received, request);
  }
}

/** Waits until a condition holds, or for the timeout. */
export async function until(holds: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds()) && performance.now() < deadline) await sleep(10);
}

/** Checks a signature as a merchant's server does; throws if it is invalid. */
export function verifySignature(secret: string, { body, headers }: Received): unknown {
  return new Webhook(secret).verify(body, headers);
}

/** Creates an endpoint of all events, or of some. */
export async function makeEndpoint(
  { server: pool, ids }: { readonly server: Pool; readonly ids: IdSource },
  merchant: MerchantKey,
  url: string,
  eventTypes: readonly string[] | null = null,
): Promise<{ key: EndpointKey; secret: string }> {
  const { endpoint, secret } = await createEndpoint({ pool, ids, merchant }, { url, eventTypes, description: "" });
  const { bucket, merchantId, endpointId } = endpoint;
  return { key: { bucket, merchantId, endpointId }, secret };
}

/** An endpoint of a merchant whose outbox then holds nothing but what is sent, so that numbers are easy to tell. */
export async function makeNumberedEndpoint(
  db: { readonly owner: Pool; readonly server: Pool; readonly ids: IdSource },
  merchant: MerchantKey,
  url: string,
  eventTypes: readonly string[] | null = null,
): Promise<{ key: EndpointKey; secret: string }> {
  const made = await makeEndpoint(db, merchant, url, eventTypes);
  await leaveSentEvents(db.owner, merchant);
  return made;
}

async function leaveSentEvents(db: Pool, { merchantId }: MerchantKey): Promise<void> {
  await db.query("delete from journal where merchant_id = $1 and not type = any ($2)", [
    merchantId,
    MERCHANT_EVENTS.types,
  ]);
  await db.query(
    `update journal set entry_no = numbered.no
     from (select entry_no as old, row_number() over (order by entry_no) as no from journal where merchant_id = $1) as numbered
     where merchant_id = $1 and entry_no = numbered.old`,
    [merchantId],
  );
  const count = "(select count(*) from journal where merchant_id = $1)";
  await db.query(`update ledger_book set last_entry_no = ${count} where merchant_id = $1`, [merchantId]);
  await db.query(
    `update webhook_endpoint set start_event_no = ${count}, cursor_event_no = ${count} where merchant_id = $1`,
    [merchantId],
  );
}

/** A deliverer that may send to this machine. `backoff` is as in production unless given. */
export function makeDeliverer(
  pool: Pool,
  options: { backoff?: Backoff; timeoutMs?: number; logger?: Logger } = {},
): Deliverer {
  return new Deliverer({
    pool,
    guard: createGuard(true),
    messages: { links: new PublicLinks(() => "https://nodal.example") },
    logger: createLogger("error"),
    ...options,
  });
}
