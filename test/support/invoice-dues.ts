// Random histories of invoices whose dues are carried forward, and their expected results. carry-dues.test.ts runs them.
import fc from "fast-check";

/** Each of these invoices' own amount. */
export const OWN_PAISE = 11_800n;

type Step =
  | { readonly does: "bill" }
  | { readonly does: "pay"; readonly paise: bigint }
  | { readonly does: "reverse"; readonly place: number };

/** A step on the last invoice, on which everything is due. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ does: "bill" as const }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant("pay" as const), paise: fc.bigInt(1n, 25_000n) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("reverse" as const), place: fc.nat(3) }) },
);

type AnyStep = Step | { readonly does: "credit"; readonly place: number; readonly paise: bigint };

/** A step on any invoice. */
export const anyStep: fc.Arbitrary<AnyStep> = fc.oneof(
  { weight: 3, arbitrary: step },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant("credit" as const), place: fc.nat(3), paise: fc.bigInt(1n, 9000n) }),
  },
);

/** The settled part of each invoice's own amount: money fills the oldest first. */
export class DuesModel {
  /** As it was when the last invoice was made. */
  #base: readonly bigint[] = [];
  payments: { readonly id: bigint; readonly paise: bigint }[] = [];

  get settled(): bigint[] {
    let left = this.payments.reduce((sum, { paise }) => sum + paise, 0n);
    return this.#base.map((before) => {
      const taken = left < OWN_PAISE - before ? left : OWN_PAISE - before;
      left -= taken;
      return before + taken;
    });
  }

  bill(): void {
    this.#base = [...this.settled, 0n];
    this.payments = [];
  }
}
