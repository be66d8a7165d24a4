// An invoice's due amount, the status that follows from its amounts, its id in the API, and its refusals when closed.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodalError } from "../platform/errors.ts";
import {
  dueOf,
  formatInvoiceId,
  INVOICE_STATUSES,
  invoiceNotFound,
  parseInvoiceId,
  refuseIfCancelled,
  refuseIfClosed,
  refuseIfTouched,
  statusOf,
  type Invoice,
} from "./invoice.ts";

type Amounts = Pick<Invoice, "amountPaise" | "paidPaise" | "creditedPaise" | "carriedTo">;

function amountsOf(changes: Partial<Amounts> = {}) {
  const parts = { subTotalPaise: 10_000n, taxTotalPaise: 1800n, previousDuesPaise: 0n };
  return { ...parts, amountPaise: 11_800n, paidPaise: 0n, creditedPaise: 0n, carriedTo: null, ...changes };
}

/** The parts of an invoice that these rules read. */
function invoiceOf(changes: Partial<Invoice> = {}): Invoice {
  return { ...amountsOf(), status: "Unpaid", ...changes } as Invoice;
}

describe("the status", () => {
  test.each<[Partial<Amounts>, string]>([
    [{}, "Unpaid"],
    [{ paidPaise: 1n }, "Partially paid"],
    [{ paidPaise: 11_799n }, "Partially paid"],
    [{ paidPaise: 11_800n }, "Paid offline"],
    [{ paidPaise: 1800n, creditedPaise: 10_000n }, "Paid offline"],
    [{ creditedPaise: 1n }, "Unpaid"],
    [{ paidPaise: 1n, creditedPaise: 1n }, "Partially paid"],
    [{ creditedPaise: 11_800n }, "Cancelled"],
    [{ amountPaise: 0n }, "Paid offline"],
    [{ carriedTo: 9n }, "Carried forward"],
    [{ carriedTo: 9n, paidPaise: 1n }, "Carried forward"],
    // No dues are left that could be carried elsewhere.
    [{ carriedTo: 9n, paidPaise: 11_800n }, "Paid offline"],
    [{ carriedTo: 9n, creditedPaise: 11_800n }, "Cancelled"],
  ])("of %o is %s", (changes, status) => expect(statusOf(amountsOf(changes))).toBe(status));

  test("says that something is due exactly where something is", () => {
    const paise = fc.bigInt(0n, 5n);
    fc.assert(
      fc.property(paise, paise, paise, (paidPaise, creditedPaise, duePaise) => {
        const amounts = amountsOf({ amountPaise: paidPaise + creditedPaise + duePaise, paidPaise, creditedPaise });
        const status = statusOf(amounts);
        expect(dueOf({ ...amounts, status })).toBe(duePaise);
        expect(status === "Unpaid" || status === "Partially paid").toBe(duePaise > 0n);
      }),
    );
  });
});

test.each(INVOICE_STATUSES)(
  "due on an invoice that is %s is its amount less payments and credits, or nothing",
  (status) => {
    const isClosed = status === "Cancelled" || status === "Carried forward";
    const amounts = amountsOf({ paidPaise: 300n, creditedPaise: 500n });
    expect(dueOf({ ...amounts, status })).toBe(isClosed ? 0n : 11_000n);
  },
);

describe("an id on the wire", () => {
  test.each([
    [29_148n, "R000029148"],
    [123_456_789n, "R123456789"],
    [1_234_567_890n, "R1234567890"],
    [9_007_199_254_740_991n, "R9007199254740991"],
  ])("of %s is %s, and back", (invoiceId, text) => {
    expect(formatInvoiceId(invoiceId)).toBe(text);
    expect(parseInvoiceId(text)).toBe(invoiceId);
  });

  test.each([
    "",
    "29148",
    "R29148",
    "R12345678",
    "r000029148",
    "R12345678901234567",
    "xR000029148",
    "R000029148x",
    "R00002914x",
  ])("is not %j", (text) => expect(parseInvoiceId(text)).toBeNull());
});

describe("what is refused", () => {
  /** The code and the sentence of a refusal; `null` where there is none. */
  function refusal(check: () => void): Pick<NodalError, "code" | "message"> | null {
    try {
      check();
      return null;
    } catch (error) {
      const { code, message } = error as NodalError;
      return { code, message };
    }
  }

  const CANCELLED = invoiceOf({ status: "Cancelled" });
  const MOVED = invoiceOf({ status: "Carried forward", carriedTo: 29_148n });

  test("of a cancelled invoice: everything, with what to do", () => {
    const expected = { code: "invoice_cancelled", message: expect.stringContaining("create a new one") };
    for (const check of [refuseIfCancelled, refuseIfClosed]) expect(refusal(() => check(CANCELLED))).toEqual(expected);
    expect(refusal(() => refuseIfTouched(CANCELLED, false))).toEqual(expected);
  });

  test("of one that was carried forward: changes, with the invoice to use", () => {
    const expected = { code: "invoice_carried_forward", message: expect.stringContaining("use R000029148.") };
    expect(refusal(() => refuseIfClosed(MOVED))).toEqual(expected);
    expect(refusal(() => refuseIfTouched(MOVED, false))).toEqual(expected);
    expect(refusal(() => refuseIfCancelled(MOVED))).toBeNull();
    const unnamed = refusal(() => refuseIfClosed({ ...MOVED, carriedTo: null }));
    expect(unnamed!.message).toContain("the later invoice");
  });

  test("of one with money or a credit note on it: changes of what it bills", () => {
    const expected = { code: "invoice_already_paid", message: expect.stringContaining("issue a credit note") };
    expect(refusal(() => refuseIfTouched(invoiceOf({ paidPaise: 1n }), false))).toEqual(expected);
    expect(refusal(() => refuseIfTouched(invoiceOf(), true))).toEqual(expected);
    expect(refusal(() => refuseIfTouched(invoiceOf(), false))).toBeNull();
    expect(refusal(() => refuseIfClosed(invoiceOf({ paidPaise: 1n })))).toBeNull();
  });

  test("one that there is not", () => {
    const { code, message } = invoiceNotFound();
    expect({ code, message }).toEqual({ code: "invoice_not_found", message: expect.stringContaining("invoice_id") });
  });
});
