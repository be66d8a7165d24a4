// Checks of browsers' requests: CSRF, http or https, cookies, and rate limits of a session, of all sessions of a
// merchant, and of a cookie without a session. The limits are generous, since pages make many requests; programs use
// keys.
import { createHash, createHmac } from "node:crypto";
import { isSame } from "../platform/bytes.ts";
import { NodalError, type RateState } from "../platform/errors.ts";
import { rateLimited, type RateWindow, type Taken } from "../platform/rates/rate-window.ts";
import type { Session } from "../merchants/index.ts";

/** The checked parts of a request, with `host` and `protocol` from trusted proxies. */
export type Caller = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly host: string;
  readonly protocol: string;
};

/**
 * Refuses requests from other sites' pages.
 * @throws NodalError `csrf_refused`
 */
export function checkSameOrigin({ headers, host }: Caller, publicUrl: string): void {
  const site = headers["sec-fetch-site"];
  const { origin } = headers;
  const isForeign = site === "cross-site" || site === "same-site";
  if (isForeign || (origin !== undefined && !isOwn(String(origin), host, publicUrl))) {
    throw new NodalError(
      "csrf_refused",
      "This request came from another site. Open the dashboard at its own address; behind a proxy, set PUBLIC_URL to that address.",
    );
  }
}

/**
 * Refuses requests without the session's CSRF token.
 * @throws NodalError `csrf_refused`
 */
export function checkCsrfToken({ headers }: Caller, csrfToken: string): void {
  const given = Buffer.from(String(headers["x-nodal-csrf"] ?? ""));
  if (isSame(given, Buffer.from(csrfToken))) return;
  throw new NodalError("csrf_refused", "Send the header X-Nodal-Csrf with the csrf_token of GET /api/session.");
}

/**
 * The kind of cookies that the caller's browser accepts. @throws NodalError `tls_required` for plain http in production
 */
export function cookieModeOf({ headers, protocol }: Caller, isProduction: boolean): CookieMode {
  const scheme = headers.origin === undefined ? `${protocol}:` : new URL(String(headers.origin)).protocol;
  if (scheme === "https:") return "https";
  if (!isProduction) return "http";
  throw new NodalError(
    "tls_required",
    "Signing in needs HTTPS: put a proxy with a certificate and X-Forwarded-Proto in front of Nodal, and open " +
      "the address in PUBLIC_URL.",
  );
}

function isOwn(origin: string, host: string, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host || url.origin === new URL(publicUrl).origin;
}

/** Over https, cookies are bound to the host. Browsers refuse those over plain http, which is for trying Nodal out. */
type CookieMode = "https" | "http";
type CookieName = "nodal" | "nodal-device";

const MAX_AGE_SECONDS: Readonly<Record<CookieName, number>> = {
  // The server ends sessions; the cookie only has to last that long.
  nodal: 7 * 24 * 3600,
  "nodal-device": 400 * 24 * 3600,
};

/** The value of a Set-Cookie header; an empty value removes the cookie. */
export function writeCookie(mode: CookieMode, name: CookieName, value: string): string {
  const age = value === "" ? 0 : MAX_AGE_SECONDS[name];
  return `${fullName(mode, name)}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${mode === "https" ? "; Secure" : ""}`;
}

/** The value of a cookie in a Cookie header, by the first mode that has it; `null` if none has. */
export function readCookie(header: string | undefined, name: CookieName, modes: readonly CookieMode[]): string | null {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  for (const mode of modes) {
    const start = `${fullName(mode, name)}=`;
    const pair = pairs.find((candidate) => candidate.startsWith(start));
    if (pair) return pair.slice(start.length);
  }
  return null;
}

function fullName(mode: CookieMode, name: CookieName): string {
  return mode === "https" ? `__Host-${name}` : name;
}

const SIGNATURE_BYTES = 16;

/** A session's cookie as browsers get it: signed, so that a made-up one costs no look-up. */
export function signCookie(installationSecret: Buffer, value: string): string {
  return `${value}.${signatureOf(installationSecret, value)}`;
}

/** What `signCookie` signed; `null` for anything else. */
export function openCookie(installationSecret: Buffer, signed: string): string | null {
  const value = signed.slice(0, Math.max(0, signed.lastIndexOf(".")));
  return isSame(Buffer.from(signCookie(installationSecret, value)), Buffer.from(signed)) ? value : null;
}

function signatureOf(installationSecret: Buffer, value: string): string {
  const mac = createHmac("sha256", installationSecret).update(`session cookie ${value}`).digest();
  return mac.subarray(0, SIGNATURE_BYTES).toString("base64url");
}

/** The limit of all sessions of a merchant, as a multiple of one session's. */
const MERCHANT_SHARE = 10;

export class RequestRate {
  readonly #rates: RateWindow;
  readonly #perMinute: number;

  /** @param rates counts over a minute */
  constructor(perMinute: number, rates: RateWindow) {
    this.#rates = rates;
    this.#perMinute = perMinute;
  }

  /**
   * Finds the session of a signed cookie. A missing session counts towards the cookie's limit, and not the address's,
   * which others may share. @throws NodalError `rate_limited`, for a cookie before any look-up
   */
  async findSession(cookie: string, find: () => Promise<Session | null>): Promise<Session | null> {
    const name = createHash("sha256").update(cookie).digest("base64url");
    const taken = await this.#take(`dashboard cookie ${name}`, this.#perMinute);
    const session = await find();
    if (session) taken.giveBack();
    return session;
  }

  /**
   * Counts a request of a session. Returns the tighter limit: the session's, or its merchant's.
   * @throws NodalError `rate_limited`
   */
  async count({ sessionId, login }: Pick<Session, "sessionId" | "login">): Promise<RateState> {
    // Refused requests of a session must not use up the limit of its merchant's others.
    const own = await this.#take(`dashboard session ${sessionId}`, this.#perMinute);
    // Operators look after all merchants, and are few.
    if (login.kind === "operator") return own;
    const shared = await this.#take(`dashboard merchant ${login.merchantId}`, MERCHANT_SHARE * this.#perMinute);
    return shared.remaining < own.remaining ? shared : own;
  }

  async #take(key: string, limit: number): Promise<Taken> {
    const rate = await this.#rates.take(key, limit);
    if (!rate.allowed) throw rateLimited(rate);
    return rate;
  }
}
