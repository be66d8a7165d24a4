// The seal of a backup file finds every change, move or truncation, with and without a passphrase.
import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { BackupError, createSeal, HEADER_BYTES } from "./seal.ts";
import { openChunks, sealChunks } from "./chunks.ts";

const PASSPHRASE = "correct horse battery";
/** Two whole chunks and a part of a third. */
const CONTENT = randomBytes(2 * 256 * 1024 + 1000);
const CHUNK = 4 + 256 * 1024 + 16;

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function join(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function write(passphrase: string | null, content = CONTENT): Promise<Buffer> {
  return join(sealChunks(inPieces(content, 10_007), await createSeal(passphrase)));
}

function read(file: Buffer, passphrase: string | null): Promise<Buffer> {
  return join(openChunks(inPieces(file, 65_536), passphrase));
}

function flipped(file: Buffer, at: number): Buffer {
  const copy = Buffer.from(file);
  copy[at]! ^= 1;
  return copy;
}

/** The file with its chunks in another order. */
function rearranged(file: Buffer, order: readonly number[]): Buffer {
  const chunk = (index: number): Buffer =>
    file.subarray(HEADER_BYTES + index * CHUNK, Math.min(HEADER_BYTES + (index + 1) * CHUNK, file.length));
  return Buffer.concat([file.subarray(0, HEADER_BYTES), ...order.map(chunk)]);
}

/** Deriving a key from a passphrase is slow: the tests share an encrypted file. */
let encrypted: Buffer;
beforeAll(async () => {
  encrypted = await write(PASSPHRASE);
});

test("what was written is read, also nothing at all, and what fills its last chunk", async () => {
  const even = CONTENT.subarray(0, 256 * 1024);
  for (const content of [CONTENT, even, Buffer.alloc(0)]) {
    expect((await read(await write(null, content), null)).equals(content)).toBe(true);
  }
  expect((await read(encrypted, PASSPHRASE)).equals(CONTENT)).toBe(true);
});

test("an encrypted file shows nothing of what is in it, and is never the same twice", async () => {
  const part = CONTENT.subarray(5000, 5050);
  expect((await write(null)).includes(part)).toBe(true);
  expect(encrypted.includes(part)).toBe(false);
  const other = await write(PASSPHRASE);
  expect(other.subarray(HEADER_BYTES).equals(encrypted.subarray(HEADER_BYTES))).toBe(false);
});

/** Each kind of damage, and its message. */
const DAMAGE: readonly (readonly [string, (file: Buffer) => Buffer, RegExp])[] = [
  ["another word at its beginning", (file) => flipped(file, 0), /not a backup/],
  ["a newer format", (file) => flipped(file, 8), /format 0, but this release reads format 1/],
  ["a flipped bit in a chunk", (file) => flipped(file, HEADER_BYTES + CHUNK + 100), /damaged: chunk 1 /],
  ["a flipped bit in a tag", (file) => flipped(file, file.length - 1), /damaged: chunk 2 /],
  ["a chunk that says it is the last", (file) => flippedHigh(file, HEADER_BYTES), /damaged: chunk 0 /],
  ["a length beyond all bounds", (file) => flipped(file, HEADER_BYTES), /damaged: chunk 0 /],
  ["chunks in another order", (file) => rearranged(file, [1, 0, 2]), /damaged: chunk 0 /],
  ["a chunk left out", (file) => rearranged(file, [0, 2]), /damaged: chunk 1 /],
  ["a chunk twice", (file) => rearranged(file, [0, 0, 1, 2]), /damaged: chunk 1 /],
  ["its last chunk cut off", (file) => rearranged(file, [0, 1]), /damaged: its end is missing/],
  [
    "its end cut off, and a chunk before it made the last",
    (file) => rearranged(flippedHigh(file, HEADER_BYTES), [0]),
    /damaged: chunk 0 /,
  ],
  ["an end in the middle of a chunk", (file) => file.subarray(0, -10), /damaged: its end is missing/],
  ["nothing but its header", (file) => file.subarray(0, HEADER_BYTES), /damaged: its end is missing/],
  ["no bytes", () => Buffer.alloc(0), /not a backup/],
  ["something after its end", (file) => Buffer.concat([file, Buffer.from("x")]), /damaged: there is something after/],
];

function flippedHigh(file: Buffer, at: number): Buffer {
  const copy = Buffer.from(file);
  copy[at]! ^= 0x80;
  return copy;
}

test.each(DAMAGE)("%s is found", async (_, change, sentence) => {
  const found = read(change(await write(null)), null);
  await expect(found).rejects.toThrow(BackupError);
  await expect(found).rejects.toThrow(sentence);
});

test("with a passphrase too; and it must be the right one", async () => {
  const kinds = /^(chunks in another order|its last chunk cut off|its end cut off)/;
  for (const [, change, sentence] of DAMAGE.filter(([name]) => kinds.test(name))) {
    await expect(read(change(encrypted), PASSPHRASE)).rejects.toThrow(sentence);
  }
  await expect(read(encrypted, null)).rejects.toThrow("is encrypted: set NODAL_BACKUP_PASSPHRASE");
  await expect(read(encrypted, "correct horse batteri")).rejects.toThrow("is wrong for this backup");
});

test("a file without a passphrase is not taken for an encrypted one", async () => {
  await expect(read(await write(null), PASSPHRASE)).rejects.toThrow(
    "is not encrypted, and NODAL_BACKUP_PASSPHRASE is set",
  );
  await expect(read(flipped(encrypted, 9), null)).rejects.toThrow("damaged: chunk 0");
});
