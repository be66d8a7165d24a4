// Sessions: what the cookie of somebody who is signed in says, how long it is good for, and what signing in, and
// looking after one's own login, needs of the server. Which cookie and header carry them is the routes' business.
import { createHash, createHmac, randomBytes } from "node:crypto";
import type { IdSource } from "../../platform/database/ids.ts";
import type { Pool } from "../../platform/database/pool.ts";
import type { TenantDatabase } from "../../platform/database/tenant.ts";
import type { MerchantKey } from "../merchant.ts";
import type { Login } from "./login.ts";
import type { Permission } from "./permission.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

export type SessionState = "second_factor" | "change_password" | "signed_in";

/** Without a request for so long, a session ends. Long enough for a working day, so that nobody keeps notes of passwords. */
export const IDLE_HOURS = 12;
/** So old, a session ends whatever is done in it. */
export const LIFETIME_HOURS = 7 * 24;
/** So long the rest of a sign-in may take. */
export const HALF_LIFETIME_HOURS = 0.25;

/**
 * So many sessions a login has at once, whole ones and half ones each: the oldest makes room for the next. Who knows only a
 * password, and gets no further, so ends nobody's whole ones.
 */
export const MAX_SESSIONS = { whole: 20, half: 5 } as const;

export type SessionName = MerchantKey & { readonly sessionId: bigint };

/** From where somebody signs in. */
export type Visitor = { readonly address: string; readonly userAgent: string };

export type StoredSession = SessionName &
  Visitor & {
    readonly state: SessionState;
    readonly createdAt: Temporal.Instant;
    readonly lastSeenAt: Temporal.Instant;
  };

/** Somebody who is signed in, or on the way to it: then without any permission. */
export type Session = StoredSession & {
  readonly login: Login;
  readonly permissions: ReadonlySet<Permission>;
  /** What every request that changes something must carry. */
  readonly csrfToken: string;
};

/** What a browser gets of a new session: the cookie's value, and what goes with it. */
export type IssuedSession = { readonly cookie: string; readonly csrfToken: string; readonly state: SessionState };

/** One spelling for each: numbers without leading zeros, and the last character of 32 bytes in base64url. */
const COOKIE = /^(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,15})\.([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;
const SECRET_BYTES = 32;

/** A secret of 256 bits, for a session or a link. It is kept only as a hash. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** The stored hash of a secret. A secret of 256 bits needs no salt; the hash is bound to its row: bound-hash.ts. */
export function hashOfSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** The value of a session's cookie, or the token of a link: whose it is, and its secret. */
export function formatToken({ bucket, merchantId }: MerchantKey, id: bigint, secret: string): string {
  return `${bucket}.${merchantId}.${id}.${secret}`;
}

/** Reads what `formatToken` wrote; `null` where it can't be that. */
export function parseToken(token: string): (MerchantKey & { readonly id: bigint; readonly secret: string }) | null {
  const match = COOKIE.exec(token);
  if (!match) return null;
  return { bucket: Number(match[1]), merchantId: BigInt(match[2]!), id: BigInt(match[3]!), secret: match[4]! };
}

/** The token that proves that a request was made by our own pages, which alone can read it. */
export function csrfTokenOf(secret: string): string {
  return createHmac("sha256", secret).update("csrf").digest("base64url");
}

export type SignInParts = {
  /** For whom an address signs in: everything after that is done in the name of its merchant. */
  readonly pool: Pool;
  readonly tenants: TenantDatabase;
  readonly ids: IdSource;
  readonly throttle: SignInThrottle;
  /** Keys the hashes of recovery codes. */
  readonly installationSecret: Buffer;
};

/** A call by somebody who visits, and may not be signed in. */
export type VisitorContext = SignInParts & { readonly visitor: Visitor };

/** A call by somebody who is signed in, or on the way to it. */
export type SessionContext = SignInParts & { readonly session: Session };
