// In which order the search over everything shows what was found.
import { expect, test } from "vitest";
import { invoicesFirst } from "../../web/src/app/found-order.ts";

const found = {
  payouts: [{ transfer_id: "1000009", reference_id: "Order-1", utr: "600000010042" }],
  invoices: [{ invoice_number: "INV-2627-00001" }],
};

test("the end of an invoice's number stands above a part of a UTR, and below a payout that is named by all of the text", () => {
  for (const text of ["00001", "inv-2627-00001", "1"]) expect(invoicesFirst(found, text), text).toBe(true);
  for (const text of ["6000000", "600000010042", "2627"]) expect(invoicesFirst(found, text), text).toBe(false);
  const named = { ...found, payouts: [...found.payouts, { transfer_id: "7", reference_id: "00001", utr: "" }] };
  expect(invoicesFirst(named, "00001")).toBe(false);
});
