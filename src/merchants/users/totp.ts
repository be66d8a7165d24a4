// One-time codes of an authenticator app: RFC 6238 with SHA-1, six digits, a new code every 30 seconds.
// What belongs here: the arithmetic and the texts that apps read. That a code counts once is the store's business.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** RFC 4226 asks for 160 bits. */
const SECRET_BYTES = 20;
const STEP_MS = 30_000;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** Clocks differ, and typing takes time: the codes just before and after count too. */
const NEIGHBOURS = [0n, -1n, 1n];

/** A new secret, in the base32 that authenticator apps take. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES));
}

/** The code of a step: the number of whole 30 seconds since 1970. */
export function totpCode(secret: string, step: bigint): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(step);
  const hash = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const offset = hash.at(-1)! & 0xf;
  const number = (hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000;
  return String(number).padStart(6, "0");
}

/** The step whose code this is, now or one step off; `null` where it is none of these. */
export function matchTotp(secret: string, code: string, now: Temporal.Instant): bigint | null {
  const current = BigInt(now.epochMilliseconds) / BigInt(STEP_MS);
  if (!/^[0-9]{6}$/.test(code)) return null;
  const steps = NEIGHBOURS.map((offset) => current + offset);
  return steps.find((step) => timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code))) ?? null;
}

/** What the QR code of an enrolment says, in the form that authenticator apps share. */
export function otpauthUri(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`;
}

/** Base32 of RFC 4648 without padding. */
export function toBase32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
