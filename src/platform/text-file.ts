// Text files of people: which encodings are read.
// What belongs here: bytes to text. What the text says is the caller's business.

/** The text of a file in UTF-8, or in UTF-16 with its mark, which spreadsheets call Unicode text. `null` for anything else. */
export function decodeTextFile(bytes: Uint8Array): string | null {
  const isUtf16 = (first: number, second: number): boolean => bytes[0] === first && bytes[1] === second;
  const encoding = isUtf16(0xff, 0xfe) ? "utf-16le" : isUtf16(0xfe, 0xff) ? "utf-16be" : "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
