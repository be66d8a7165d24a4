// Passwords that are cheap to check, for people whom tests sign in by the hundred. Tests that set a password in the product's own
// way cover the real cost. No assertions.
import { argon2Sync, randomBytes } from "node:crypto";

/** The minimum of argon2id. A hash contains the cost of checking it. */
const LEAST = { memory: 8, passes: 1, parallelism: 1 } as const;

/** A hash that the server checks as it checks all others, in a moment. */
export function cheapHash(password: string): string {
  const nonce = randomBytes(16);
  const tag = argon2Sync("argon2id", { message: password.normalize(), nonce, tagLength: 32, ...LEAST });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
  return `$argon2id$v=19$m=${LEAST.memory},t=${LEAST.passes},p=${LEAST.parallelism}$${salt}$${hash}`;
}
