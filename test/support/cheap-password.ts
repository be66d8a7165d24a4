// Passwords that cost little to check, for people whom tests sign in by the hundred. How costly a real one is made, is
// seen where a password is given the product's own way. No assertion.
import { argon2Sync, randomBytes } from "node:crypto";

/** The least that argon2id can do. What a password costs to check is written in its hash. */
const LEAST = { memory: 8, passes: 1, parallelism: 1 } as const;

/** A hash that the server checks as it checks all others, in a moment. */
export function cheapHash(password: string): string {
  const nonce = randomBytes(16);
  const tag = argon2Sync("argon2id", { message: password.normalize(), nonce, tagLength: 32, ...LEAST });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
  return `$argon2id$v=19$m=${LEAST.memory},t=${LEAST.passes},p=${LEAST.parallelism}$${salt}$${hash}`;
}
