// One use case: the log is what it was when it was sealed, and nobody but Nodal has sealed it.
// What belongs here: what is compared, and where a chain is broken first.
import type { Violation } from "../ledger/index.ts";
import { readInstallationSecret, type MerchantKey } from "../merchants/index.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { isSame } from "../platform/same-bytes.ts";
import { makeSeal, MARK_BYTES, sealKey } from "./seal.ts";
import { listBookEnds, readSeals, type BookEnd, type CheckedSeal } from "./seal-store.ts";
import { followLinks, type LinkFindings } from "./verify-links.ts";
import { findChangedThings } from "./verify-things.ts";

/** Seals are read in pages, each of at most a thousand entries. */
const PAGE_SEALS = 200;
const PAGE_MERCHANTS = 5000;
const CHECK = "audit_chain";

export type SealFindings = {
  /** Events that are covered by seals. */
  readonly sealedEvents: bigint;
  /** Events of the last seconds, or since no server has run. */
  readonly unsealedEvents: bigint;
  /** The last link of the chain over all merchants' seals; `null` where one merchant was looked at. */
  readonly chain: LinkFindings["chain"];
  /** The first breakage of each merchant's seals and of the chain, and each thing that is not as it was sealed. */
  readonly violations: readonly Violation[];
};

/**
 * Computes every digest, seal and mark again, for one merchant or for all, in one snapshot; for all of them, the chain over
 * their seals too, which has to hold the head that was kept, where one is given.
 * @throws SecretsError where the installation's secret can't be read
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

/** A merchant's chain as far as it was followed. */
type Chain = { last: CheckedSeal; breakage: Violation | null };
type Chains = ReadonlyMap<bigint, Chain>;

async function followChains(connection: Connection, key: Buffer, scope: MerchantKey | null): Promise<Chains> {
  const chains = new Map<bigint, Chain>();
  let page: CheckedSeal[];
  let after: CheckedSeal | null = null;
  do {
    page = await readSeals(connection, scope, after, PAGE_SEALS);
    for (const seal of page) {
      const chain = chains.get(seal.merchantId);
      const breakage = chain?.breakage ?? breakageOf(key, chain?.last ?? null, seal);
      chains.set(seal.merchantId, { last: seal, breakage });
    }
    after = page.at(-1) ?? null;
  } while (page.length === PAGE_SEALS);
  return chains;
}

/** What is wrong with a seal, after the one before it. */
function breakageOf(key: Buffer, before: CheckedSeal | null, seal: CheckedSeal): Violation | null {
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

/** The first entry that is not what was sealed. */
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

/** Whether chains end where the books say, and how much comes after them. */
async function compareEnds(
  connection: Connection,
  scope: MerchantKey | null,
  chains: Chains,
): Promise<Omit<SealFindings, "chain">> {
  const violations: Violation[] = [];
  const left = new Map(chains);
  let [sealedEvents, unsealedEvents] = [0n, 0n];
  let page: BookEnd[];
  let after: BookEnd | null = null;
  do {
    page = await listBookEnds(connection, scope, after, PAGE_MERCHANTS);
    for (const end of page) {
      const chain = left.get(end.merchantId);
      left.delete(end.merchantId);
      const sealedTo = chain?.last.lastEntryNo ?? 0n;
      sealedEvents += sealedTo;
      if (end.lastEntryNo > sealedTo) unsealedEvents += end.lastEntryNo - sealedTo;
      const found = chain?.breakage ?? wrongEnd(end, chain?.last ?? null);
      if (found) violations.push(found);
    }
    after = page.at(-1) ?? null;
  } while (page.length === PAGE_MERCHANTS);
  for (const { last } of left.values()) {
    violations.push(violation(last.merchantId, last.firstEntryNo, "the book of sealed entries", "a book", "none"));
  }
  return { sealedEvents, unsealedEvents, violations };
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
