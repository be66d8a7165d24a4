// The arithmetic of commission, against worked examples and by its properties.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commissionOn, shareOf } from "./commission.ts";

function percentOf(
  commissionHundredths: bigint,
  receivedPaise: bigint,
  taxablePaise: bigint,
  totalPaise: bigint,
): bigint {
  const receipt = { receivedPaise, taxablePaise, totalPaise, becameFullyPaid: false };
  return commissionOn({ commissionType: "Percentage", commissionHundredths }, receipt);
}

describe("a percentage", () => {
  test.each([
    ["10 % of 1180.00 on 1000.00 and tax, paid in full", 1000n, 118_000n, 100_000n, 118_000n, 10_000n],
    ["10 % of half of it", 1000n, 59_000n, 100_000n, 118_000n, 5000n],
    ["2.5 % of 0.20 is half a paisa: away from zero", 250n, 20n, 100n, 100n, 1n],
    ["2.5 % of 0.19 is less than half a paisa", 250n, 19n, 100n, 100n, 0n],
    ["33.33 % of 0.01 of 3.54 on 3.00", 3333n, 354n, 300n, 354n, 100n],
    ["0 %", 0n, 118_000n, 100_000n, 118_000n, 0n],
    ["100 %", 10_000n, 118_000n, 100_000n, 118_000n, 100_000n],
    ["nothing taxable", 1000n, 118_000n, 0n, 118_000n, 0n],
    ["an invoice of nothing", 1000n, 0n, 0n, 0n, 0n],
    [
      "the largest amounts",
      9999n,
      999_999_999_999_999n,
      999_999_999_999_999n,
      999_999_999_999_999n,
      999_899_999_999_999n,
    ],
  ])("%s", (_, percent, received, taxable, total, expected) => {
    expect(percentOf(percent, received, taxable, total)).toBe(expected);
  });

  test("is rounded once, half away from zero", () => {
    const paise = fc.bigInt(1n, 10n ** 15n);
    fc.assert(
      fc.property(fc.bigInt(0n, 10_000n), paise, paise, paise, (percent, received, taxable, total) => {
        const exact = received * taxable * percent;
        const divisor = total * 10_000n;
        const twiceTheError = 2n * (percentOf(percent, received, taxable, total) * divisor - exact);
        expect(twiceTheError > -divisor && twiceTheError <= divisor).toBe(true);
      }),
    );
  });
});

describe("a fixed amount", () => {
  const fixed = { commissionType: "Fixed", commissionHundredths: 5000n } as const;
  const receipt = { receivedPaise: 1n, taxablePaise: 100n, totalPaise: 118n };

  test("is earned when the invoice becomes fully paid, whatever the last payment is", () => {
    expect(commissionOn(fixed, { ...receipt, becameFullyPaid: false })).toBe(0n);
    expect(commissionOn(fixed, { ...receipt, becameFullyPaid: true })).toBe(5000n);
  });
});

describe("the share of a refund", () => {
  test.each([
    ["all of it", 1000n, 500n, 500n, 1000n],
    ["a third, rounded", 1000n, 100n, 300n, 333n],
    ["half a paisa, away from zero", 1n, 1n, 2n, 1n],
    ["more than stands as received", 1000n, 600n, 500n, 1000n],
    ["of nothing earned", 0n, 100n, 300n, 0n],
  ])("%s", (_, earned, refunded, received, expected) => {
    expect(shareOf(earned, refunded, received)).toBe(expected);
  });
});
