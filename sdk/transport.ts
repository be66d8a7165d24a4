// How requests are sent: with a token or with keys, again where that is safe, and never twice as something new.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AuthenticationError, ConnectionError, errorOf, NodalApiError } from "./errors.ts";
import type { CreateTokenAnswer } from "./generated/types.gen.ts";

export type ClientOptions = {
  /** Where the server is, such as `https://pay.example.com`. */
  readonly baseUrl: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** How often a request is sent at most; 4 where it is left out. */
  readonly maxAttempts?: number;
  /** How long one attempt may take; 30 s where it is left out. */
  readonly timeoutMs?: number;
  /** The longest pause between attempts; where the server asks for a longer one, its refusal is thrown. 60 s. */
  readonly maxPauseMs?: number;
  /** Sends a request; the global `fetch` where it is left out. */
  readonly fetch?: typeof fetch;
  /** Called before each retry, to log or count it. What it throws ends the request. */
  readonly onRetry?: (retry: Retry) => void;
};

/** A request that is about to be sent again. */
export type Retry = {
  readonly method: string;
  readonly path: string;
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** How long the client waits before the next attempt, in milliseconds. */
  readonly pauseMs: number;
  /** Why the attempt failed: a refusal or no answer. */
  readonly error: NodalApiError | ConnectionError;
  /** The key under which the request is sent each time; `null` if it takes none. */
  readonly idempotencyKey: string | null;
};

export type RequestOptions = {
  /** Names the request, so that it may be sent again, also by another process; made up where it is left out. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
};

export type Operation = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** Where the credentials go: docs of the API say which operation takes which. `basic` is `Authorization: Basic`. */
  readonly credentials: "token" | "body" | "basic";
  /** `read` changes nothing; `keyed` takes an Idempotency-Key; `once` is neither, and is not sent again unanswered. */
  readonly kind: "read" | "keyed" | "once";
  /** Whether the answer is a file: it comes as bytes. */
  readonly answersFile?: boolean | undefined;
};

/** What is sent: an object as JSON, or a file. */
export type Sent = object | Uint8Array<ArrayBuffer>;

const TOKEN_PATH = "/api/token";
/** Tokens are good for 60 minutes; clocks and networks take some of that. */
const TOKEN_USED_MS = 55 * 60 * 1000;
const FIRST_PAUSE_MS = 500;

/** Sends requests for one access key. */
export class Transport {
  readonly #options: Required<ClientOptions>;
  #token: { readonly value: Promise<string>; readonly until: number } | null = null;

