// Text files in the encodings of spreadsheets, and files that are none.
import { expect, test } from "vitest";
import { decodeTextFile } from "./csv.ts";

test("UTF-8 and UTF-16 are read, and their marks left out", () => {
  const text = "a\tä\tनमस्ते";
  const little = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
  const big = Buffer.from(little).swap16();
  for (const file of [Buffer.from(text), Buffer.from(`\uFEFF${text}`), little, big]) {
    expect(decodeTextFile(file)).toBe(text);
  }
});

test("another encoding, and what is no text, is refused", () => {
  expect(decodeTextFile(Uint8Array.of(0x61, 0xe9, 0x2c))).toBeNull();
  expect(decodeTextFile(Uint8Array.of(0x61, 0, 0x62))).toBeNull();
});
