// Files encrypted with a key of their own. The key is stored as an encrypted value of the file's row, so a rotation of the
// data keys encrypts the key again and leaves the file as it is.
import { createSecretKey, randomBytes } from "node:crypto";
import { decrypt, encrypt } from "./cipher.ts";

const KEY_BYTES = 32;

/** An encrypted file with its key, which must be encrypted too before it is stored. */
export type SealedFile = { readonly fileKey: string; readonly content: Buffer };

/** Encrypts a file with a new key. `bound` names its row: in another row it can't be decrypted. */
export function sealFile(bytes: Buffer, bound: string): SealedFile {
  const key = randomBytes(KEY_BYTES);
  return { fileKey: key.toString("base64url"), content: encrypt(createSecretKey(key), bytes, bound) };
}

/** Decrypts the result of `sealFile`; `null` if it was changed, or belongs to another row. */
export function openFile({ fileKey, content }: SealedFile, bound: string): Buffer | null {
  return decrypt(createSecretKey(Buffer.from(fileKey, "base64url")), content, bound);
}
