// Postings of invoice changes in the merchant's book.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { BookAccount } from "../books/index.ts";
import { postingsOf, postingsOfNote, type PostedInvoice, type PostingLine } from "./invoice-postings.ts";

const NEW: PostedInvoice = {
  status: "Unpaid",
  amountPaise: 1_180_00n,
  subTotalPaise: 1_000_00n,
  taxTotalPaise: 180_00n,
  previousDuesPaise: 0n,
  carriedPaise: 0n,
  paidPaise: 0n,
  creditedPaise: 0n,
  content: {
    taxes: [
      { name: "CGST", amountPaise: 90_00n },
      { name: "SGST", amountPaise: 90_00n },
    ],
  },
};

function linesOf(lines: readonly PostingLine[]): Partial<Record<BookAccount, bigint>> {
  return Object.fromEntries(lines.map(({ account, debitPaise }) => [account, debitPaise]));
}

test("a new invoice debits the receivable and credits revenue and each output tax", () => {
  expect(linesOf(postingsOf(null, NEW))).toEqual({
    receivable: 1_180_00n,
    revenue: -1_000_00n,
    output_cgst: -90_00n,
    output_sgst: -90_00n,
  });
});

test("an update posts what differs, by the rates that it has now, and one that moves nothing posts nothing", () => {
  const inter = { ...NEW, content: { taxes: [{ name: "IGST 18%", amountPaise: 180_00n }] } };
  expect(linesOf(postingsOf(NEW, inter))).toEqual({
    output_cgst: 90_00n,
    output_sgst: 90_00n,
    output_igst: -180_00n,
  });
  expect(postingsOf(NEW, { ...NEW, status: "Unpaid" })).toEqual([]);
});

test("a payment moves the receivable to receipts, and its reversal moves it back; content need not be read", () => {
  const { content: _content, ...head } = NEW;
  const paid = { ...head, status: "Partially paid", paidPaise: 500_00n } as const;
  expect(linesOf(postingsOf(head, paid))).toEqual({
    receivable: -500_00n,
    advances: 500_00n,
  });
  expect(linesOf(postingsOf(paid, head))).toEqual({
    receivable: 500_00n,
    advances: -500_00n,
  });
  expect(() => postingsOf(head, { ...paid, taxTotalPaise: 0n })).toThrow(/taxes/);
});

test("a cancelled invoice is taken out of the book; one that credit notes settled is not", () => {
  expect(linesOf(postingsOf(NEW, { ...NEW, status: "Cancelled" }))).toEqual({
    receivable: -1_180_00n,
    revenue: 1_000_00n,
    output_cgst: 90_00n,
    output_sgst: 90_00n,
  });
  const credited = { ...NEW, status: "Cancelled", creditedPaise: 1_180_00n } as const;
  expect(linesOf(postingsOf(NEW, credited))).toEqual({
    receivable: -1_180_00n,
    refunds_payable: 1_180_00n,
  });
});

test("a note takes back revenue and taxes, and what it credits goes to its invoice or stays owed to the customer", () => {
  const note = {
    taxablePaise: 100_00n,
    amountPaise: 118_00n,
    content: {
      taxes: [
        { name: "UTGST", amountPaise: 9_00n },
        { name: "Cess", amountPaise: 9_00n },
      ],
    },
  };
  expect(linesOf(postingsOfNote(note))).toEqual({
    revenue: 100_00n,
    output_utgst: 9_00n,
    output_cess: 9_00n,
    refunds_payable: -118_00n,
  });
  expect(() => postingsOfNote({ ...note, taxablePaise: 1n })).toThrow(/add up/);
});

test("dues that move to a later invoice stay where they are, and a payment of it is counted once", () => {
  const moved = { ...NEW, status: "Carried forward" } as const;
  expect(postingsOf(NEW, moved)).toEqual([]);
  const later = { ...NEW, previousDuesPaise: 1_180_00n, carriedPaise: 1_180_00n, amountPaise: 2_360_00n };
  expect(linesOf(postingsOf(null, later))).toEqual(linesOf(postingsOf(null, NEW)));
  // The earlier invoice's part is posted with the settlement passed on to it.
  const paid = { ...later, status: "Partially paid", paidPaise: 1_200_00n } as const;
  expect(linesOf(postingsOf(later, paid))).toEqual({
    receivable: -20_00n,
    advances: 20_00n,
  });
});

test("previous dues that the merchant typed in are no revenue", () => {
  const typed = { ...NEW, previousDuesPaise: 50_00n, amountPaise: 1_230_00n };
  expect(linesOf(postingsOf(NEW, typed))).toEqual({ receivable: 50_00n, opening_balances: -50_00n });
});

const paise = fc.bigInt({ min: 0n, max: 10_000_00n });
const anyInvoice = fc
  .record({
    subTotalPaise: paise,
    taxes: fc.array(fc.record({ name: fc.constantFrom("CGST", "IGST 5%", "Cess"), amountPaise: paise }), {
      maxLength: 3,
    }),
    typedPaise: paise,
    carriedPaise: paise,
    paidPaise: paise,
    creditedPaise: paise,
    status: fc.constantFrom("Unpaid", "Partially paid", "Cancelled", "Carried forward"),
  })
  .map(({ taxes, typedPaise, ...rest }): PostedInvoice => {
    const taxTotalPaise = taxes.reduce((total, { amountPaise }) => total + amountPaise, 0n);
    const previousDuesPaise = typedPaise + rest.carriedPaise;
    const amountPaise = rest.subTotalPaise + taxTotalPaise + previousDuesPaise;
    return { ...rest, taxTotalPaise, previousDuesPaise, amountPaise, content: { taxes } };
  });

test("whatever changes, the postings of all changes together are those of the last state", () => {
  fc.assert(
    fc.property(fc.array(anyInvoice, { minLength: 1, maxLength: 6 }), (states) => {
      const total = new Map<string, bigint>();
      for (const [index, after] of states.entries()) {
        for (const { account, debitPaise } of postingsOf(states[index - 1] ?? null, after)) {
          total.set(account, (total.get(account) ?? 0n) + debitPaise);
        }
      }
      const left = [...total].filter(([, debitPaise]) => debitPaise !== 0n);
      expect(Object.fromEntries(left)).toEqual(linesOf(postingsOf(null, states.at(-1)!)));
    }),
  );
});
