// The JSON limits of a body, from the schema of its route.
import { expect, test } from "vitest";
import type { NodalError } from "../errors.ts";
import { capacityOf, MOST } from "./body-capacity.ts";
import * as fields from "./fields.ts";
import { parseJsonBody } from "./json-body.ts";

const amount = fields.object({ name: fields.requiredText(10), amount: fields.money() });
const invoice = fields.object({ rows: fields.optional(fields.list(amount, 20)), due: fields.optional(fields.date()) });
const batch = fields.object({ invoice: fields.list(invoice, 500), total: fields.money() });

const codeOf = (text: string, capacity = MOST): string | null => {
  try {
    parseJsonBody(Buffer.from(text), capacity);
    return null;
  } catch (error) {
    return (error as NodalError).code;
  }
};

test("a form may hold what its fields take, and some that it does not have", () => {
  const capacity = capacityOf(amount);
  expect(capacity.values).toBeLessThan(2000);
  expect(capacity.unusualNumbers).toBeLessThan(200);
  const extra = (count: number, value: string): string =>
    `{"name":"a","amount":1.500${Array.from({ length: count }, (_, index) => `,"x${index}":${value}`).join("")}}`;
  expect(codeOf(extra(50, "1.500"), capacity)).toBeNull();
  expect(codeOf(extra(900, "1"), capacity)).toBeNull();
  expect(codeOf(extra(200, "1e3"), capacity)).toBe("body_too_large");
  expect(codeOf(extra(3000, "1"), capacity)).toBe("body_too_large");
  expect(codeOf(`{"a":[${"1e3,".repeat(249_000)}1]}`, capacity)).toBe("body_too_large");
});

test("a batch may hold as much as its items take, and never more than any body", () => {
  const rows = Array.from({ length: 20 }, () => '{"name":"a","amount":1.500,"more":1}').join(",");
  const invoices = Array.from({ length: 500 }, () => `{"rows":[${rows}],"due":"2026-11-26"}`).join(",");
  expect(codeOf(`{"invoice":[${invoices}],"total":1e3}`, capacityOf(batch))).toBeNull();
  expect(capacityOf(fields.object({ all: fields.list(batch, 1000) }))).toEqual(MOST);
  // A schema that is not made of fields gives no limits.
  expect(capacityOf(undefined)).toEqual(MOST);
});
