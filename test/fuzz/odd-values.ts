// What a value can be that its schema does not foresee, and what a JSON text can be that is none. Odd requests around
// them are in odd-requests.ts.
import { gzipSync } from "node:zlib";
import type { JsonSchema } from "./schema-values.ts";

const DEEP = 10_000;
const WIDE = 20_000;

/** JSON that `JSON.stringify` would not write. A text `«name»` in a body stands for it until the body is written. */
const SPLICES: Readonly<Record<string, string>> = {
  "beyond a double": "1e999",
  "tiny exponent": "1e-400",
  "whole exponent": "1E2",
  "negative zero": "-0",
  "thirty digits": "123456789012345678901234567890",
  "beyond safe": "9007199254740993",
  "three decimals": "1.005",
  "many decimals": `0.${"1".repeat(400)}`,
  "many digits": "9".repeat(5000),
  "deep array": "[".repeat(DEEP) + "]".repeat(DEEP),
  "deep object": `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`,
  "nearly too deep": "[".repeat(28) + "]".repeat(28),
  "wide array": `[${"0,".repeat(WIDE)}0]`,
  "wide object": `{${Array.from({ length: WIDE }, (_, index) => `"k${index}":0`).join(",")}}`,
  "proto member": '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
  "lone surrogate": String.raw`"a\ud800b"`,
  "escaped null": String.raw`"a\u0000b"`,
  "twice the same": '{"id":"1","id":"2","value":1,"value":[]}',
};

const ODD_TEXTS = [
  "",
  " ",
  "null",
  "NaN",
  "Infinity",
  "-1",
  "-0.00",
  "+5",
  "1e3",
  "0x10",
  "1,000.00",
  "00000000000001",
  "१२३",
  "12.345",
  "__proto__",
  "constructor",
  "toString",
  "'; drop table transfer; --",
  "${7*7}{{7*7}}<%= 7 %>",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "a\u0000b",
  "line\r\nbreak\ttab",
  "\u202eabc\u202c",
  "\u2066x\u2069",
  "\u200b\u200d\u2060",
  "\ufeffbom",
  "\ufffd\uffff",
  "👩‍👩‍👧‍👦🇮🇳",
  "é".repeat(300),
  "ﷺ".repeat(100),
  "%00%0a%ff",
  "2026-02-30",
  "0000-00-00",
  "+275760-09-13",
  "9999-12-31",
  "R000000000",
  "R9999999999999999",
  "9999999999999999",
  "9007199254740993",
  "x".repeat(70_000),
];

/** Values that a member with this schema should not take, or takes only just. */
export function oddValues(schema: JsonSchema): readonly unknown[] {
  const generic: unknown[] = [
    null,
    true,
    false,
    0,
    -1,
    1.5,
    2 ** 53,
    -(2 ** 63),
    1e21,
    5e-324,
    [],
    {},
    [[]],
    [null],
    [{}],
  ];
  const objects: unknown[] = [
    { a: 1 },
    { length: 5 },
    { 0: "a" },
    { toString: 1, valueOf: 1 },
    { toJSON: "x" },
    ["a", "a"],
  ];
  const spliced = Object.keys(SPLICES).map((name) => `«${name}»`);
  return [...boundaries(schema), ...generic, ...objects, ...ODD_TEXTS, ...spliced];
}

/** At the end of what the schema allows, just past it, and far past it. */
function boundaries({ maxLength, minLength, minimum, maximum, maxItems, minItems }: JsonSchema): unknown[] {
  const lengths = maxLength === undefined ? [] : [maxLength, maxLength + 1, maxLength * 10];
  const texts = lengths.flatMap((length) => ["a", "7", "म", "🙂"].map((unit) => unit.repeat(length)));
  const numbers = [minimum, maximum].flatMap((limit) => (limit === undefined ? [] : [limit - 1, limit, limit + 1]));
  const counts =
    maxItems === undefined ? [] : [(minItems ?? 0) - 1, maxItems, maxItems + 1].filter((count) => count >= 0);
  const lists = counts.flatMap((count) => [Array(count).fill({}), Array(count).fill("a")]);
  const short = minLength === undefined || minLength < 2 ? [] : ["a".repeat(minLength - 1)];
  return [...texts, ...short, ...numbers, ...numbers.map(String), ...lists];
}

/** Writes a body, odd JSON included. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"«([a-z ]+)»"/g, (whole, name: string) => SPLICES[name] ?? whole);
}

/** A change of a body's text. `at` says where, as a share of its length. */
type OddText = (text: string, at: number) => string | Buffer;

/** What can be wrong with the text of a JSON body, by name. */
export const ODD_BODIES: Readonly<Record<string, OddText>> = {
  "byte order mark": (text) => `\ufeff${text}`,
  "white space": (text) => ` \t\r\n${text}\n\n `,
  "first member twice": (text) => text.replace("{", `{${/"[^"]+"/.exec(text)?.[0] ?? '"a"'}:null,`),
  "poisoned members": (text) => text.replace("{", '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},'),
  "unknown members": (text) => text.replace("{", '{"x":{"y":[1,"🙂",null]},"":0,"a.b":1,"\\u0000":1,'),
  "cut short": (text, at) => text.slice(0, Math.floor(text.length * at)),
  "more after the end": (text) => `${text}}`,
  "two values": (text) => `${text}${text}`,
  "single quotes": (text) => text.replaceAll('"', "'"),
  "a comment": (text) => `/* hello */${text}`,
  "comma at the end": (text) => text.replace(/\}$/, ",}"),
  "a number that is none": (text) => text.replace("{", '{"a":NaN,'),
  "leading zero": (text) => text.replace("{", '{"a":01,'),
  "a null byte": (text, at) => insert(text, at, "\0"),
  "bytes that are no UTF-8": (text, at) => insertBytes(text, at, [0xff, 0xfe]),
  "an overlong byte sequence": (text, at) => insertBytes(text, at, [0xc0, 0xaf]),
  "an encoded surrogate": (text, at) => insertBytes(text, at, [0xed, 0xa0, 0x80]),
  "UTF-16": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "Latin-1": (text) => Buffer.from(text.replace("{", '{"é":"ü",'), "latin1"),
  compressed: (text) => gzipSync(text),
  nothing: () => "",
  "only white space": () => " \n ",
  null: () => "null",
  "a text": () => '"text"',
  "a number": () => "1",
  "a list": (text) => `[${text}]`,
  "a hundred thousand brackets": () => "[".repeat(100_000),
  "just below the limit": (text) => text.replace("{", `{"padding":"${"x".repeat(1_000_000)}",`),
  "beyond every limit": (text) => text.replace("{", `{"padding":"${"x".repeat(9_000_000)}",`),
};

function insert(text: string, at: number, added: string): string {
  const place = Math.floor(text.length * at);
  return text.slice(0, place) + added + text.slice(place);
}

function insertBytes(text: string, at: number, added: readonly number[]): Buffer {
  const bytes = Buffer.from(text);
  const place = Math.floor(bytes.length * at);
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(added), bytes.subarray(place)]);
}
