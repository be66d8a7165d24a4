// Passwords: how they are kept, so that who reads the database still does not know them.
// What belongs here: hashing. What makes a password acceptable is the fields' business.
import { argon2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** The least that OWASP advises for argon2id: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };

/** Hashes a password with argon2id, off the event loop. Answers salt, cost and hash as one text in the PHC format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const hash = await promisify(argon2)("argon2id", {
    message: password.normalize(),
    nonce,
    tagLength: HASH_BYTES,
    ...COST,
  });
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(hash)}`;
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
