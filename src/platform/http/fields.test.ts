// The field builders: accepted values, refused values, and messages.
import { describe, expect, test, vi } from "vitest";
import { NodalError, sentenceOf, validationError, type FieldError } from "../errors.ts";
import { decode, decoderOf, type Field } from "./field.ts";
import * as fields from "./fields.ts";
import { parseJsonBody } from "./json-body.ts";

/** Decodes one field from JSON text, as in a request. */
function decodeWire<T>(field: Field<T>, json: string): T {
  return decode(fields.object({ it: field }), parseJsonBody(Buffer.from(`{"it":${json}}`))).it;
}

function errorsOf(work: () => unknown): readonly FieldError[] {
  try {
    work();
  } catch (error) {
    if (error instanceof NodalError && error.code === "validation_failed") return error.errors;
    throw error;
  }
  throw new Error("it was not refused");
}

function refusal<T>(field: Field<T>, json: string): string | undefined {
  const [error, ...more] = errorsOf(() => decodeWire(field, json));
  expect(more).toEqual([]);
  expect(error?.field).toBe("it");
  expect(sentenceOf(error!)).toMatch(/^it .+\.$/);
  return error?.code;
}

const WRONG_TYPES = ["{}", "[]", "[1]", "true", "false", '{"toString":1}', '["100"]'];

describe("money", () => {
  test.each([
    ['"100"', 10_000n],
    ["100", 10_000n],
    ['"100.50"', 10_050n],
    ["100.50", 10_050n],
    ["100.5", 10_050n],
    ["0.01", 1n],
    ['" 7 "', 700n],
    ["9999999999999.99", 999_999_999_999_999n],
    ['"9999999999999.99"', 999_999_999_999_999n],
    ["1.0", 100n],
  ])("takes %s", (json, paise) => expect(decodeWire(fields.money(), json)).toBe(paise));

  test.each([
    "0",
    "-1",
    "1e3",
    '"1.234"',
    "99999999999999999",
    "{}",
    '"१००"',
    '"1e3"',
    "1E400",
    "-0",
    "0.30000000000000004",
    "1.001",
    "1.000",
    '"+1"',
    '"1,000"',
    '"0x10"',
    '"Infinity"',
    '"NaN"',
    '"1."',
    '".5"',
    "0.00",
    '"0.00"',
    "10000000000000",
    '"１００"',
    "1e-2",
    '"1 0"',
    ...WRONG_TYPES,
  ])("refuses %s", (json) => expect(refusal(fields.money(), json)).toBe("invalid"));

  test.each(["null", '""', '"  "'])("asks for an amount instead of %s", (json) => {
    expect(refusal(fields.money(), json)).toBe("required");
  });

  test("takes zero only where that is allowed", () => {
    expect(decodeWire(fields.money({ allowZero: true }), "0")).toBe(0n);
    expect(refusal(fields.money({ allowZero: true }), "-0")).toBe("invalid");
  });
});

