// One-time codes of an authenticator app: RFC 6238 with SHA-1, six digits, a new code every 30 seconds. The store makes sure that a
// code is used once.
import { Secret, TOTP } from "otpauth";

/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
const FORM = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** Clocks differ, and typing takes time: the codes just before and after count too. */
const NEIGHBOURS = 1;

/** A new secret, in the base32 that authenticator apps take. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The step of this code, now or one step off; `null` if it matches none. Steps are whole 30 seconds since 1970. */
export function matchTotp(secret: string, code: string, now: Temporal.Instant): bigint | null {
  // The library compares bytes, and fails on digits of other scripts.
  if (!/^[0-9]{6}$/.test(code)) return null;
  const totp = new TOTP({ ...FORM, secret });
  const timestamp = now.epochMilliseconds;
  const delta = totp.validate({ token: code, timestamp, window: NEIGHBOURS });
  return delta === null ? null : BigInt(totp.counter({ timestamp }) + delta);
}

/** The content of the QR code at enrolment, in the common format of authenticator apps. */
export function otpauthUri(secret: string, issuer: string, account: string): string {
  return new TOTP({ ...FORM, secret, issuer, label: account }).toString();
}

/** Base32 of RFC 4648 without padding. */
export function toBase32(bytes: Uint8Array): string {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32;
}
