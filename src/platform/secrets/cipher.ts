// Authenticated encryption with one key: AES-256-GCM under a random nonce.
import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";
import { Nonces } from "../bytes.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const nonces = new Nonces(NONCE_BYTES);

/**
 * Encrypts `plain`: answers nonce, ciphertext and tag. `bound` has to be the same to decrypt, and is not in the answer.
 */
export function encrypt(key: KeyObject, plain: string | Buffer, bound: string): Buffer {
  const nonce = nonces.next();
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(bound));
  const text = typeof plain === "string" ? cipher.update(plain, "utf8") : cipher.update(plain);
  // Of a mode that works as a stream, `final` has nothing left to give.
  cipher.final();
  return Buffer.concat([nonce, text, cipher.getAuthTag()]);
}

/** Decrypts what `encrypt` answered; `null` where key, bytes or `bound` are not those of the encryption. */
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