describe("text", () => {
  test("is trimmed and keeps its Unicode", () => {
    expect(decodeWire(fields.requiredText(20), '" \\u00a0मीरा ट्रेडर्स 👩‍👩‍👧\\n"')).toBe("मीरा ट्रेडर्स 👩‍👩‍👧");
  });

  test("counts code points, as the published maxLength does", () => {
    expect(decodeWire(fields.requiredText(3), '"👍👍👍"')).toBe("👍👍👍");
    expect(refusal(fields.requiredText(3), '"👍👍👍👍"')).toBe("too_long");
    expect(refusal(fields.requiredText(3), `"${"x".repeat(100_000)}"`)).toBe("too_long");
  });

  test.each(["\\u0000", "\\u001b", "\\n", "\\u007f", "\\u0085", "\\u009f", "\\ud800", "\\udc00"])(
    "refuses %s inside",
    (character) => {
      expect(refusal(fields.requiredText(20), `"a${character}b"`)).toBe("invalid");
      expect(refusal(fields.rawText(20), `"a${character}b"`)).toBe("invalid");
    },
  );

  test("refuses characters that change the direction of text, and says so; keeps joiners and plain marks", () => {
    for (const code of ["202a", "202e", "2066", "2069"]) {
      const json = `"INV\\u${code}gpj.exe"`;
      expect(refusal(fields.requiredText(20), json)).toBe("invalid");
      expect(decodeWire(fields.rawText(20), json)).toHaveLength(11);
    }
    const errors: FieldError[] = [];
    decoderOf(fields.requiredText(20))("a\u202eb", "it", errors);
    expect(sentenceOf(errors[0]!)).toContain("it must not contain characters that change the direction of text");
    expect(decodeWire(fields.requiredText(20), '"क्\\u200dष \\u200c\\u200e\\u200fx"')).toBe(
      "क्\u200dष \u200c\u200e\u200fx",
    );
  });

  test("keeps line breaks and tabs where a text may have several lines", () => {
    expect(decodeWire(fields.requiredLines(20), '" a\\r\\nb\\rc\\n\\td \\n"')).toBe("a\nb\nc\n\td");
    expect(refusal(fields.requiredLines(20), '"a\\u0007b"')).toBe("invalid");
    expect(refusal(fields.requiredLines(20), '"a\\n\\u202eb"')).toBe("invalid");
  });

  test("refuses what only looks empty", () => {
    expect(refusal(fields.requiredText(20), '"\\u200b\\u200d\\u202e"')).toBe("invalid");
  });

  test.each([...WRONG_TYPES, "12", "1e3", "-0"])("refuses %s without turning it into text", (json) => {
    expect(refusal(fields.requiredText(20), json)).toBe("invalid");
    expect(refusal(fields.optionalText(20), json)).toBe("invalid");
  });

  test("raw text is kept exactly", () => {
    expect(decodeWire(fields.rawText(20), '" p w "')).toBe(" p w ");
    expect(refusal(fields.rawText(20, 8), '"1234567"')).toBe("invalid");
  });

  test.each(["null", '""', '"   "'])("counts %s as not given", (json) => {
    expect(decodeWire(fields.optionalText(20), json)).toBeNull();
    expect(decodeWire(fields.optional(fields.email()), json)).toBeNull();
    expect(decodeWire(fields.optional(fields.list(fields.email(), 2)), json)).toBeNull();
    expect(refusal(fields.requiredText(20), json)).toBe("required");
  });
});

describe("formats", () => {
  const cases: [string, Field<unknown>, string[], string[]][] = [
    [
      "email",
      fields.email(),
      ['"a@b.co"', '"first.last+tag@sub.example.com"', '"नाम@उदाहरण.भारत"'],
      ['"a@b"', '"a b@c.in"', '"a@@b.in"', '"a@b..in"', '"<a@b.in>"', '"a@-b.in"', '"a@b.in,c@d.in"', "5"],
    ],
    [
      "mobile",
      fields.mobile(),
      ['"9876543210"', '"+919876543210"', '"+91 9876543210"', '"09876543210"', "9876543210"],
      ['"98765"', '"919876543210"', '"९८७६५४३२१०"', "-9876543210", "9876543210.5", "1e10"],
    ],
    ["pincode", fields.pincode(), ['"560001"', "560001"], ['"56001"', '"56000a"', "5.6e5", '"٥٦٠٠٠١"']],
    [
      "bankAccount",
      fields.bankAccount(),
      ['"00001234"', '"AB12"', "12345678901234567890"],
      ['"123"', '"12 34"', "1e10", "-1234"],
    ],
    ["upiHandle", fields.upiHandle(), ['"a@b"', '"asha.k-1@okbank"'], ['"a@"', '"@b"', '"a@b@c"', '"a b@c"', '"अ@ब"']],
    [
      "digitsOrNumber",
      fields.digitsOrNumber(16),
      ['"0012"', "12", "0"],
      ['"1.5"', "1.5", "-1", "1e3", "-0", '"+1"', '"१२"'],
    ],
    [
      "ifsc",
      fields.ifsc(),
      ['"HDFC0000001"', '"hdfc0abc123"'],
      ['"HDFC1000001"', '"HDFC000001"', '"hdfc0ıııııı"', "5"],
    ],
    ["oneOf", fields.oneOf(["banktransfer", "upi"]), ['"upi"', '" upi "'], ['"UPI"', '"constructor"', "1"]],
    ["wholeNumber", fields.wholeNumber(1, 1000), ["1", '"1000"'], ["0", "1001", "1.5", '"1e2"', "1e2", '"0x5"', "-0"]],
  ];
  test.each(cases)("%s", (_name, field, taken, refused) => {
    for (const json of taken) expect(decodeWire(field, json), json).not.toBeNull();
    for (const json of [...refused, ...WRONG_TYPES]) {
      expect(["invalid", "not_allowed", "too_long"], json).toContain(refusal(field, json));
    }
  });

  test("decoded values", () => {
    expect(decodeWire(fields.ifsc(), '" hdfc0abc123 "')).toBe("HDFC0ABC123");
    expect(decodeWire(fields.bankAccount(), '"00001234"')).toBe("00001234");
    expect(decodeWire(fields.bankAccount(), "12345678901234567890")).toBe("12345678901234567890");
    expect(decodeWire(fields.textOrNumber(64), "42")).toBe("42");
    expect(decodeWire(fields.wholeNumber(1, 1000), '"20"')).toBe(20);
  });
});

