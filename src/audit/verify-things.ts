// One part of checking seals: what entries are about is as it was when the last entry about it was sealed.
import type { Violation } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { isSame } from "../platform/same-bytes.ts";
import { markThing } from "./seal.ts";
import { THING_KINDS } from "./thing-facts.ts";
import { listThings, type CheckedThing } from "./thing-store.ts";

const PAGE_THINGS = 2000;

/** What was changed, added or removed without an entry that says so. Its check is named by its kind: `sealed_invoice`. */
export async function findChangedThings(
  connection: Connection,
  key: Buffer,
  scope: MerchantKey | null,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const kind of THING_KINDS) {
    for (const from of ["rows", "marks"] as const) {
      let page: CheckedThing[] = [];
      do {
        page = await listThings(connection, kind, from, scope, page.at(-1) ?? null, PAGE_THINGS);
        for (const thing of page) {
          const found = faultOf(key, thing);
          if (found) violations.push(violation(thing, found));
        }
      } while (page.length === PAGE_THINGS);
    }
  }
  return violations;
}

/** What is wrong with a thing; `null` where nothing is, or where an entry about it is still to be sealed. */
function faultOf(key: Buffer, thing: CheckedThing): string | null {
  if (thing.isUnsealed) return null;
  const isGone = thing.digest.length === 0;
  if (!thing.mark) return isGone ? null : "a row that no sealed entry speaks of";
  if (thing.entryNo !== thing.lastEntryNo) return `as of entry ${thing.entryNo}`;
  if (isSame(markThing(key, thing), thing.mark)) return null;
  return isGone ? "no such row" : "something else";
}

function violation({ kind, merchantId, thingId, lastEntryNo }: CheckedThing, found: string): Violation {
  return {
    check: `sealed_${kind}`,
    merchantId,
    subjectId: thingId,
    what: `what the ${kind} says`,
    expected: lastEntryNo === null ? "an entry about it" : `what was sealed with event ${lastEntryNo}`,
    found,
  };
}
