// One exchange with a receiver: a POST and its answer. Redirects are not followed and nothing is decompressed. run-endpoint.ts
// decides what an answer means for an event.
import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { guardedLookup, hostOf, RefusedAddress, refusePrivate, type AddressGuard } from "./address.ts";

/** For the whole exchange: resolution, connection, answer. */
export const EXCHANGE_TIMEOUT_MS = 10_000;
const ANSWER_MAX_BYTES = 64 * 1024;
const HEADERS_MAX_BYTES = 16 * 1024;
/** How much of an answer the log stores. */
const KEPT_BYTES = 1024;
const ERROR_MAX_LENGTH = 300;

/** The result of an exchange. */
export type Answer = {
  /** `null` without an answer. */
  readonly httpStatus: number | null;
  /** The beginning of the body, as text. */
  readonly text: string;
  /** Whole milliseconds. */
  readonly durationMs: number;
  /** Why it failed; `null` if the receiver accepted the event. */
  readonly error: string | null;
  /** The receiver's Retry-After; `null` for none. */
  readonly retryAfterMs: number | null;
};

/** Connections to one receiver, which are reused for further events. */
export class ReceiverConnection {
  readonly #url: URL;
  readonly #guard: AddressGuard;
  readonly #agent: HttpAgent;
  readonly #timeoutMs: number;

  constructor(url: string, guard: AddressGuard, timeoutMs = EXCHANGE_TIMEOUT_MS) {
    this.#url = new URL(url);
    this.#guard = guard;
    this.#timeoutMs = timeoutMs;
    const Agent = this.#url.protocol === "https:" ? HttpsAgent : HttpAgent;
    const lookup = guardedLookup(guard);
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1, lookup, autoSelectFamily: true });
  }

  /** Sends a body, and waits for the answer. Never throws; `cutOff` ends the exchange at once as a failure. */
  async post(headers: Readonly<Record<string, string>>, body: string, cutOff: AbortSignal): Promise<Answer> {
    const startedMs = performance.now();
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const signal = AbortSignal.any([timeout, cutOff]);
    try {
      const { response, text } = await this.#exchange(headers, body, signal);
      const httpStatus = response.statusCode!;
      const durationMs = Math.round(performance.now() - startedMs);
      const retryAfterMs = [429, 503].includes(httpStatus) ? readRetryAfter(response.headers["retry-after"]) : null;
      return { httpStatus, text, durationMs, error: problemOfStatus(httpStatus, response), retryAfterMs };
    } catch (error) {
      const durationMs = Math.round(performance.now() - startedMs);
      const reason = timeout.aborted ? `no complete response within ${this.#timeoutMs / 1000} s` : describe(error);
      return { httpStatus: null, text: "", durationMs, error: reason, retryAfterMs: null };
    }
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #exchange(
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<{ response: IncomingMessage; text: string }> {
    const request = this.#begin(headers, body, signal);
    const response = await answerOf(request).catch((error: NodeJS.ErrnoException) => {
      // A receiver may close an idle connection just as it is reused: that says nothing about the event.
      if (!request.reusedSocket || error.code !== "ECONNRESET") throw error;
      return answerOf(this.#begin(headers, body, signal));
    });
    return { response, text: await readText(response) };
  }

  #begin(headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): ClientRequest {
    const host = hostOf(this.#url);
    if (this.#url.protocol !== "https:" && !this.#guard.allowPrivate) {
      throw new RefusedAddress("refused: only https:// is allowed. WEBHOOK_ALLOW_PRIVATE=on allows http://.");
    }
    // A host that is an address is not resolved, so it is checked here.
    if (isIP(host) !== 0) refusePrivate(this.#guard, host, [host]);
    const bytes = Buffer.from(body);
    const isSecure = this.#url.protocol === "https:";
    const request = (isSecure ? requestHttps : requestHttp)(this.#url, {
      method: "POST",
      agent: this.#agent,
      maxHeaderSize: HEADERS_MAX_BYTES,
      signal,
      headers: {
        "content-type": "application/json",
        "content-length": bytes.length,
        "accept-encoding": "identity",
        "user-agent": "Nodal-Webhooks/1",
        ...headers,
      },
    });
    request.end(bytes);
    return request;
  }
}

function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    // It may fail more than once, also after the answer has begun: the answer's reader then gets the error.
    request.on("error", reject);
  });
}

/**
 * Reads an answer's body to its end, or to the limit, where the connection is closed. Returns its beginning as text.
 */
async function readText(response: IncomingMessage): Promise<string> {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (keptBytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - keptBytes));
    keptBytes = Math.min(KEPT_BYTES, keptBytes + chunk.length);
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > ANSWER_MAX_BYTES) break;
  }
  // PostgreSQL keeps no NUL in a text.
  return new TextDecoder().decode(Buffer.concat(kept)).replaceAll("\0", "\uFFFD");
}

function problemOfStatus(httpStatus: number, { headers }: IncomingMessage): string | null {
  if (httpStatus >= 200 && httpStatus < 300) return null;
  if (httpStatus < 300 || httpStatus >= 400) return `answered ${httpStatus}`;
  const target = headers.location ? ` to ${headers.location}` : "";
  return `answered ${httpStatus}: a redirect${target} is not followed`.slice(0, ERROR_MAX_LENGTH);
}

/** Retry-After is a number of seconds, or a date. */
function readRetryAfter(value: string | undefined): number | null {
  if (value === undefined) return null;
  const ms = /^[0-9]{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return ms > 0 ? ms : null;
}

function describe(error: unknown): string {
  // The errors of each address of a host that has several.
  const causes = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const reasons = causes.map((cause) => (cause instanceof Error ? cause.message : String(cause)));
  return (reasons.join("; ") || "the connection failed").replaceAll("\0", "\uFFFD").slice(0, ERROR_MAX_LENGTH);
}
