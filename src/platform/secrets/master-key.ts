// The master key, which wraps the data keys: how it is written, and the name that it goes by.
// What belongs here: the key itself. Where keys are found is in master-keys.ts.
import { createHmac, createSecretKey, randomBytes, type KeyObject } from "node:crypto";

const KEY_BYTES = 32;

export type MasterKey = {
  /** 16 hexadecimal digits that follow from the key and tell nothing of it. */
  readonly id: string;
  readonly key: KeyObject;
};

/** The key in 64 hexadecimal digits or in base64 (also the variant for URLs); `null` where the text is neither. */
export function parseMasterKey(text: string): MasterKey | null {
  const written = text.trim();
  if (/^[0-9a-f]{64}$/i.test(written)) return masterKeyOf(Buffer.from(written, "hex"));
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(written)) return masterKeyOf(Buffer.from(written, "base64"));
  return null;
}

/** A new key as it is written into a file: base64 of 32 random bytes. */
export function newMasterKeyText(): string {
  return randomBytes(KEY_BYTES).toString("base64");
}

function masterKeyOf(bytes: Buffer): MasterKey {
  const id = createHmac("sha256", bytes).update("nodal master key id").digest("hex").slice(0, 16);
  return { id, key: createSecretKey(bytes) };
}
