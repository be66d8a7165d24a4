// One list describes a line: all code that reads or writes one follows it.
import { expect, expectTypeOf, test } from "vitest";
import type { FieldError } from "../../platform/errors.ts";
import { decoderOf, encoderOf, optional, requiredField } from "../../platform/http/field.ts";
import { object } from "../../platform/http/fields.ts";
import { asDigits, asRecord, asText, type Codecs } from "../../platform/json-codec.ts";
import { parseThousandths, formatThousandths } from "../../platform/money.ts";
import { decode } from "../../platform/http/field.ts";
import { FORM_MEMBERS, LINE_MEMBERS, type Row } from "./line.ts";
import { lineField, storedLine, toRow, toTemplateLine, toWireLine } from "./line-forms.ts";
import type { KindOfValue } from "./line-kinds.ts";
import { shareLine } from "./share-line.ts";

const LINE = {
  item: "Consulting",
  sac_code: "998311",
  description: "For a month",
  gst: "18",
  total_amount: "500.50",
};
const ROW: Row = {
  item: "Consulting",
  sacCode: "998311",
  description: "For a month",
  gstThousandths: 18_000n,
  amountPaise: 50_050n,
};

/** Members that don't exist yet. */
type Counted = { readonly unit: string; readonly quantityThousandths: bigint };

test("a line is read from a request, kept as JSON and answered with every member of the list", () => {
  const row = toRow(decode(lineField, LINE));
  expect(row).toEqual(ROW);
  expect(storedLine.read(JSON.parse(JSON.stringify(storedLine.write(row))))).toEqual(ROW);
  expect(storedLine.write(row)).toEqual({
    item: "Consulting",
    sacCode: "998311",
    description: "For a month",
    gstThousandths: "18000",
    amountPaise: "50050",
  });
  expect(toWireLine(row)).toEqual(LINE);
  const plain = LINE_MEMBERS.filter((member) => !("isOptional" in member));
  expect(Object.keys(row)).toEqual(plain.map(({ property }) => property));
});

test("members that are left out have the value of none, in a template too", () => {
  const sent = decode(lineField, { total_amount: "1" });
  const none = { item: "", sac_code: "", description: "" };
  expect(toWireLine(toRow(sent))).toEqual({ ...none, gst: "0", total_amount: "1.00" });
  expect(toTemplateLine(sent)).toEqual({ ...none, gst: "0.00", total_amount: "1.00" });
});

test("a line that was kept before a text member was listed reads as if it were empty, and one without its amount is refused", () => {
  const { description: _description, ...older } = storedLine.write(ROW) as Record<string, string>;
  expect(storedLine.read(older)).toEqual({ ...ROW, description: "" });
  const { amountPaise: _amountPaise, ...broken } = storedLine.write(ROW) as Record<string, string>;
  expect(() => storedLine.read(broken)).toThrow(/digits/);
  expect(() => storedLine.read({ ...broken, amountPaise: 50_050 })).toThrow(/digits/);
});

test("a bigint member without a codec of its own does not compile", () => {
  // @ts-expect-error: quantityThousandths has no codec
  const missing: Codecs<Counted> = { unit: asText("") };
  // @ts-expect-error: a bigint is not kept as text
  const asIs: Codecs<Counted> = { unit: asText(""), quantityThousandths: asText("") };
  // @ts-expect-error: nor is a kind of bigint
  const kind: Pick<KindOfValue<bigint>, "stored"> = { stored: asText("") };
  // @ts-expect-error: a field of bigints needs its spelling
  const unwritten = () => requiredField<bigint>({ type: "string" }, "a quantity", () => 0n);
  expect([missing, asIs, kind, unwritten]).toHaveLength(4);
  expectTypeOf<Row["gstThousandths"]>().toEqualTypeOf<bigint>();
});

test("a bigint member comes back as what it was, with any name and unit", () => {
  const codec = asRecord<Counted>({ unit: asText(""), quantityThousandths: asDigits(0n) });
  const kept = JSON.parse(JSON.stringify(codec.write({ unit: "PCS", quantityThousandths: 2500n })));
  expect(kept).toEqual({ unit: "PCS", quantityThousandths: "2500" });
  expect(codec.read(kept)).toEqual({ unit: "PCS", quantityThousandths: 2500n });

  const quantity = requiredField<bigint>({ type: "string" }, "a quantity", (value) => parseThousandths(value)!, {
    encode: formatThousandths,
  });
  const line = object({ quantity: optional(quantity) });
  expect(encoderOf(line)(decode(line, { quantity: "2.5" }))).toEqual({ quantity: "2.5" });
});