  constructor(options: ClientOptions) {
    this.#options = {
      maxAttempts: 4,
      timeoutMs: 30_000,
      maxPauseMs: 60_000,
      fetch: (...request) => fetch(...request),
      onRetry: () => {},
      ...options,
      baseUrl: options.baseUrl.replace(/\/+$/, ""),
    };
  }

  /**
   * Sends a request and returns the body of its answer.
   * @throws NodalApiError where it is refused; ConnectionError where no answer came
   */
  async send<Answer>(operation: Operation, body: Sent | undefined, options: RequestOptions = {}): Promise<Answer> {
    const idempotencyKey = operation.kind === "keyed" ? (options.idempotencyKey ?? randomUUID()) : null;
    const retry = { method: operation.method, path: operation.path, idempotencyKey };
    let hasNewToken = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt<Answer>(operation, { body, idempotencyKey, signal: options.signal });
      } catch (error) {
        if (options.signal?.aborted) throw error;
        if (error instanceof AuthenticationError && operation.credentials === "token" && !hasNewToken) {
          // It has ended, or the address of this machine has changed. Wrong keys show when another is asked for.
          if (error.code === "invalid_keys") throw error;
          hasNewToken = true;
          this.#token = null;
          this.#options.onRetry({ ...retry, attempt, pauseMs: 0, error });
          continue;
        }
        const pauseMs = this.#pauseAfter(error, operation, attempt);
        if (pauseMs === null) throw error;
        this.#options.onRetry({ ...retry, attempt, pauseMs, error: error as Retry["error"] });
        await sleep(pauseMs, undefined, options.signal ? { signal: options.signal } : {});
      }
    }
  }

  /** How long to wait before the next attempt; `null` where there is none. */
  #pauseAfter(error: unknown, { kind }: Operation, attempt: number): number | null {
    const { maxAttempts, maxPauseMs } = this.#options;
    if (attempt >= maxAttempts) return null;
    const isRefusedForNow = error instanceof NodalApiError && (error.status === 429 || error.status === 503);
    // What may have been done is sent again only under its key, or where it does nothing.
    if (!isRefusedForNow && !(error instanceof ConnectionError && kind !== "once")) return null;
    const growing = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
    const asked = isRefusedForNow ? error.retryAfterMs : null;
    if (asked !== null && asked > maxPauseMs) return null;
    return Math.min(Math.max(asked ?? 0, growing), maxPauseMs);
  }

  async #attempt<Answer>(
    operation: Operation,
    request: {
      readonly body: Sent | undefined;
      readonly idempotencyKey: string | null;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<Answer> {
    const { accessKeyId, secretAccessKey } = this.#options;
    const takesKeys = operation.credentials === "body";
    const keys = takesKeys ? { access_key_id: accessKeyId, secret_access_key: secretAccessKey } : {};
    const headers: Record<string, string> = {};
    const basic = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`;
    if (operation.credentials === "basic") headers["authorization"] = basic;
    if (operation.credentials === "token") headers["authorization"] = `Bearer ${await this.#currentToken()}`;
    if (request.idempotencyKey !== null) headers["idempotency-key"] = request.idempotencyKey;
    const body = takesKeys ? Object.assign({}, request.body, keys) : request.body;
    return await this.#exchange<Answer>(operation, { ...request, headers, body });
  }

  /** The token in use, or another. Requests that begin together ask for one. */
  async #currentToken(): Promise<string> {
    if (this.#token === null || performance.now() > this.#token.until) {
      const value = this.#askForToken();
      const asked = { value, until: performance.now() + TOKEN_USED_MS };
      this.#token = asked;
      // The next request asks again.
      value.catch(() => {
        if (this.#token === asked) this.#token = null;
      });
    }
    return await this.#token.value;
  }

  async #askForToken(): Promise<string> {
    const { accessKeyId, secretAccessKey } = this.#options;
    const body = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
    const operation = { method: "POST", path: TOKEN_PATH } as const;
    const { success } = await this.#exchange<CreateTokenAnswer>(operation, {
      headers: {},
      body,
      idempotencyKey: null,
      signal: undefined,
    });
    return success.token;
  }

  async #exchange<Answer>(
    { method, path, answersFile }: Pick<Operation, "method" | "path" | "answersFile">,
    request: {
      readonly headers: Record<string, string>;
      readonly body: Sent | undefined;
      readonly idempotencyKey: string | null;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<Answer> {
    const { baseUrl, timeoutMs } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    let response: Response;
    let bytes: Uint8Array;
    const file = request.body instanceof Uint8Array ? request.body : null;
    const type = file ? "application/octet-stream" : "application/json";
    try {
      response = await this.#options.fetch(`${baseUrl}${path}`, {
        method,
        headers: { accept: "application/json", ...(request.body && { "content-type": type }), ...request.headers },
        ...(request.body && { body: file ?? JSON.stringify(request.body) }),
        signal: request.signal ? AbortSignal.any([request.signal, timeout]) : timeout,
      });
      bytes = new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      if (request.signal?.aborted) throw cause;
      const message = `No answer came from ${baseUrl}${path}: ${cause instanceof Error ? cause.message : String(cause)}`;
      throw new ConnectionError(message, { cause, idempotencyKey: request.idempotencyKey });
    }
    if (response.ok && answersFile) return bytes as Answer;
    const parsed = parse(new TextDecoder().decode(bytes));
    if (!response.ok) throw errorOf(response, parsed);
    return parsed as Answer;
  }
}

/** What a proxy answers may be no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
