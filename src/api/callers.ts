// Who calls: whether a request that changes something comes from our own pages, how its browser reached us, its
// cookies, the franchise that it is of, and how many requests are taken of a session, of all sessions of a merchant,
// and of a cookie that has none. Those are generous: pages make many requests, programs have keys.
import { createHash, createHmac } from "node:crypto";
import { isSame } from "../platform/bytes.ts";
import { NodalError, type RateState } from "../platform/errors.ts";
import { rateLimited, type RateWindow, type Taken } from "../platform/rates/rate-window.ts";
import type { Session } from "../merchants/index.ts";

/** What is looked at of a request. `host` and `protocol` as trusted proxies say. */
export type Caller = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly host: string;
  readonly protocol: string;
};

/**
 * Refuses what a page of somebody else has sent.
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
 * Refuses what does not carry the session's own token.
 * @throws NodalError `csrf_refused`
 */
export function checkCsrfToken({ headers }: Caller, csrfToken: string): void {
  const given = Buffer.from(String(headers["x-nodal-csrf"] ?? ""));
  if (isSame(given, Buffer.from(csrfToken))) return;
  throw new NodalError("csrf_refused", "Send the header X-Nodal-Csrf with the csrf_token of GET /api/session.");
}

/**
 * Which cookies the caller's browser will keep.
 * @throws NodalError `tls_required` for plain http in production
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

/** Over https cookies are bound to the host; plain http is for trying Nodal out, where browsers would refuse those. */
type CookieMode = "https" | "http";
type CookieName = "nodal" | "nodal-device";

const MAX_AGE_SECONDS: Readonly<Record<CookieName, number>> = {
  // The server ends sessions; the cookie only has to last as long.
  nodal: 7 * 24 * 3600,
  "nodal-device": 400 * 24 * 3600,
};

/** The value of a Set-Cookie header; an empty value removes the cookie. */
export function writeCookie(mode: CookieMode, name: CookieName, value: string): string {
  const age = value === "" ? 0 : MAX_AGE_SECONDS[name];
  return `${fullName(mode, name)}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${mode === "https" ? "; Secure" : ""}`;
}

/** The value of a cookie in a Cookie header, by the first of the modes that has it; `null` where none has. */
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

/** All sessions of a merchant together may make so many times what one may. */
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
   * Looks the session of a signed cookie up by `find`. Where there is none any more, that counts for the cookie. It does not
   * count for the address, behind which others may have good ones.
   * @throws NodalError `rate_limited`, for a cookie before anything is looked up
   */
  async findSession(cookie: string, find: () => Promise<Session | null>): Promise<Session | null> {
    const name = createHash("sha256").update(cookie).digest("base64url");
    const taken = await this.#take(`dashboard cookie ${name}`, this.#perMinute);
    const session = await find();
    if (session) taken.giveBack();
    return session;
  }

  /**
   * Counts a request of a session. Returns the limit that has less left: the session's, or its merchant's.
   * @throws NodalError `rate_limited`
   */
  async count({ sessionId, login }: Pick<Session, "sessionId" | "login">): Promise<RateState> {
    // What is refused to a session must not use up what its merchant's others have.
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
