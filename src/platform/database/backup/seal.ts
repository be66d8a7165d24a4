// Protection of a backup file: its header, and the tag of each chunk, which reveals any change. chunks.ts splits the
// stream into chunks.
//
// The header has the magic word, the format's version, 1 or 0 for encrypted or not, the salt of the key, and a check
// value that reveals a wrong passphrase. A chunk has its length (the highest bit marks the last one), its bytes, and a
// tag over the header, the chunk's number, whether it is the last, and its bytes. So flipped bits, chunks that were
// moved, removed or taken from another backup, and a truncated end are all found. Without a passphrase the tag is a
// digest, which finds accidents. With one it is the tag of AES-GCM, which can't be forged without the passphrase.
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";

const MAGIC = "NODALBAK";
/** The version of the file format. Readers refuse all others. */
const FORMAT_VERSION = 1;
const SALT_BYTES = 16;
const CHECK_BYTES = 16;
const KEY_BYTES = 32;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;
export const HEADER_BYTES = MAGIC.length + 2 + SALT_BYTES + CHECK_BYTES;
/** Each try of a passphrase costs 128 MiB and some tenths of a second. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 } as const;
const LAST = 0x8000_0000;

/** The bytes before a chunk's payload and after it. */
export const CHUNK_OVERHEAD = { before: LENGTH_BYTES, after: TAG_BYTES } as const;

/** Seals and opens the chunks of one file. */
export type Seal = {
  readonly header: Buffer;
  /** The chunk as it goes into the file. */
  seal(index: number, isLast: boolean, payload: Buffer): Buffer;
  /** The payload of a chunk; throws BackupError if the tag does not match. */
  open(index: number, isLast: boolean, payload: Buffer, tag: Buffer): Buffer;
};

/** The length of the chunk that begins with these bytes, and whether it is the last one. */
export function readChunkHead(bytes: Buffer): { readonly length: number; readonly isLast: boolean } {
  const word = bytes.readUInt32BE();
  return { length: word % LAST, isLast: word >= LAST };
}

/** The seal of a new file, encrypted if there is a passphrase. */
export async function createSeal(passphrase: string | null): Promise<Seal> {
  const start = Buffer.from([...Buffer.from(MAGIC), FORMAT_VERSION, passphrase === null ? 0 : 1]);
  if (passphrase === null) return digestSeal(Buffer.concat([start], HEADER_BYTES));
  const salt = randomBytes(SALT_BYTES);
  const { key, check } = await deriveKey(passphrase, salt);
  return cipherSeal(Buffer.concat([start, salt, check]), key);
}

/**
 * The seal of an existing file, by its header.
 * @throws BackupError if it is no backup, has another format, is encrypted without a given passphrase or not encrypted
 * in spite of one, or the passphrase is wrong
 */
export async function openSeal(header: Buffer, passphrase: string | null): Promise<Seal> {
  if (header.length < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw new BackupError("This file is not a backup made by `nodal backup`, or its beginning is damaged.");
  }
  const [version, encrypted] = header.subarray(MAGIC.length);
  if (version !== FORMAT_VERSION) {
    throw new BackupError(
      `The backup has format ${version}, but this release reads format ${FORMAT_VERSION}: use the release that made it.`,
    );
  }
  if (encrypted === 0 && passphrase === null) return digestSeal(header);
  // Anybody could have replaced an encrypted one by it.
  if (encrypted === 0) {
    throw new BackupError(
      "The backup is not encrypted, and NODAL_BACKUP_PASSPHRASE is set: unset it if you trust this file.",
    );
  }
  if (passphrase === null) {
    throw new BackupError("The backup is encrypted: set NODAL_BACKUP_PASSPHRASE to its passphrase.");
  }
  const saltStart = MAGIC.length + 2;
  const { key, check } = await deriveKey(passphrase, header.subarray(saltStart, saltStart + SALT_BYTES));
  if (!timingSafeEqual(check, header.subarray(saltStart + SALT_BYTES))) {
    throw new BackupError("The passphrase in NODAL_BACKUP_PASSPHRASE is wrong for this backup.");
  }
  return cipherSeal(header, key);
}

/** The key of a file, and the header's check value that distinguishes a wrong passphrase from a damaged file. */
async function deriveKey(passphrase: string, salt: Buffer): Promise<{ key: Buffer; check: Buffer }> {
  const derived = await new Promise<Buffer>((resolve, reject) => {
    scrypt(passphrase.normalize("NFKC"), salt, KEY_BYTES + CHECK_BYTES, SCRYPT, (error, bytes) =>
      error ? reject(error) : resolve(bytes),
    );
  });
  return { key: derived.subarray(0, KEY_BYTES), check: derived.subarray(KEY_BYTES) };
}

function head(isLast: boolean, length: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  bytes.writeUInt32BE(isLast ? length + LAST : length);
  return bytes;
}

/** The data that a tag covers besides the payload. */
function context(header: Buffer, index: number, isLast: boolean): Buffer {
  const place = Buffer.alloc(9);
  place.writeBigUInt64BE(BigInt(index));
  place[8] = isLast ? 1 : 0;
  return Buffer.concat([header, place]);
}

function mismatch(index: number): BackupError {
  return damaged(`chunk ${index} is not what was written`);
}

function digestSeal(header: Buffer): Seal {
  const tagOf = (index: number, isLast: boolean, payload: Buffer): Buffer =>
    createHash("sha256")
      .update(context(header, index, isLast))
      .update(payload)
      .digest()
      .subarray(0, TAG_BYTES);
  return {
    header,
    seal: (index, isLast, payload) =>
      Buffer.concat([head(isLast, payload.length), payload, tagOf(index, isLast, payload)]),
    open: (index, isLast, payload, tag) => {
      if (!tagOf(index, isLast, payload).equals(tag)) throw mismatch(index);
      return payload;
    },
  };
}

function cipherSeal(header: Buffer, key: Buffer): Seal {
  /** Each file has a separate key, so that counting never repeats a nonce. */
  const nonceOf = (index: number): Buffer => {
    const nonce = Buffer.alloc(12);
    nonce.writeBigUInt64BE(BigInt(index), 4);
    return nonce;
  };
  return {
    header,
    seal: (index, isLast, payload) => {
      const cipher = createCipheriv("aes-256-gcm", key, nonceOf(index)).setAAD(context(header, index, isLast));
      const bytes = Buffer.concat([cipher.update(payload), cipher.final()]);
      return Buffer.concat([head(isLast, bytes.length), bytes, cipher.getAuthTag()]);
    },
    open: (index, isLast, payload, tag) => {
      const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(index), { authTagLength: TAG_BYTES });
      decipher.setAAD(context(header, index, isLast)).setAuthTag(tag);
      const bytes = decipher.update(payload);
      try {
        return Buffer.concat([bytes, decipher.final()]);
      } catch {
        throw mismatch(index);
      }
    },
  };
}

/** A backup can't be made, read or restored. The message says why and what to do; nothing has been changed. */
export class BackupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "BackupError";
  }
}

/** The error of a damaged file. `what` completes the sentence "The backup is damaged: …". */
export function damaged(what: string, cause?: unknown): BackupError {
  return new BackupError(`The backup is damaged: ${what}. Nothing was changed; use another backup.`, cause);
}