test("a part of a line scales what its kinds say, and only that", () => {
  expect(shareLine(ROW, 30_030n)).toEqual({ ...ROW, amountPaise: 30_030n });
  expect(shareLine(ROW, ROW.amountPaise)).toEqual(ROW);
});

const GOODS = {
  item: "Tiles",
  sac_code: "6907",
  description: "Grey",
  quantity: "2.5",
  unit: "SQM",
  unit_price: "118.00",
  discount: "10%",
  tax_treatment: "taxable",
  gst: "18",
  cess_percentage: "1",
  price_includes_tax: "1",
  total_amount: "",
};

test("a line with every member keeps what was sent, and its amount follows from the price", () => {
  const row = toRow(decode(lineField, GOODS));
  expect(row).toEqual({
    item: "Tiles",
    sacCode: "6907",
    description: "Grey",
    quantityThousandths: 2500n,
    unit: "SQM",
    unitPricePaise: 118_00n,
    discount: "10%",
    gstThousandths: 18_000n,
    cessThousandths: 1000n,
    priceIncludesTax: true,
    amountPaise: 265_50n,
    includedPaise: 265_50n,
  });
  expect(storedLine.read(JSON.parse(JSON.stringify(storedLine.write(row))))).toEqual(row);
  const { tax_treatment: _none, ...answered } = GOODS;
  expect(toWireLine({ ...row, amountPaise: 223_11n })).toEqual({
    ...answered,
    total_amount: "265.50",
    taxable_amount: "223.11",
  });
  expect(toRow(decode(lineField, toTemplateLine(decode(lineField, GOODS))))).toEqual(row);
});

test("a part of a line with a quantity says neither how many it is nor at which price", () => {
  const row = toRow(decode(lineField, { ...GOODS, price_includes_tax: "0" }));
  const part = shareLine(row, 100_00n);
  expect(part).toEqual({
    item: "Tiles",
    sacCode: "6907",
    description: "Grey",
    unit: "SQM",
    gstThousandths: 18_000n,
    cessThousandths: 1000n,
    amountPaise: 100_00n,
  });
  expect(shareLine(row, row.amountPaise)).toEqual(row);
});

test.each([
  [{ quantity: "3", unit_price: "33.335" }, "unit_price", /2 decimals/],
  [{ quantity: "0", unit_price: "1" }, "quantity", /above 0/],
  [{ quantity: "1.0005", unit_price: "1" }, "quantity", /3 decimals/],
  [{ unit: "PIECES", total_amount: "1" }, "unit", /PCS \(pieces\)/],
  [{ discount: "5", total_amount: "1" }, "discount", /needs a unit_price/],
  [{ unit_price: "10", quantity: "2", discount: "20.01" }, "discount", /at most 20\.00/],
  [{ unit_price: "10", discount: "101%" }, "discount", /up to 100/],
  [
    { unit_price: "100", quantity: "2", discount: "10", total_amount: "200" },
    "total_amount",
    /190\.00 \(2 × 100\.00 − 10\.00\)/,
  ],
  [{ item: "Nothing" }, "total_amount", /is required, unless unit_price/],
  [{ total_amount: "1", gst: "5", tax_treatment: "exempt" }, "gst", /because tax_treatment is exempt/],
  [{ total_amount: "1", tax_treatment: "zero" }, "tax_treatment", /taxable, nil, exempt, non_gst/],
  [{ unit_price: "9999999999999", quantity: "2" }, "unit_price", /split the row/],
])("%j is refused for its %s", (line, field, problem) => {
  const errors: FieldError[] = [];
  decoderOf(lineField)(line, "", errors);
  expect(errors).toEqual([expect.objectContaining({ field, problem: expect.stringMatching(problem) })]);
});

test.each([
  [{ unit_price: "10" }, 10_00n],
  [{ unit_price: "0", quantity: "5" }, 0n],
  [{ unit_price: "33.33", quantity: "0.333" }, 11_10n],
  [{ unit_price: "99.99", quantity: "3", discount: "33.33%" }, 199_99n],
  [{ unit_price: "100", quantity: "2", discount: "10", total_amount: "190.00" }, 190_00n],
  [{ total_amount: "12.50", quantity: "4", unit: "nos" }, 12_50n],
])("%j comes to %s paise", (line, paise) => {
  expect(toRow(decode(lineField, line)).amountPaise).toBe(paise);
});

test("forms have a member behind the one that it is shown below", () => {
  expect(FORM_MEMBERS.map(({ name }) => name).slice(0, 4)).toEqual(["item", "description", "sac_code", "quantity"]);
});
