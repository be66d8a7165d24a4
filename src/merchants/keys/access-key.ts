// Access keys and bearer tokens: format, hash, signature and parsing. They contain bucket and merchant, so that a look-up needs
// nothing else.
import { createHmac, randomBytes } from "node:crypto";
import { auditValues, type NewEvent } from "../../ledger/index.ts";
import { NodalError } from "../../platform/errors.ts";
import { BUCKETS } from "../../platform/database/buckets.ts";
import { isSame } from "../../platform/bytes.ts";
import { OPERATORS } from "../users/login.ts";
import { modeOf, type Merchant, type MerchantKey } from "../merchant.ts";

/** docs/rules/access.md#bearer-tokens */
export const TOKEN_LIFETIME_MS = 60 * 60 * 1000;

export type AccessKeyName = MerchantKey & { readonly accessKeyId: string };

/** Operators belong to no merchant, so their keys name none. */
const OPERATOR_KEY_ID = /^nk_operator_[0-9a-f]{12}$/;
/** The earliest ones don't contain their mode. */
const ACCESS_KEY_ID = /^nk_(?:live_|sandbox_)?(0|[1-9][0-9]{0,2})_([1-9][0-9]{0,15})_[0-9a-f]{12}$/;

/**
 * A new access key id and its secret (256 bits), which both show whether they are for real money, or an operator's (`OPERATORS`
 * instead of a merchant). The secret is shown once and stored only as a keyed hash: docs/rules/access.md#access-keys.
 */
export function newAccessKey(merchant: Pick<Merchant, keyof MerchantKey | "live">): {
  accessKeyId: string;
  secret: string;
} {
  const { bucket, merchantId } = merchant;
  const isOperators = merchantId === OPERATORS.merchantId;
  const kind = isOperators ? "operator" : modeOf(merchant);
  const whose = isOperators ? "" : `${bucket}_${merchantId}_`;
  return {
    accessKeyId: `nk_${kind}_${whose}${randomBytes(6).toString("hex")}`,
    secret: `ns_${kind}_${randomBytes(32).toString("base64url")}`,
  };
}

/** Reads the owner from an access key id: a merchant, or `OPERATORS`; `null` if it is not one of ours. */
export function parseAccessKeyId(accessKeyId: string): AccessKeyName | null {
  if (OPERATOR_KEY_ID.test(accessKeyId)) return { ...OPERATORS, accessKeyId };
  const match = ACCESS_KEY_ID.exec(accessKeyId);
  if (!match || Number(match[1]) >= BUCKETS) return null;
  return { bucket: Number(match[1]), merchantId: BigInt(match[2]!), accessKeyId };
}

/** The stored hash of a key's secret, bound to the key's id, which contains the merchant. */
export function hashSecret(installationSecret: Buffer, accessKeyId: string, secret: string): Buffer {
  return sign(installationSecret, "access key", `${accessKeyId}\0${secret}`);
}

/** Compares the secret of a key with its stored hash in constant time. */
export function secretMatches(
  installationSecret: Buffer,
  accessKeyId: string,
  secret: string,
  storedHash: Buffer,
): boolean {
  return isSame(hashSecret(installationSecret, accessKeyId, secret), storedHash);
}

function sign(installationSecret: Buffer, purpose: string, text: string): Buffer {
  return createHmac("sha256", installationSecret).update(`${purpose}\0${text}`).digest();
}

function addressMark(installationSecret: Buffer, address: string): string {
  return sign(installationSecret, "token address", address).subarray(0, 9).toString("base64url");
}

/**
 * Issues a bearer token: the key's id, its expiry and a mark of the caller's address, signed. Nothing is stored, so earlier tokens
 * stay valid and any node can check it.
 */
export function issueToken(installationSecret: Buffer, accessKeyId: string, address: string, nowMs: number): string {
  const text = `${accessKeyId}.${nowMs + TOKEN_LIFETIME_MS}.${addressMark(installationSecret, address)}`;
  return `${text}.${sign(installationSecret, "token", text).toString("base64url")}`;
}

/**
 * Parses and checks a bearer token. The caller must check that the key still works.
 * @throws NodalError `invalid_token`, `expired_token` or `token_ip_mismatch`
 */
export function readToken(installationSecret: Buffer, token: string, address: string, nowMs: number): AccessKeyName {
  const invalid = (): NodalError =>
    new NodalError("invalid_token", "This bearer token is not valid: request a new one from POST /api/token.");
  const [accessKeyId, expiresAtMs, mark, signature, ...rest] = token.split(".");
  if (!accessKeyId || !expiresAtMs || !mark || !signature || rest.length > 0) throw invalid();
  // Compared as text: base64 can spell the same bytes in several ways, but a token has one spelling.
  const given = Buffer.from(signature);
  const text = `${accessKeyId}.${expiresAtMs}.${mark}`;
  const expected = Buffer.from(sign(installationSecret, "token", text).toString("base64url"));
  const name = parseAccessKeyId(accessKeyId);
  if (!isSame(given, expected) || !name) throw invalid();
  if (Number(expiresAtMs) <= nowMs) {
    throw new NodalError("expired_token", "This bearer token has expired: request a new one from POST /api/token.");
  }
  if (mark !== addressMark(installationSecret, address)) {
    throw new NodalError(
      "token_ip_mismatch",
      "This bearer token was issued to another IP address: request a new one from this address.",
    );
  }
  return name;
}

/** The audit log's subject for a key: the merchant, since a key's own id is not a number. */
export function keyEvent(
  { bucket, merchantId }: MerchantKey,
  type: "access_key.created" | "access_key.revoked",
  accessKeyId: string,
  terms: object = {},
): NewEvent & MerchantKey {
  const named = { access_key_id: accessKeyId, ...auditValues(terms) };
  const change = type === "access_key.created" ? { after: named } : { before: named };
  return { bucket, merchantId, type, subjectId: merchantId, ...change };
}
