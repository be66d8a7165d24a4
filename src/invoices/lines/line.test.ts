// One list describes a line: everything that reads or writes one follows it.
import { expect, expectTypeOf, test } from "vitest";
import { encoderOf, optional, requiredField } from "../../platform/http/field.ts";
import { object } from "../../platform/http/fields.ts";
import { asDigits, asRecord, asText, type Codecs } from "../../platform/json-codec.ts";
import { parseThousandths, formatThousandths } from "../../platform/money.ts";
import { decode } from "../../platform/http/field.ts";
import { FORM_MEMBERS, LINE_MEMBERS, type Row } from "./line.ts";
import { lineField, storedLine, toRow, toTemplateLine, toWireLine } from "./line-forms.ts";
import type { KindOfValue } from "./line-kinds.ts";
import { shareLine, shareMembers } from "./share-line.ts";

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

/** Members that there are none of yet. */
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
  expect(Object.keys(row)).toEqual(LINE_MEMBERS.map(({ property }) => property));
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
  // @ts-expect-error: a field of bigints has to say how it is written
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

  // 2 pieces of ₹500 together; of ₹300 of them nobody can say how many pieces they are.
  const members = [{ property: "quantityThousandths" }, { property: "unit" }, { property: "amountPaise" }];
  const share = { quantityThousandths: () => 0n, unit: () => "", amountPaise: () => 30_000n };
  const line = { quantityThousandths: 2000n, unit: "PCS", amountPaise: 50_000n };
  const kindOf = ({ property }: { readonly property: string }) => ({ share: share[property as keyof typeof share] });
  expect(shareMembers(line, { partPaise: 30_000n, ofPaise: 50_000n }, members, kindOf)).toEqual({
    quantityThousandths: 0n,
    unit: "",
    amountPaise: 30_000n,
  });
  expect(shareMembers(line, { partPaise: 50_000n, ofPaise: 50_000n }, members, kindOf)).toEqual(line);
});

test("forms have a member behind the one that it is shown below", () => {
  expect(FORM_MEMBERS.map(({ name }) => name)).toEqual(["item", "description", "sac_code", "gst", "total_amount"]);
});
