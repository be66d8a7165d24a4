// One part of checking seals: the chain over those of all merchants is whole, and holds a head that was kept elsewhere.
import type { Violation } from "../ledger/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { isSame } from "../platform/same-bytes.ts";
import { listLinkedSeals, listLinks, readHead, type Head, type LinkedSeal } from "./link-store.ts";
import { digestSeals, makeHead } from "./seal.ts";

const PAGE = 5000;
const CHECK = "seal_chain";

export type LinkFindings = {
  /** Its last link, to be kept elsewhere; `null` where it was not looked at. */
  readonly chain: Head | null;
  readonly violations: readonly Violation[];
};

/** Computes every link again. Stops at the first that is not what was made. */
export async function followLinks(
  connection: Connection,
  key: Buffer,
  expectedHead: Buffer | null,
): Promise<LinkFindings> {
  let last: Head = { linkNo: 0n, head: Buffer.alloc(0) };
  let isExpectedFound = expectedHead === null;
  const seals = sealsByLink(connection);
  for await (const link of allLinks(connection)) {
    const covered = await seals.next();
    const found = covered.done ? null : covered.value;
    const linkNo = last.linkNo + 1n;
    if (link.linkNo !== linkNo || found?.linkNo !== linkNo) {
      return broken(last, `the seals of link ${linkNo}`, "those that it was made of", "a link or its seals are gone");
    }
    if (!isSame(makeHead(key, linkNo, digestSeals(found.seals), last.head), link.head)) {
      return broken(last, `link ${linkNo} over the seals of all merchants`, "what was linked", "other seals");
    }
    isExpectedFound ||= isSame(link.head, expectedHead!);
    last = link;
  }
  const more = await seals.next();
  if (!more.done) return broken(last, `link ${more.value.linkNo}`, "a link over its seals", "none");
  const kept = await readHead(connection);
  if (kept.linkNo !== last.linkNo || !isSame(kept.head, last.head)) {
    return broken(last, "the last link", `link ${kept.linkNo}`, `link ${last.linkNo}`);
  }
  if (isExpectedFound) return { chain: last, violations: [] };
  const found = `none of its ${last.linkNo} links: this is an earlier state, or another database`;
  return broken(last, "the head that was kept", `${expectedHead!.toString("hex")} in the chain of seals`, found);
}

async function* allLinks(connection: Connection): AsyncGenerator<Head> {
  let page: Head[] = [];
  do {
    page = await listLinks(connection, page.at(-1)?.linkNo ?? -1n, PAGE);
    yield* page;
  } while (page.length === PAGE);
}

/** The seals of one link after the other, in the order in which a link says them. */
async function* sealsByLink(
  connection: Connection,
): AsyncGenerator<{ readonly linkNo: bigint; readonly seals: readonly LinkedSeal[] }> {
  let page: LinkedSeal[] = [];
  let seals: LinkedSeal[] = [];
  do {
    page = await listLinkedSeals(connection, page.at(-1) ?? null, PAGE);
    for (const seal of page) {
      if (seals.length > 0 && seals[0]!.linkNo !== seal.linkNo) {
        yield { linkNo: seals[0]!.linkNo, seals };
        seals = [];
      }
      seals.push(seal);
    }
  } while (page.length === PAGE);
  if (seals.length > 0) yield { linkNo: seals[0]!.linkNo, seals };
}

/** It belongs to no merchant. */
function broken(chain: Head, what: string, expected: string, found: string): LinkFindings {
  return { chain, violations: [{ check: CHECK, merchantId: 0n, subjectId: chain.linkNo + 1n, what, expected, found }] };
}
