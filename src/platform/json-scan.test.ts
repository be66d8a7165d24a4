// The JSON scan, compared with JSON.parse for random texts.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NumberLiteral } from "./json.ts";
import { NodalError } from "./errors.ts";
import { parseJsonBody } from "./http/json-body.ts";
import { findTopMembers, scanJson } from "./json-scan.ts";

const NAMES = new Set(["access_key_id", "secret_access_key"]);
const find = (text: string): unknown => Object.fromEntries(findTopMembers(Buffer.from(text), NAMES));

/** The meaning of a body by JSON.parse with a reviver, which is slow but reliable. */
function parseSlowly(text: string): unknown {
  const keep = (_key: string, value: unknown, { source = "" }: { source?: string }): unknown => {
    const isUnusual = /^(?:-0|-?[0-9]+(?:\.[0-9]+)?[eE]|-?[0-9]+\.[0-9]{3}|-?[0-9]{16})/.test(source);
    return typeof value === "number" && isUnusual && String(value) !== source ? new NumberLiteral(source) : value;
  };
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}

function parseQuickly(text: string): unknown {
  try {
    return parseJsonBody(Buffer.from(text));
  } catch (error) {
    if (error instanceof NodalError && error.code === "malformed_json") return "malformed";
    throw error;
  }
}

const number = fc
  .tuple(
    fc.constantFrom("", "-", "+", "--"),
    fc.stringMatching(/^(?:0|[1-9][0-9]{0,18}|0[0-9])$/),
    fc.stringMatching(/^(?:\.[0-9]{0,5})?$/),
    fc.stringMatching(/^(?:[eE][+-]?[0-9]{0,3})?$/),
  )
  .map((parts) => parts.join(""));
const space = fc.constantFrom("", "", " ", "\n\t ", "\r");
const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("1e3", "é1e5", '",1e3:', "\\", "\ud800"));
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    number,
    text.map((value) => JSON.stringify(value)),
    fc.constantFrom("null", "true", "nul", ""),
    fc.array(fc.tuple(space, tie("json"), space).map((parts) => parts.join(""))).map((items) => `[${items.join(",")}]`),
    fc
      .uniqueArray(
        fc.tuple(
          fc.oneof(
            text.map((name) => JSON.stringify(name)),
            number,
          ),
          space,
          tie("json"),
          space,
        ),
        // Repeated members have separate tests.
        { selector: ([name]) => name },
      )
      .map((members) => `{${members.map(([name, gap, value, end]) => `${name}${gap}:${end}${value}`).join(",")}}`),
  ),
}));

describe("parseJsonBody reads numbers without a second pass", () => {
  test("and means what JSON.parse means, or refuses what it refuses", () => {
    fc.assert(
      fc.property(json, (value) => {
        const body = `{"it":${value},"last":1e3}`;
        let expected: unknown = "malformed";
        try {
          expected = parseSlowly(body);
        } catch {
          // Stays malformed.
        }
        expect(parseQuickly(body)).toEqual(expected);
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    '{"a":1,1e3:5}',
    "{1e3:5}",
    '{"a":1e3 : 5}',
    '{"a":1e}',
    '{"a":01e3}',
    '{"a":1e3e3}',
    '{"a":1e3"b"}',
    '{"a":--0}',
  ])("and refuses %s", (body) => expect(parseQuickly(body)).toBe("malformed"));
});

describe("findTopMembers", () => {
  test("finds the keys wherever they stand at the top, whatever is around them", () => {
    const keys = { access_key_id: "a", secret_access_key: "s" };
    expect(find('{"access_key_id":"a","secret_access_key":"s","x":[')).toEqual(keys);
    expect(
      find('\ufeff { "x" : [{"access_key_id":"no"}, "}"], "access_key_id"\n:\t"a" , "secret_access_key":"s" }'),
    ).toEqual(keys);
    expect(find('{"access_key\\u005fid":"\\u0061","secret_access_key":"s"}')).toEqual(keys);
    expect(find('{"x":"\\\\","y":"\\"access_key_id\\":","access_key_id":"a","secret_access_key":"s"}')).toEqual(keys);
    expect(find('{"access_key_id":"é\\ud83d\\ude00"}')).toEqual({ access_key_id: "é😀" });
  });

  test("finds none below the top, in texts, outside of an object, or where they have not ended", () => {
    for (const body of [
      '{"x":{"access_key_id":"a"}}',
      '{"x":[{"access_key_id":"a"}]}',
      '[{"access_key_id":"a"}]',
      '"access_key_id":"a",',
      '{"x":"access_key_id","y":"a"}',
      '{"x":"\\"access_key_id\\":\\"a\\","}',
      '{"access_key_id":"a',
      '{"access_key_id":"a"',
      '{"access_key_id ":"a"}',
      '{"ACCESS_KEY_ID":"a"}',
      '{} {"access_key_id":"a"}',
      '{"x":1}},{"access_key_id":"a"}',
      Buffer.from('{"access_key_id":"a"}', "utf16le").toString("latin1"),
    ]) {
      expect(find(body), body).toEqual({});
    }
  });

  test("says that a value is no text, or too long, and takes the first of two", () => {
    for (const value of ["5", '["a"]', '{"a":1}', "null", '"a" "b"', "", '"a":"b"', `"${"x".repeat(5000)}"`]) {
      expect(find(`{"access_key_id":${value},"y":1}`), value).toEqual({ access_key_id: null });
    }
    expect(find('{"access_key_id":"a","access_key_id":"b"}')).toEqual({ access_key_id: "a" });
  });

  test("never finds a text that JSON.parse would not find too", () => {
    const member = fc.oneof(
      fc.constantFrom('"access_key_id":"a"', '"access_key_id":5', '"secret_access_key":"s"', '"__proto__":{}'),
      json.map((value) => `"other":${value}`),
    );
    fc.assert(
      fc.property(fc.array(member, { maxLength: 6 }), (members) => {
        const body = `{${members.join(",")}}`;
        let parsed: Record<string, unknown>;
        try {
          parsed = JSON.parse(body) as Record<string, unknown>;
        } catch {
          return;
        }
        for (const [name, value] of findTopMembers(Buffer.from(body), NAMES)) {
          expect(members.some((each) => each === `"${name}":${value === null ? "5" : JSON.stringify(value)}`)).toBe(
            true,
          );
          expect(Object.hasOwn(parsed, name)).toBe(true);
        }
        for (const name of NAMES)
          expect(findTopMembers(Buffer.from(body), NAMES).has(name)).toBe(Object.hasOwn(parsed, name));
      }),
    );
  });
});

test("a scan ends at its limits", () => {
  const scan = (body: string) => scanJson(Buffer.from(body), { depth: 2, values: 4, unusualNumbers: 1 }).exceeds;
  expect(scan('{"a":[1,2,"[[[,,,,"]}')).toBeNull();
  expect(scan('{"a":[[]]}')).toBe("depth");
  expect(scan('{"a":[1,2,3,4]}')).toBe("values");
  expect(scan('{"a":1e3,"b":2}')).toBeNull();
  expect(scan('{"a":1e3,"b":2e3}')).toBe("unusualNumbers");
});
