// What the page of a transfer advises about a refund to a customer.
import { expect, test } from "vitest";
import { reasonAdvice, refundAdvice, statusAdvice } from "../../web/src/strings/payouts.ts";
import { adviceOn } from "../../web/src/pages/payouts/advice.ts";

const refund_of = { credit_note_number: "CN/1" };

test("a refund that failed is paid again from its invoice, and not as another payout", () => {
  for (const status of ["FAILED", "REJECTED", "REVERSED"] as const) {
    const advice = adviceOn({ status, reason: "BANK_GATEWAY_ERROR: down", refund_of });
    expect(advice).toEqual([refundAdvice[status]]);
    expect(advice[0]).toContain("efund again from the invoice");
    expect(adviceOn({ status, reason: "BANK_GATEWAY_ERROR: down", refund_of: null })).toEqual([
      statusAdvice[status],
      reasonAdvice["BANK_GATEWAY_ERROR"],
    ]);
  }
  expect(adviceOn({ status: "SUCCESS", reason: "", refund_of })).toEqual([statusAdvice["SUCCESS"]]);
});
