// Assertions that tell what was expected of which request, in a test and outside of one.
import { AssertionError } from "node:assert";
import { inspect, isDeepStrictEqual } from "node:util";
import type { Entry } from "./journal.ts";

/** @throws AssertionError where a condition does not hold */
export function expectHolds(condition: boolean, what: string): void {
  if (!condition) throw new AssertionError({ message: `it does not hold: ${what}` });
}

/** @throws AssertionError where two values differ */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  const [found, wanted] = [actual, expected].map((value) => inspect(value, { depth: 4, maxArrayLength: 20 }));
  throw new AssertionError({ message: `${what}\nexpected: ${wanted}\nfound: ${found}`, actual, expected });
}

/** An entry in one line. */
export function describeEntry(entry: Entry): string {
  const { kind, name, merchant, subject, answers, outcome, ids } = entry;
  const of = subject && { subject: subject.name };
  return JSON.stringify({ kind, name, merchant: String(merchant.merchantId), ...of, answers, outcome, ids: [...ids] });
}
