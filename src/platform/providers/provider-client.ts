// HTTP calls to a provider, with limits of time and size. Calls are never retried here, and redirects are not followed.
import { NotSentError, OutageError } from "./errors.ts";
import { parseJson } from "../json.ts";
import { UNPACED, type Pace, type Turn } from "./call-turn.ts";

const ANSWER_MAX_BYTES = 1024 * 1024;
/** Errors of a connection that was never made: nothing can have arrived. */
const NEVER_CONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The turn of a call that is made for no merchant. */
const NO_MERCHANT: Turn = { kind: "question", merchantId: 0n };

/** Statuses with an unknown outcome: a timeout, or too early. */
const UNKNOWN_OUTCOME = new Set([408, 425]);

export type Call = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Does the body have the needed information? It is then an answer, whatever its status. */
  readonly isAnswer?: (body: ProviderFields) => boolean;
  /** The turn that it takes. */
  readonly turn?: Turn;
  readonly signal: AbortSignal;
};

/**
 * An answer, with a status below 500 unless `isAnswer` accepts it. Numbers in its body are texts, so that amounts stay
 * exact.
 */
export type ProviderAnswer = { readonly status: number; readonly body: ProviderFields };
export type ProviderFields = Readonly<Record<string, unknown>>;

export class ProviderClient {
  readonly #baseUrl: string;
  readonly #headers: () => Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #pace: Pace;

  /** @param headers returns the headers for a call made now */
  constructor(
    baseUrl: string,
    headers: () => Readonly<Record<string, string>>,
    timeoutMs: number,
    pace: Pace = UNPACED,
  ) {
    this.#pace = pace;
    this.#baseUrl = baseUrl;
    this.#headers = headers;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Makes a call.
   * @throws NotSentError if it was certainly not done: no connection, too many calls, refused credentials, a refused
   * address; any other error if the outcome is unknown
   */
  async call(call: Call): Promise<ProviderAnswer> {
    const { method, path, query = {}, body, headers, isAnswer, turn = NO_MERCHANT, signal } = call;
    await this.#pace.take(turn, signal);
    const url = new URL(this.#baseUrl + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const answer = await fetch(url, {
      method,
      headers: { accept: "application/json", "content-type": "application/json", ...this.#headers(), ...headers },
      body: body ?? null,
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)]),
    }).catch((error: unknown) => {
      throw neverConnected(error)
        ? new NotSentError("unreachable", `No connection to ${url.host}: nothing was sent.`, { cause: error })
        : noAnswer(url.host, error);
    });
    const text = await readText(answer).catch((error: unknown) => {
      throw noAnswer(url.host, error);
    });
    const fields = parseFields(text);
    if (fields && isAnswer?.(fields)) return { status: answer.status, body: fields };
    if (answer.status >= 500 || UNKNOWN_OUTCOME.has(answer.status))
      throw new OutageError(`${url.host} answered ${answer.status}: the outcome is unknown.`);
    if (answer.status === 429) throw new NotSentError("busy", `${url.host} refuses further calls for now.`);
    if (!fields) throw notJson(url.host);
    if (answer.status === 401)
      throw new NotSentError("unauthorized", `${url.host} refuses these credentials: ${describe(fields)}`);
    if (answer.status === 403) throw addressRefused(url.host, describe(fields));
    return { status: answer.status, body: fields };
  }
}

/** A member's text; empty if there is none. */
export function textOf(fields: ProviderFields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value.replaceAll(/\p{Cc}/gu, " ") : "";
}

/** A member that is an object; empty if there is none. */
export function fieldsOf(fields: ProviderFields, name: string): ProviderFields {
  const value = fields[name];
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is ProviderFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A provider's error code and message, at most 200 characters. */
export function describe(fields: ProviderFields): string {
  const error = isFields(fields.error) ? fields.error : fields;
  const [code, sentence] = [
    textOf(error, "reason") || textOf(error, "code"),
    textOf(error, "description") || textOf(error, "message"),
  ];
  return [code === "NA" ? textOf(error, "code") : code, sentence]
    .filter((part) => part !== "")
    .join(": ")
    .slice(0, 200);
}

/** The fields of a webhook's body; none if it is no JSON object. */
export function eventFields(body: Buffer): ProviderFields {
  return parseFields(body.toString("utf8")) ?? {};
}

/** The fields of a JSON object; `null` for anything else. */
function parseFields(text: string): ProviderFields | null {
  try {
    const body = parseJson(text);
    return isFields(body) ? body : null;
  } catch {
    return null;
  }
}

function notJson(host: string): OutageError {
  return new OutageError(`${host} answered with invalid JSON: the outcome is unknown.`);
}

/** The provider accepts the credentials, but no calls with them: from this address, or at all. */
export function addressRefused(host: string, said: string): NotSentError {
  const message = `${host} refuses calls from this server's address, or to this account: ${said}`;
  return new NotSentError("address", message);
}

/** Letters, digits and single spaces: what providers take in names and remarks. */
export function plainText(text: string, maxLength: number): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  return plain
    .replaceAll(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .slice(0, maxLength)
    .trim();
}

async function readText(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes > ANSWER_MAX_BYTES) throw new Error("The provider's answer is too long.");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function noAnswer(host: string, error: unknown): OutageError {
  return new OutageError(`${host} did not answer: the outcome is unknown.`, { cause: error });
}

function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === "string" && NEVER_CONNECTED.has(cause.code);
}
