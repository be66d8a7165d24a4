// Checks of the body parser with hostile and odd JSON.
import { describe, expect, test } from "vitest";
import { NumberLiteral } from "../json.ts";
import { NodalError } from "../errors.ts";
import { MOST } from "./body-capacity.ts";
import { parseJsonBody } from "./json-body.ts";

function parse(text: string | Buffer): unknown {
  return parseJsonBody(Buffer.from(text as string));
}

function codeOf(body: string | Buffer): string | undefined {
  try {
    parse(body);
    return undefined;
  } catch (error) {
    return error instanceof NodalError ? error.code : "unexpected";
  }
}

describe("parseJsonBody", () => {
  test.each([
    "",
    " ",
    "{",
    "nul",
    "[]",
    "[{}]",
    '"x"',
    "5",
    "null",
    "true",
    "{'a':1}",
    '{"a":1,}',
    '{"a":01}',
    "{}{}",
    '{"a":NaN}',
  ])("refuses %j", (text) => expect(codeOf(text)).toBe("malformed_json"));

  test.each([
    ['{"amount":"1.00","amount":"5.00"}', "amount"],
    ['{"amount":"1.00","\\u0061mount":"5.00"}', "amount"],
    ['{"amount":"1.00","amount":"1.00"}', "amount"],
    ['{"transfers":[{"amount":1}],"transfers":[{"amount":2}]}', "transfers"],
    ['{"transfers":[{"amount":1},{"amount":2,"mode":"x","amount":1e3}]}', "amount"],
    ['{"a":{"":1,"":2}}', ""],
    ['{"x":1e3,"a":{"b":{"__proto__":1,"__proto__":2}}}', "__proto__"],
    [`{"a":"\\"b\\":1, ${"x".repeat(9)}","c\\"":[],"c\\u0022":0}`, 'c\\"'],
  ])("refuses %s, which repeats a member, and names it", (text, member) => {
    expect(codeOf(text)).toBe("malformed_json");
    const message = `The body has "${member}" more than once in one object. Send each member once.`;
    expect(() => parse(text)).toThrow(message);
  });

  test("takes one name in several objects, and as a text", () => {
    const text = '{"a":{"a":[{"a":"a"},{"a":"a:a"}]},"b":"\\"a\\":","A":1}';
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  test("refuses bytes that are not UTF-8", () => {
    expect(codeOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe("malformed_json");
    expect(codeOf(Buffer.from('{"a":"\xe9"}', "latin1"))).toBe("malformed_json");
    expect(codeOf(Buffer.from('{"a":1}', "utf16le"))).toBe("malformed_json");
    // An overlong slash and an encoded surrogate.
    expect(codeOf(Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]))).toBe("malformed_json");
    expect(codeOf(Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]))).toBe("malformed_json");
  });

  test("takes a byte order mark", () => expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 }));

  test("takes 32 levels and refuses more, however many", () => {
    const nested = (depth: number): string => '{"a":'.repeat(depth - 1) + "{}" + "}".repeat(depth - 1);
    expect(() => parse(nested(32))).not.toThrow();
    expect(codeOf(nested(33))).toBe("malformed_json");
    expect(codeOf(`{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`)).toBe("malformed_json");
    expect(codeOf(`{"a":${"[".repeat(300_000)}1e3${"]".repeat(300_000)}}`)).toBe("malformed_json");
    expect(codeOf('{"a":'.repeat(100_000))).toBe("malformed_json");
  });

  test("removes what could reach a prototype", () => {
    const value = parse(
      '{"__proto__":{"x":1},"a":{"\\u005f_proto__":{"x":1},"b":1},"constructor":{"prototype":{"x":1}}}',
    );
    expect(JSON.stringify(value)).toBe('{"a":{"b":1}}');
    expect((Object.prototype as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("keeps the source text of a number that would lose its meaning", () => {
    const texts = ["1e3", "-0", "0.30000000000000004", "1E400", "12345678901234567890", "-1e-5", "1.000", "-0.0"];
    const value = parse(`{"list":[ ${texts.join(" ,\n")}],"x":${texts[0]}}`) as {
      list: NumberLiteral[];
      x: NumberLiteral;
    };
    expect(value.list.map((number) => number instanceof NumberLiteral && number.text)).toEqual([
      "1e3",
      "-0",
      false,
      "1E400",
      "12345678901234567890",
      "-1e-5",
      "1.000",
      "-0.0",
    ]);
    // A double prints this one exactly as sent.
    expect(value.list[2]).toBe(0.30000000000000004);
    expect(value.x).toEqual(new NumberLiteral("1e3"));
  });

  test("leaves other numbers as numbers, also beside unusual ones", () => {
    expect(parse('{"a":1,"b":100.50,"c":-5,"d":1.0,"e":"1e3","f":1e3}')).toEqual({
      a: 1,
      b: 100.5,
      c: -5,
      d: 1,
      e: "1e3",
      f: new NumberLiteral("1e3"),
    });
  });

  test("is quick with text made to slow it down", () => {
    // Processor time does not depend on other load.
    const start = process.cpuUsage();
    for (const filler of [":", " ", "\\n", "0", "-0", ",-", '\\"', "1.", "_", "[:,"]) {
      parse(`{"a":"${filler.repeat(Math.floor(1_000_000 / filler.length))}"}`);
    }
    parse(`{"a":${" ".repeat(1_000_000)}1}`);
    parse(`{"a":[${"1,".repeat(MOST.values - 2)}1]}`);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(2000);
  });

  test("looks at eight megabytes with one unusual number once, and parses no more values than it may", () => {
    const start = process.cpuUsage();
    expect(codeOf(`{"a":1e3,"b":[${"1,".repeat(4_000_000)}1]}`)).toBe("body_too_large");
    expect(codeOf(`{"a":1e3,"b":"${"x".repeat(8_000_000)}"}`)).toBeUndefined();
    expect(codeOf(`{"a":1e3,"b":[${`"${"x".repeat(40)}",`.repeat(180_000)}1]}`)).toBeUndefined();
    const { user, system } = process.cpuUsage(start);
    // With a reviver, each took seconds.
    expect((user + system) / 1000).toBeLessThan(1500);
  });
});
