// Requests to the server: one function for JSON, one for uploads, one for downloads, and one kind of error.
import { merchantInAddress } from "../app/place.ts";
import type { Answer, BodyOf, Known, Method, QueryOf } from "./contract.ts";

/** Routes that only the dashboard uses are below /api, all others below /api/v4. */
const SCREEN_ROUTES = "/session";

export type Query = Readonly<Record<string, string | undefined>>;

type RequestOptions<Sent = unknown, SentQuery = Query> = {
  /** Sent as JSON. */
  readonly body?: Sent | undefined;
  /** The `Idempotency-Key`: a repeated request with the same key is processed once. */
  readonly key?: string;
  /** Empty values are left out. */
  readonly query?: SentQuery | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A missing session is a normal answer, not the end of a session. */
  readonly mayBeSignedOut?: boolean;
};

/** The member `error` of an answer: docs/api.md#errors. */
type Refusal = {
  readonly code?: string;
  readonly message?: string;
  readonly fields?: readonly { readonly path: string; readonly message: string }[];
  readonly request_id?: string;
  readonly beneficiary_id?: string;
};

/** A request that failed: refused by the server, or never answered (`status` 0, code `unreachable`). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The error of each field, by its name in the API. */
  readonly fields: Readonly<Record<string, string>>;
  /** The existing beneficiary, for `beneficiary_exists`. */
  readonly beneficiaryId: string | null;
  /** The request's id in the server's log. */
  readonly requestId: string | null;

  constructor(status: number, refusal: Refusal) {
    super(refusal.message ?? "The server can't be reached. Check the connection and try again.");
    this.name = "ApiError";
    this.status = status;
    this.code = refusal.code ?? "unreachable";
    this.fields = Object.fromEntries((refusal.fields ?? []).map(({ path, message }) => [path, message]));
    this.beneficiaryId = refusal.beneficiary_id ?? null;
    this.requestId = refusal.request_id ?? null;
  }
}

let csrfToken: string | null = null;
let onSignedOut: () => boolean = () => false;

/** Stores the token for requests other than GET. Every answer that starts or describes a session has it. */
export function keepCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** Sets the listener for the end of the session; it returns whether the page stays meanwhile. */
export function whenSignedOut(listener: () => boolean): void {
  onSignedOut = listener;
}

/** Routes about the signed-in user, or about nobody: they don't depend on the merchant that an operator is viewing. */
const OWN = /^\/(session\/(sign-in|sign-out|sessions|password|email|approval-mail|second-factor)|ifsc|states)(\/|$)/;

/** The address of a route, for the merchant in the page's address, or else for the signed-in user. */
export function apiUrl(path: string, query: Query = {}): string {
  const merchant = OWN.test(path) ? null : merchantInAddress();
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(given).toString();
  const ofMerchant = merchant === null ? "" : `/merchants/${merchant}`;
  const address = `${path}/`.startsWith(`${SCREEN_ROUTES}/`)
    ? `/api${SCREEN_ROUTES}${ofMerchant}${path.slice(SCREEN_ROUTES.length)}`
    : `/api/v4${ofMerchant}${path}`;
  return `${address}${search && `?${search}`}`;
}

/** Sends one request and answers with the JSON value. Throws `ApiError`, or an AbortError where `signal` ended it. */
export async function api<const M extends Method, const P extends string, Sent = object>(
  method: M,
  path: Known<M, P>,
  options: RequestOptions<BodyOf<M, P, Sent>, QueryOf<M, P>> = {},
): Promise<Answer<M, P>> {
  return (await (await ask(method, path, options)).json()) as Answer<M, P>;
}

/** The same for a route that answers with a file. */
export async function fileOf<const P extends string, Sent = object>(
  path: Known<"POST", P>,
  body: BodyOf<"POST", P, Sent>,
): Promise<Blob> {
  return (await ask("POST", path, { body })).blob();
}

function ask(method: Method, path: string, options: RequestOptions): Promise<Response> {
  return send(apiUrl(path, options.query), {
    method,
    headers: headers(method, options.body !== undefined, options.key),
    body: options.body === undefined ? null : JSON.stringify(options.body),
    signal: options.signal ?? null,
  }).catch((error: unknown) => {
    if (!options.mayBeSignedOut) noticeSignedOut(error);
    throw error;
  });
}

/** Downloads a file. `onProgress` gets the number of bytes so far; the total is usually unknown. */
export async function download(
  path: string,
  options: RequestOptions & { readonly onProgress?: (bytes: number) => void } = {},
): Promise<Blob> {
  const sent = send(apiUrl(path, options.query), { method: "GET", signal: options.signal ?? null });
  sent.catch((error: unknown) => void noticeSignedOut(error));
  const answer = await sent;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = answer.body!.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value);
    bytes += read.value.length;
    options.onProgress?.(bytes);
  }
  return new Blob(chunks, { type: answer.headers.get("content-type") ?? "" });
}

/** Sends a file as the body of a POST. `onProgress` gets the part that was sent, from 0 to 1. */
export function upload<const P extends string>(
  path: Known<"POST", P>,
  file: Blob,
  options: RequestOptions & { readonly onProgress?: (part: number) => void } = {},
): Promise<Answer<"POST", P>> {
  // `fetch` can't report upload progress.
  const request = new XMLHttpRequest();
  const sent = new Promise<Answer<"POST", P>>((resolve, reject) => {
    request.upload.addEventListener("progress", ({ loaded, total }) => options.onProgress?.(loaded / total));
    request.addEventListener("error", () => reject(new ApiError(0, {})));
    request.addEventListener("abort", () => reject(new DOMException("The upload was stopped.", "AbortError")));
    request.addEventListener("load", () => {
      const { status, responseText } = request;
      const answer = status < 400 ? parse(responseText) : null;
      if (answer === null) reject(new ApiError(status, refusalIn(responseText)));
      else resolve(answer as Answer<"POST", P>);
    });
    options.signal?.addEventListener("abort", () => request.abort());
    request.open("POST", apiUrl(path, options.query));
    for (const [name, value] of Object.entries(headers("POST", false, options.key)))
      request.setRequestHeader(name, value);
    request.setRequestHeader("content-type", file.type || "application/octet-stream");
    request.send(file);
  });
  sent.catch((error: unknown) => void noticeSignedOut(error));
  return sent;
}

function headers(method: Method, hasJson: boolean, key: string | undefined): Record<string, string> {
  return {
    accept: "application/json",
    ...(hasJson ? { "content-type": "application/json" } : {}),
    ...(method !== "GET" && csrfToken !== null ? { "x-nodal-csrf": csrfToken } : {}),
    ...(key === undefined ? {} : { "idempotency-key": key }),
  };
}

async function send(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, { ...init, credentials: "same-origin" }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, {});
  });
  if (answer.ok) return answer;
  throw new ApiError(answer.status, refusalIn(await answer.text()));
}

/** Reports the end of the session if the error says so. Returns whether the page stays meanwhile. */
export function noticeSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === "not_signed_in" && onSignedOut();
}

/** The refusal in an error answer. A proxy may answer with its own page instead. */
function refusalIn(text: string): Refusal {
  const { error } = (parse(text) ?? {}) as { readonly error?: unknown };
  if (typeof error === "object" && error !== null) return error;
  return { message: "The server's answer can't be read. Try again in a moment.", code: "unreadable" };
}

/** Parses a JSON text; `null` if it is invalid. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
