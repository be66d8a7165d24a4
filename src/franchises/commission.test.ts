// The arithmetic of commission, against worked examples and by its properties.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commissionOn, type CommissionBasis } from "./commission.ts";

function standing(changes: Partial<CommissionBasis>): CommissionBasis {
  const nothing = { previousDuesPaise: 0n, paidPaise: 0n, creditedPaise: 0n, givenBackPaise: 0n };
  return { taxablePaise: 10_000n, totalPaise: 11_800n, ...nothing, ...changes };
}

function percentOf(
  commissionHundredths: bigint,
  paidPaise: bigint,
  taxablePaise: bigint,
  totalPaise: bigint,
  givenBackPaise = 0n,
): bigint {
  const invoice = standing({ paidPaise, taxablePaise, totalPaise, givenBackPaise });
  return commissionOn({ commissionType: "Percentage", commissionHundredths }, invoice);
}

function fixedOf(changes: Partial<CommissionBasis>): bigint {
  return commissionOn({ commissionType: "Fixed", commissionHundredths: 5000n }, standing(changes));
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

describe("a percentage, once money is given back", () => {
  test.each([
    ["half of it", 5900n, 500n],
    ["all of it", 11_800n, 0n],
    ["more than stands as received", 12_000n, 0n],
  ])("%s", (_, givenBackPaise, expected) => {
    expect(percentOf(1000n, 11_800n, 10_000n, 11_800n, givenBackPaise)).toBe(expected);
  });
});

describe("a fixed amount", () => {
  test.each([
    ["nothing is paid", {}, 0n],
    ["a paisa is due", { paidPaise: 11_799n }, 0n],
    ["it is paid", { paidPaise: 11_800n }, 5000n],
    ["half is paid and half credited", { paidPaise: 5900n, creditedPaise: 5900n }, 2500n],
    ["it is paid and half given back", { paidPaise: 11_800n, givenBackPaise: 5900n }, 2500n],
    [
      "it is paid but for what is credited, and more given back",
      { paidPaise: 8850n, creditedPaise: 2950n, givenBackPaise: 2950n },
      2500n,
    ],
    ["a third is credited: rounded once", { paidPaise: 7867n, creditedPaise: 3933n }, 3333n],
    ["all is given back", { paidPaise: 11_800n, givenBackPaise: 11_800n }, 0n],
    ["it is credited in full and nobody paid", { creditedPaise: 11_800n }, 0n],
    ["a refunded payment is reversed", { givenBackPaise: 5900n }, 0n],
    ["previous dues are paid with it", { totalPaise: 20_000n, previousDuesPaise: 8200n, paidPaise: 20_000n }, 5000n],
    [
      "half of it is credited, and previous dues are paid",
      { totalPaise: 20_000n, previousDuesPaise: 8200n, paidPaise: 14_100n, creditedPaise: 5900n },
      2500n,
    ],
    [
      "previous dues are all there is",
      { taxablePaise: 0n, totalPaise: 8200n, previousDuesPaise: 8200n, paidPaise: 8200n },
      5000n,
    ],
    ["there is nothing to pay", { taxablePaise: 0n, totalPaise: 0n }, 0n],
  ])("when %s", (_, changes, expected) => {
    expect(fixedOf(changes)).toBe(expected);
  });
});
