// Authenticated encryption with one key: AES-256-GCM under a random nonce.
import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";
import { Nonces } from "../bytes.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const nonces = new Nonces(NONCE_BYTES);

/**
 * Encrypts `plain`. Returns nonce, ciphertext and tag. `bound` is authenticated, not included, and must be the same to decrypt.
 */
export function encrypt(key: KeyObject, plain: string | Buffer, bound: string): Buffer {
  const nonce = nonces.next();
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(bound));
  const text = typeof plain === "string" ? cipher.update(plain, "utf8") : cipher.update(plain);
  // In a stream mode, `final` returns no bytes.
  cipher.final();
  return Buffer.concat([nonce, text, cipher.getAuthTag()]);
}

/** Decrypts the result of `encrypt`; `null` if key, bytes or `bound` differ. */
export function decrypt(key: KeyObject, sealed: Buffer, bound: string): Buffer | null {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
  const tagAt = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(bound)).setAuthTag(sealed.subarray(tagAt));
  const plain = decipher.update(sealed.subarray(NONCE_BYTES, tagAt));
  try {
    decipher.final();
    return plain;
  } catch {
    return null;
  }
}
