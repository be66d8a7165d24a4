// Scans JSON byte by byte before it is parsed: depth, size, unusual numbers, and single top-level members. This is not
// done by JSON.parse, since that can't stop at a limit and can only report a number's source text with a slow second
// pass.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
/** Longer than any member name to find, with every character escaped. */
const MAX_NAME_BYTES = 200;
/** Longer than any value to find, with every character escaped. */
const MAX_VALUE_BYTES = 4096;

const ZERO = 0x30;
const POINT = 0x2e;
/** A double always keeps this many digits. */
const SAFE_DIGITS = 15;
const SAFE_DECIMALS = 2;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Bytes that a number may contain, and those that begin one. */
const IN_NUMBER = new Uint8Array(256);
for (const character of "0123456789+-.eE") IN_NUMBER[character.charCodeAt(0)] = 1;

export type JsonLimits = {
  readonly depth: number;
  /** The approximate limit of values: each comma and each opening bracket counts as one. */
  readonly values: number;
  /** How many of its numbers a double may change. */
  readonly unusualNumbers: number;
};

export type JsonScan = {
  /** The limit that the text exceeds. The scan ends there. */
  readonly exceeds: keyof JsonLimits | null;
  /** Start and end, in bytes, of each number that a double would change. */
  readonly numbers: readonly number[];
  /** The number of members of all objects, including repeated ones. */
  readonly members: number;
};

/** Scans JSON in UTF-8. It may be malformed: JSON.parse refuses that later. */
export function scanJson(bytes: Buffer, limits: JsonLimits): JsonScan {
  const numbers: number[] = [];
  let depth = 0;
  let values = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte === COLON) {
      members += 1;
    } else if (isOpening(byte)) {
      depth += 1;
      values += 1;
      if (depth > limits.depth) return { exceeds: "depth", numbers, members };
    } else if (isClosing(byte)) {
      depth -= 1;
    } else if (byte === MINUS || isDigit(byte)) {
      const start = at;
      while (IN_NUMBER[bytes[at + 1]!] === 1) at += 1;
      if (changesAsDouble(bytes, start, at + 1)) numbers.push(start, at + 1);
    }
    if (values > limits.values) return { exceeds: "values", numbers, members };
    if (numbers.length > 2 * limits.unusualNumbers) return { exceeds: "unusualNumbers", numbers, members };
  }
  return { exceeds: null, numbers, members };
}

/**
 * The name of the first member that its object has more than once, however it is escaped; `null` if there is none. JSON.parse would
 * take the last one. Only for text that JSON.parse accepts.
 */
export function findRepeatedMember(bytes: Buffer): string | null {
  const open: Set<string>[] = [];
  let [nameAt, nameEnd] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      nameAt = at;
      at = endOfString(bytes, at);
      nameEnd = at + 1;
    } else if (byte === COLON) {
      const name = JSON.parse(bytes.toString("utf8", nameAt, nameEnd)) as string;
      const names = open.at(-1)!;
      if (names.has(name)) return name;
      names.add(name);
    } else if (isOpening(byte)) {
      open.push(new Set());
    } else if (isClosing(byte)) {
      open.pop();
    }
  }
  return null;
}

/**
 * The first top-level member with each of these names: its text, or `null` if the value is no text or too long. A
 * member that is not completely within the bytes is missing.
 */
export function findTopMembers(bytes: Buffer, names: ReadonlySet<string>): Map<string, string | null> {
  const found = new Map<string, string | null>();
  let depth = 0;
  let nameAt = 0;
  let nameEnd = 0;
  let valueAt = -1;
  let name: string | null = null;
  const shortest = Math.min(...[...names].map((wanted) => wanted.length)) + 2;
  for (let at = 0; at < bytes.length && found.size < names.size; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const start = at;
      at = endOfString(bytes, at);
      if (depth === 1 && valueAt < 0) [nameAt, nameEnd] = [start, at + 1];
    } else if (isOpening(byte)) {
      depth += 1;
    } else if (depth === 1 && byte === COLON && valueAt < 0) {
      name = nameEnd - nameAt < shortest ? null : textAt(bytes, nameAt, nameEnd, MAX_NAME_BYTES);
      valueAt = at + 1;
    } else if (depth === 1 && (byte === COMMA || isClosing(byte))) {
      if (name !== null && valueAt >= 0 && names.has(name) && !found.has(name)) {
        found.set(name, textAt(bytes, valueAt, at, MAX_VALUE_BYTES));
      }
      name = null;
      valueAt = -1;
      if (byte !== COMMA) break;
    } else if (isClosing(byte)) {
      depth -= 1;
    }
  }
  return found;
}

/** The text of a JSON string; `null` if it is not a string, or too long. */
function textAt(bytes: Buffer, start: number, end: number, maxBytes: number): string | null {
  if (end - start > maxBytes) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8", start, end));
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}

/** The position of the closing quote of the string that begins at `at`; the end of the bytes if there is none. */
function endOfString(bytes: Buffer, at: number): number {
  let end = at + 1;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end;
}

/** Is the token a number, at the position of a value, that a double would change? */
function changesAsDouble(bytes: Buffer, start: number, end: number): boolean {
  if (!isUnusual(bytes, start, end)) return false;
  const text = bytes.toString("latin1", start, end);
  if (!NUMBER.test(text) || String(Number(text)) === text) return false;
  let next = end;
  while (bytes[next] === 0x20 || bytes[next] === 0x09 || bytes[next] === 0x0a || bytes[next] === 0x0d) next += 1;
  // Before a colon it would be a member's name, which is not valid JSON.
  return bytes[next] === COMMA || isClosing(bytes[next] ?? 0);
}

/** Might a double print the number differently? True for -0, an exponent, 3 decimals or 16 digits. */
function isUnusual(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  if (bytes[at] === MINUS) at += 1;
  if (at > start && bytes[at] === ZERO) return true;
  const digitsAt = at;
  while (at < end && isDigit(bytes[at]!)) at += 1;
  if (at - digitsAt > SAFE_DIGITS) return true;
  if (at < end && bytes[at] === POINT) {
    at += 1;
    const decimalsAt = at;
    while (at < end && isDigit(bytes[at]!)) at += 1;
    if (at - decimalsAt > SAFE_DECIMALS) return true;
  }
  // The rest is an exponent, or the token is no number.
  return at < end;
}

function isOpening(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function isClosing(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
