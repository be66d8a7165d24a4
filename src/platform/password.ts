// Password hashing, so that reading the database does not reveal passwords.
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { Gate } from "./gate.ts";

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const FORM = /^\$argon2id\$v=19\$m=([0-9]+),t=([0-9]+),p=([0-9]+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/**
 * Each hash takes 19 MiB and one of Node's four worker threads. Each owner has one at a time and a few waiting, so that
 * many tries of one don't delay the others.
 */
const SHARED = {
  atOncePerKey: 1,
  maxWaiting: 600,
  maxWaitingPerKey: 8,
  waitMs: 10_000,
  refusal: "Too many sign-ins at once. Try again in a moment.",
};
/**
 * Strangers have separate places. With a new name for each try they would otherwise get most of the turns, and block
 * people who have signed in before and merchants that set passwords.
 */
const unknownLoginsGate = new Gate({ ...SHARED, atOnce: 2 });
const gate = new Gate({ ...SHARED, atOnce: 1 });

/** The prefix of owners' names for unknown logins. */
export const UNKNOWN_LOGIN = "stranger ";

/**
 * Hashes a password with argon2id, off the event loop. Returns salt, cost and hash as one text in the PHC format.
 * @param whose owners take turns: an account, or the merchant that sets a password @throws NodalError `unavailable` if
 * too many passwords are waiting
 */
export async function hashPassword(password: string, whose: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const hash = await derive(password, nonce, HASH_BYTES, COST, whose);
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(hash)}`;
}

/**
 * Does a password match a hash of `hashPassword`? Without a hash (`null`) the answer is no, and takes as long.
 * @param whose as for `hashPassword`
 * @throws NodalError `unavailable` if too many passwords are waiting
 */
export async function verifyPassword(password: string, hash: string | null, whose: string): Promise<boolean> {
  const match = FORM.exec(hash ?? (await noPasswordsHash()));
  if (!match) throw new Error("this is no hash of a password");
  const [memory, passes, parallelism] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [nonce, expected] = [Buffer.from(match[4]!, "base64"), Buffer.from(match[5]!, "base64")];
  const found = await derive(password, nonce, expected.length, { memory, passes, parallelism }, whose);
  return timingSafeEqual(found, expected) && hash !== null;
}

let noPasswords: Promise<string> | null = null;

/** Computed before the first use, so that the first unknown address doesn't take longer than others. */
function noPasswordsHash(): Promise<string> {
  noPasswords ??= hashPassword(randomBytes(SALT_BYTES).toString("hex"), "nobody");
  return noPasswords;
}

/** Prepares `verifyPassword` for unknown logins. Await it before accepting sign-ins. */
export async function preparePasswords(): Promise<void> {
  await noPasswordsHash();
}

function derive(password: string, nonce: Buffer, tagLength: number, cost: typeof COST, whose: string): Promise<Buffer> {
  const message = password.normalize();
  const own = whose.startsWith(UNKNOWN_LOGIN) ? unknownLoginsGate : gate;
  return own.run(whose, () => promisify(argon2)("argon2id", { message, nonce, tagLength, ...cost }));
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
