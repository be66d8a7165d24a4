// Random operations on the ledger, for fast-check: what is asked of it, with merchants and transfers named by number.
// Doing them is the test's.
import fc from "fast-check";
import type { ModelStatus } from "./ledger-model.ts";

export const MERCHANTS = 2;

/** A transfer to ask for; one without a reference is a withdrawal. */
export type RequestedPayout = {
  readonly merchant: number;
  readonly amountPaise: bigint;
  readonly reference: number | null;
  readonly idempotencyKey: number | null;
  readonly claim: boolean;
};

export type Operation =
  | { readonly type: "fund"; readonly merchant: number; readonly amountPaise: bigint; readonly reference: number }
  | { readonly type: "accept"; readonly payoutRequests: readonly RequestedPayout[] }
  /** An earlier batch once more, as after a connection that broke at its commit. */
  | { readonly type: "repeat"; readonly pick: number }
  | { readonly type: "claim"; readonly picks: readonly number[] }
  | { readonly type: "report"; readonly reports: readonly { readonly pick: number; readonly status: ModelStatus }[] };

// Few merchants, amounts and references, so that they meet. Round amounts, so that some take exactly what is left.
const merchant = fc.nat(MERCHANTS - 1);
const fundsPaise = fc.constantFrom(1n, 100_000n, 500_000n, 1_000_000n);
const amountPaise = fc.constantFrom(1n, 100_000n, 100_000n, 200_000n, 500_000n, 1_000_000n);
const reference = fc.nat(60);
const status: fc.Arbitrary<ModelStatus> = fc.constantFrom(
  "UNKNOWN",
  "PENDING",
  "SUCCESS",
  "SUCCESS",
  "FAILED",
  "REJECTED",
  "REVERSED",
);

const payoutRequest: fc.Arbitrary<RequestedPayout> = fc.record({
  merchant,
  amountPaise,
  reference: fc.option(reference, { freq: 8 }),
  idempotencyKey: fc.option(fc.nat(15), { freq: 2 }),
  claim: fc.boolean(),
});

const fund = fc.record({ type: fc.constant("fund" as const), merchant, amountPaise: fundsPaise, reference });
const accept = fc.record({
  type: fc.constant("accept" as const),
  // Twins by idempotency key never share a batch: the intake keeps them apart.
  payoutRequests: fc.uniqueArray(payoutRequest, {
    minLength: 1,
    maxLength: 20,
    selector: (one) => (one.idempotencyKey === null ? one : `${one.merchant} ${one.idempotencyKey}`),
  }),
});
const repeat = fc.record({ type: fc.constant("repeat" as const), pick: fc.nat() });
const claim = fc.record({
  type: fc.constant("claim" as const),
  picks: fc.array(fc.nat(), { minLength: 1, maxLength: 10 }),
});
const report = fc.record({
  type: fc.constant("report" as const),
  reports: fc.array(fc.record({ pick: fc.nat(), status }), { minLength: 1, maxLength: 20 }),
});

/** A history of that many operations, or up to a fifth fewer. */
export function histories(maxOperations: number): fc.Arbitrary<Operation[]> {
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    { weight: 2, arbitrary: fund },
    { weight: 6, arbitrary: accept },
    { weight: 1, arbitrary: repeat },
    { weight: 2, arbitrary: claim },
    { weight: 6, arbitrary: report },
  );
  return fc.array(operation, { minLength: maxOperations * 0.8, maxLength: maxOperations, size: "max" });
}
