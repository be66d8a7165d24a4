// Sessions: the content of the cookie, how long it is valid, and what signing in and managing one's own login need from the server.
// The routes decide which cookie and header carry them.
import { createHash, createHmac, randomBytes } from "node:crypto";
import type { IdSource } from "../../platform/database/ids.ts";
import type { Pool } from "../../platform/database/pool.ts";
import type { TenantDatabase } from "../../platform/database/tenant.ts";
import type { MerchantKey } from "../merchant.ts";
import type { Login } from "./login.ts";
import type { Permission } from "./permission.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

export type SessionState = "second_factor" | "change_password" | "signed_in";

/** A session ends after this long without a request. Long enough for a working day, so that nobody writes passwords down. */
export const IDLE_HOURS = 12;
/** The longest life of a session, even in use. */
export const LIFETIME_HOURS = 7 * 24;
/** The time allowed for the rest of a sign-in. */
export const HALF_LIFETIME_HOURS = 0.25;

/**
 * The most sessions of a login, complete and half-complete ones counted apart: a new one ends the oldest. So somebody who only
 * knows a password can't end complete ones.
 */
export const MAX_SESSIONS = { whole: 20, half: 5 } as const;

export type SessionName = MerchantKey & { readonly sessionId: bigint };

/** The origin of a sign-in. */
export type Visitor = { readonly address: string; readonly userAgent: string };

export type StoredSession = SessionName &
  Visitor & {
    readonly state: SessionState;
    readonly createdAt: Temporal.Instant;
    readonly lastSeenAt: Temporal.Instant;
  };

/** A signed-in user, or one during sign-in, who has no permissions yet. */
export type Session = StoredSession & {
  readonly login: Login;
  readonly permissions: ReadonlySet<Permission>;
  /** Every request that changes something must carry it. */
  readonly csrfToken: string;
};

/** A new session for the browser: the cookie's value, and related data. */
export type IssuedSession = { readonly cookie: string; readonly csrfToken: string; readonly state: SessionState };

/** The canonical spelling: numbers without leading zeros, and a valid last character of 32 bytes in base64url. */
const COOKIE = /^(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,15})\.([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;
const SECRET_BYTES = 32;

/** A secret of 256 bits, for a session or a link. Only its hash is stored. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** The stored hash of a secret. A secret of 256 bits needs no salt; the hash is bound to its row: bound-hash.ts. */
export function hashOfSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** The value of a session's cookie, or the token of a link: its login, and its secret. */
export function formatToken({ bucket, merchantId }: MerchantKey, id: bigint, secret: string): string {
  return `${bucket}.${merchantId}.${id}.${secret}`;
}

/** Parses the output of `formatToken`; `null` if it is not valid. */
export function parseToken(token: string): (MerchantKey & { readonly id: bigint; readonly secret: string }) | null {
  const match = COOKIE.exec(token);
  if (!match) return null;
  return { bucket: Number(match[1]), merchantId: BigInt(match[2]!), id: BigInt(match[3]!), secret: match[4]! };
}

/** The CSRF token, which proves that a request was made by our own pages: only they can read it. */
export function csrfTokenOf(secret: string): string {
  return createHmac("sha256", secret).update("csrf").digest("base64url");
}

export type SignInParts = {
  /** Finds the login of an address: everything after that is done in the name of its merchant. */
  readonly pool: Pool;
  readonly tenants: TenantDatabase;
  readonly ids: IdSource;
  readonly throttle: SignInThrottle;
  /** Keys the hashes of recovery codes. */
  readonly installationSecret: Buffer;
};

/** A call by a visitor, who may not be signed in. */
export type VisitorContext = SignInParts & { readonly visitor: Visitor };

/** A call by a user who is signed in or signing in. */
export type SessionContext = SignInParts & { readonly session: Session };