describe("object", () => {
  const body = fields.object({
    template_id: fields.digitsOrNumber(16),
    invoice: fields.list(
      fields.object({ due_date: fields.requiredText(10), note: fields.optionalText(5), amount: fields.money() }),
      3,
    ),
    customer: fields.optional(fields.object({ email: fields.email() })),
  });

  test("reports all failing fields at once, each with its path", () => {
    const errors = errorsOf(() => decode(body, { invoice: [{ note: "123456" }, 5], customer: { email: 3 } }));
    expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual([
      "template_id required",
      "invoice[0].due_date required",
      "invoice[0].note too_long",
      "invoice[0].amount required",
      "invoice[1] invalid",
      "customer.email invalid",
    ]);
  });

  test("leaves an object without members where one in a list is missing, for checks that look into all of them", () => {
    const errors: FieldError[] = [];
    const decoded = decoderOf(body)({ template_id: 1, invoice: [null] }, "", errors);
    expect(errors).toMatchObject([{ field: "invoice[0]", code: "required" }]);
    expect(decoded.invoice).toEqual([{}]);
  });

  test("hands over exactly the declared members", () => {
    const wire =
      '{"template_id":7,"invoice":[{"due_date":"d","amount":1,"x":1}],"__proto__":{"customer":1},"extra":{}}';
    expect(decode(body, parseJsonBody(Buffer.from(wire)))).toStrictEqual({
      template_id: "7",
      invoice: [{ due_date: "d", note: null, amount: 100n }],
      customer: null,
    });
  });

  test("makes one sentence about the errors that are not listed, however many there are", () => {
    const sentences = vi.spyOn(Number.prototype, "toLocaleString");
    const wide = fields.object({ rows: fields.list(fields.money(), 100_000) });
    const rows = Array.from({ length: 100_000 }, () => "x");
    const unlisted = errorsOf(() => decode(wide, { rows }))[1000]!;
    expect(sentenceOf(unlisted)).toBe("and 99,000 more, which are not listed.");
    expect(sentences.mock.calls.length).toBeLessThan(10);
    sentences.mockRestore();
  });

  test("bounds lists and the number of errors", () => {
    expect(errorsOf(() => decode(body, { template_id: 1, invoice: [1, 2, 3, 4] }))).toMatchObject([
      { field: "invoice", code: "too_long" },
    ]);
    expect(errorsOf(() => decode(body, { template_id: 1, invoice: [] }))).toMatchObject([
      { field: "invoice", code: "invalid" },
    ]);
    const wide = fields.object({ rows: fields.list(fields.money(), 100_000) });
    const rowsOf = (length: number) => Array.from({ length }, () => "x");
    expect(errorsOf(() => decode(wide, { rows: rowsOf(1000) }))).toHaveLength(1000);
    const listed = errorsOf(() => decode(wide, { rows: rowsOf(5211) }));
    expect(listed).toHaveLength(1001);
    const rest = { field: "", code: "more_errors", problem: "and 4,211 more, which are not listed." };
    expect(listed[1000]).toEqual(rest);
    expect(validationError(listed).message).toMatch(
      /rows\[19\], and 980 more\. There are more errors: and 4,211 more, which are not listed\.$/,
    );
  });

  test("takes no inherited member for a sent one", () => {
    const inherited = fields.object({ toString: fields.optionalText(5), constructor: fields.optionalText(5) });
    expect({ ...decode(inherited, {}) }).toEqual({ toString: null, constructor: null });
  });
});
