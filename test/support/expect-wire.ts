// The common parts of every API refusal, as a matcher and an assertion for the wire tests. Each route's test checks the rest.
import { expect } from "vitest";
import type { Members, TestMerchant } from "./installation.ts";
import type { Answer } from "./nodal.ts";

type Refusal = {
  readonly status: number;
  readonly code: string;
  /** The failing fields, in any order, as `field code`; without them the body has no `errors`. */
  readonly fields?: readonly string[];
  /** Further members of the body. */
  readonly details?: Members;
};

declare module "vitest" {
  interface Matchers {
    /**
     * Whether an answer is this refusal exactly, outside of envelopes: nothing more, nothing less.
     * docs/rules/values-and-errors.md#refusals
     */
    toBeRefusal: (refusal: Refusal) => void;
  }
}

const SENTENCE: unknown = expect.stringMatching(/\S+ \S+/);

expect.extend({
  toBeRefusal(answer: Answer, refusal: Refusal) {
    const actual = describeAnswer(answer);
    const expected = describeRefusal(refusal);
    const name = `${refusal.status} ${refusal.code}`;
    const message = () => `expected ${answer.status} ${JSON.stringify(answer.body)} to be ${name}`;
    return { pass: this.equals(actual, expected, [], true), message, actual, expected };
  },
});

/** Runs work that is refused, and checks that the merchant's money, transfers, beneficiaries and keys don't change. */
export async function expectNoChange(merchant: TestMerchant, work: () => Promise<void>): Promise<void> {
  const before = await merchant.snapshot();
  await work();
  expect(await merchant.snapshot()).toEqual(before);
}

function describeAnswer({ status, headers, body }: Answer): Members {
  const { errors, ...rest } = body as { readonly errors?: readonly { field: string; code: string }[] };
  const inOrder = errors?.toSorted((a, b) => (`${a.field} ${a.code}` < `${b.field} ${b.code}` ? -1 : 1));
  return {
    status,
    type: headers.get("content-type"),
    requestId: headers.get("x-request-id"),
    body: inOrder ? { ...rest, errors: inOrder } : rest,
  };
}

function describeRefusal({ status, code, fields, details }: Refusal): Members {
  const errors = fields?.toSorted().map((text) => {
    const [field, fieldCode] = text.split(" ");
    return { field, code: fieldCode, message: SENTENCE };
  });
  return {
    status,
    type: "application/json; charset=utf-8",
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
    body: { ...details, status: 0, error: SENTENCE, code, ...(errors ? { errors } : {}) },
  };
}
