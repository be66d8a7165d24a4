import { expect, test } from "vitest";
import { decoderOf } from "./http/field.ts";
import { unit } from "./http/tax-fields.ts";
import type { FieldError } from "./errors.ts";

function read(text: unknown): string {
  const errors: FieldError[] = [];
  const code = decoderOf(unit())(text, "unit", errors);
  return errors[0]?.problem ?? code;
}

test("a unit is one of the codes, in any case; others are refused with the nearest", () => {
  expect(["NOS", "nos", " Kgs "].map(read)).toEqual(["NOS", "NOS", "KGS"]);
  expect(read("KG")).toContain("KGS (kilograms)");
  expect(read("BOXES")).toContain("BOX (box)");
  expect(read("metre")).toMatch(/^must be a unit quantity code of GST/);
  for (const other of ["", "constructor", "x".repeat(1000), 7]) expect(read(other)).toMatch(/must be|is required/);
});
