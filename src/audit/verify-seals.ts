// Use case: check that the log is unchanged since it was sealed, and that only Nodal has sealed it.
import type { KeyObject } from "node:crypto";
import type { Violation } from "../ledger/index.ts";
import { readInstallationSecret, type MerchantKey } from "../merchants/index.ts";
import { everyRow, inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { isSame } from "../platform/bytes.ts";
import { makeSeal, MARK_BYTES, sealKey, digestSeals, makeHead, markThing } from "./seal.ts";
import {
  listBookEnds,
  readSeals,
  type BookEnd,
  type CheckedSeal,
  listLinkedSeals,
  listLinks,
  readHead,
  readUnsealedSince,
  type Head,
  type LinkedSeal,
} from "./seal-store.ts";
import { findWorkedUntil } from "../platform/jobs/schedule-store.ts";
import { SEAL_SCHEDULE } from "./seal-books.ts";
import { namesOfChanged } from "./explain-change.ts";
import type { ThingKind } from "./fact.ts";
import { THING_KINDS } from "./thing-facts.ts";
import { listThings, type CheckedThing } from "./thing-store.ts";

/** Seals are read in pages, each of at most a thousand entries. */
const PAGE_SEALS = 200;
const PAGE_MERCHANTS = 5000;
const CHECK = "audit_chain";

export type SealFindings = {
  /** Events that are covered by seals. */
  readonly sealedEvents: bigint;
  /** Events of the last seconds, or written while no server was running. */
  readonly unsealedEvents: bigint;
  /** The last link of the chain over all merchants' seals; `null` if only one merchant was checked. */
  readonly chain: LinkFindings["chain"];
  /** The first break of each merchant's seals and of the chain, and each thing that differs from its seal. */
  readonly violations: readonly Violation[];
};

/**
 * Recomputes every digest, seal and mark, for one merchant or for all, in one snapshot. For all, also the chain over
 * their seals, which must contain the expected head if one is given. @throws SecretsError if the installation's secret
 * can't be read
 */
export function verifySeals(
  pool: Pool,
  scope: MerchantKey | null,
  expectedHead: Buffer | null = null,
): Promise<SealFindings> {
  return inTransaction(
    pool,
    async (connection) => {
      const key = sealKey(await readInstallationSecret(connection));
      const chains = await followChains(connection, key, scope);
      const ends = await compareEnds(connection, scope, chains);
      const things = await findChangedThings(connection, key, scope);
      const links = scope ? { chain: null, violations: [] } : await followLinks(connection, key, expectedHead);
      return { ...ends, chain: links.chain, violations: [...links.violations, ...ends.violations, ...things] };
    },
    "begin isolation level repeatable read read only",
  );
}

/** A merchant's chain up to the current seal. */
type Chain = { last: CheckedSeal; breakage: Violation | null };
type Chains = ReadonlyMap<bigint, Chain>;

async function followChains(connection: Connection, key: KeyObject, scope: MerchantKey | null): Promise<Chains> {
  const chains = new Map<bigint, Chain>();
  const seals = everyRow<CheckedSeal>(PAGE_SEALS, (last, limit) => readSeals(connection, scope, last, limit));
  for await (const seal of seals) {
    const chain = chains.get(seal.merchantId);
    const breakage = chain?.breakage ?? breakageOf(key, chain?.last ?? null, seal);
    chains.set(seal.merchantId, { last: seal, breakage });
  }
  return chains;
}

/** The fault of a seal, compared with the previous one. */
function breakageOf(key: KeyObject, before: CheckedSeal | null, seal: CheckedSeal): Violation | null {
  const { merchantId, sealNo, firstEntryNo, lastEntryNo, digest, foundDigest } = seal;
  const expectedNo = (before?.sealNo ?? 0n) + 1n;
  if (sealNo !== expectedNo) {
    return violation(merchantId, firstEntryNo, "the seal before an entry", `seal ${sealNo - 1n}`, "no such seal");
  }
  const expectedEntryNo = (before?.lastEntryNo ?? 0n) + 1n;
  if (firstEntryNo !== expectedEntryNo) {
    const what = `the first entry of seal ${sealNo}`;
    return violation(merchantId, expectedEntryNo, what, String(expectedEntryNo), String(firstEntryNo));
  }
  if (!isSame(makeSeal(key, seal, before?.seal ?? Buffer.alloc(0)), seal.seal)) {
    const what = `seal ${sealNo}, of entries ${firstEntryNo} to ${lastEntryNo}`;
    return violation(merchantId, firstEntryNo, what, "a seal that this installation has made", "another one");
  }
  return isSame(digest, foundDigest) ? null : changeIn(seal);
}

/** The first entry that differs from its seal. */
function changeIn({ merchantId, sealNo, firstEntryNo, marks, foundMarks }: CheckedSeal): Violation {
  let entryNo = firstEntryNo;
  for (let offset = 0; offset < Math.max(marks.length, foundMarks.length); offset += MARK_BYTES) {
    const [sealed, found] = [marks, foundMarks].map((all) => all.subarray(offset, offset + MARK_BYTES));
    entryNo = firstEntryNo + BigInt(offset / MARK_BYTES);
    if (!sealed!.equals(found!)) break;
  }
  const what = `entry ${entryNo}, under seal ${sealNo}`;
  return violation(merchantId, entryNo, what, "what was sealed", "something else");
}

/** Compares the ends of chains and books, and counts unsealed entries. */
async function compareEnds(
  connection: Connection,
  scope: MerchantKey | null,
  chains: Chains,
): Promise<Omit<SealFindings, "chain">> {
  const violations: Violation[] = [];
  const left = new Map(chains);
  const unsealed: BookEnd[] = [];
  let [sealedEvents, unsealedEvents] = [0n, 0n];
  const ends = everyRow<BookEnd>(PAGE_MERCHANTS, (last, limit) => listBookEnds(connection, scope, last, limit));
  for await (const end of ends) {
    const chain = left.get(end.merchantId);
    left.delete(end.merchantId);
    const sealedTo = chain?.last.lastEntryNo ?? 0n;
    sealedEvents += sealedTo;
    const found = chain?.breakage ?? wrongEnd(end, chain?.last ?? null);
    if (found) violations.push(found);
    if (end.lastEntryNo <= sealedTo) continue;
    unsealedEvents += end.lastEntryNo - sealedTo;
    if (!found) unsealed.push(end);
  }
  violations.push(...(await findOverdue(connection, unsealed)));
  for (const { last } of left.values()) {
    violations.push(violation(last.merchantId, last.firstEntryNo, "the book of sealed entries", "a book", "none"));
  }
  return { sealedEvents, unsealedEvents, violations };
}

/** Each process checks all books every ten minutes, so entries this long before a run must have a seal. */
const SEALED_WITHIN = { hours: 1 };

/** Entries without a seal although servers have run for long enough. Until they have one, changes to them can't be detected. */
async function findOverdue(connection: Connection, unsealed: readonly BookEnd[]): Promise<Violation[]> {
  const workedUntil = unsealed.length === 0 ? null : await findWorkedUntil(connection, SEAL_SCHEDULE);
  if (workedUntil === null) return [];
  const since = await readUnsealedSince(connection, unsealed);
  const mustHave = workedUntil.subtract(SEALED_WITHIN);
  const isOverdue = ({ merchantId }: BookEnd): boolean => {
    const writtenAt = since.get(merchantId);
    return writtenAt !== undefined && Temporal.Instant.compare(writtenAt, mustHave) < 0;
  };
  const expected = `a seal within ${SEALED_WITHIN.hours} h: see the schedule \`${SEAL_SCHEDULE}\` in \`nodal jobs\``;
  return unsealed.filter(isOverdue).map(({ merchantId, sealedEntryNo, lastEntryNo }) => {
    const [first, count] = [sealedEntryNo + 1n, lastEntryNo - sealedEntryNo];
    return violation(merchantId, first, `entries ${first} to ${lastEntryNo}`, expected, `${count} without one`);
  });
}

function wrongEnd(end: BookEnd, last: CheckedSeal | null): Violation | null {
  const { merchantId, sealNo, sealedEntryNo, lastEntryNo } = end;
  const [chainNo, chainEntryNo] = [last?.sealNo ?? 0n, last?.lastEntryNo ?? 0n];
  if (chainNo !== sealNo || chainEntryNo !== sealedEntryNo) {
    const from = chainEntryNo < sealedEntryNo ? chainEntryNo : sealedEntryNo;
    const expected = `seal ${sealNo}, to entry ${sealedEntryNo}`;
    return violation(merchantId, from + 1n, "the last seal", expected, `seal ${chainNo}, to entry ${chainEntryNo}`);
  }
  if (last && last.things !== end.things) {
    const what = "how many things have a mark";
    return violation(merchantId, chainEntryNo, what, String(last.things), String(end.things));
  }
  if (chainEntryNo > lastEntryNo) {
    const expected = `at least ${chainEntryNo}, which is sealed`;
    return violation(
      merchantId,
      lastEntryNo + 1n,
      "the last number in the merchant's book",
      expected,
      String(lastEntryNo),
    );
  }
  return null;
}

/** `subjectId` is the number of the entry. */
function violation(merchantId: bigint, entryNo: bigint, what: string, expected: string, found: string): Violation {
  return { check: CHECK, merchantId, subjectId: entryNo, what, expected, found };
}

const PAGE_LINKS = 5000;
const CHAIN_CHECK = "seal_chain";

export type LinkFindings = {
  /** The last link, to store elsewhere; `null` if the chain was not checked. */
  readonly chain: Head | null;
  readonly violations: readonly Violation[];
};

/** Recomputes every link. Stops at the first that differs. */
async function followLinks(connection: Connection, key: KeyObject, expectedHead: Buffer | null): Promise<LinkFindings> {
  let last: Head = { linkNo: 0n, head: Buffer.alloc(0) };
  let isExpectedFound = expectedHead === null;
  const seals = sealsByLink(connection);
  const links = everyRow<Head>(PAGE_LINKS, (before, limit) => listLinks(connection, before?.linkNo ?? -1n, limit));
  for await (const link of links) {
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

/** The seals of each link in turn, in the link's order. */
async function* sealsByLink(
  connection: Connection,
): AsyncGenerator<{ readonly linkNo: bigint; readonly seals: readonly LinkedSeal[] }> {
  let seals: LinkedSeal[] = [];
  const linked = everyRow<LinkedSeal>(PAGE_LINKS, (last, limit) => listLinkedSeals(connection, last, limit));
  for await (const seal of linked) {
    if (seals.length > 0 && seals[0]!.linkNo !== seal.linkNo) {
      yield { linkNo: seals[0]!.linkNo, seals };
      seals = [];
    }
    seals.push(seal);
  }
  if (seals.length > 0) yield { linkNo: seals[0]!.linkNo, seals };
}

/** A break of the chain, which belongs to no merchant. */
function broken(chain: Head, what: string, expected: string, found: string): LinkFindings {
  return {
    chain,
    violations: [{ check: CHAIN_CHECK, merchantId: 0n, subjectId: chain.linkNo + 1n, what, expected, found }],
  };
}

const PAGE_THINGS = 2000;

/** Things that were changed, added or removed without an entry. The check is named by the kind: `sealed_invoice`. */
async function findChangedThings(
  connection: Connection,
  key: KeyObject,
  scope: MerchantKey | null,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const kind of THING_KINDS) {
    for (const from of ["rows", "marks"] as const) {
      const things = everyRow<CheckedThing>(PAGE_THINGS, (last, limit) =>
        listThings(connection, key, kind, from, scope, last, limit),
      );
      for await (const thing of things) {
        const found = faultOf(key, kind, thing);
        if (found) violations.push(wrongThing(thing, found));
      }
    }
  }
  return violations;
}

/** The fault of a thing; `null` if there is none, or if an entry about it is not sealed yet. */
function faultOf(key: KeyObject, kind: ThingKind, { marked, ...thing }: CheckedThing): string | null {
  if (thing.isUnsealed) return null;
  const isGone = thing.facts.length === 0;
  if (!marked) return isGone ? null : "a row that no sealed entry speaks of";
  const isOfMark = isSame(marked.facts, thing.facts) && isSame(markThing(key, thing), marked.mark);
  if (isOfMark && thing.entryNo === thing.lastEntryNo) return null;
  if (isOfMark) return `as of entry ${thing.entryNo}`;
  if (isGone) return "no such row";
  const names = namesOfChanged(kind, thing.facts, marked.facts);
  return names.length === 0 ? "another mark" : `something else: ${names.join(", ")}`;
}

function wrongThing({ kind, merchantId, thingId, lastEntryNo }: CheckedThing, found: string): Violation {
  return {
    check: `sealed_${kind}`,
    merchantId,
    subjectId: thingId,
    what: `what the ${kind} says`,
    expected: lastEntryNo === null ? "an entry about it" : `what was sealed with event ${lastEntryNo}`,
    found,
  };
}
