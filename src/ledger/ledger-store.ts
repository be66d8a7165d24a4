// SQL of the ledger except its journal: books, balances, incoming money. journal-store.ts writes entries, and
// batch-store.ts those of group commits.
import { isLockTimeout } from "../platform/database/failure.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { toMicrosecond } from "../platform/time.ts";
import { lockBooks } from "./batch-store.ts";
import { namesOfReference } from "./deposit-names.ts";
import { claimDeposits, makeDeposits } from "./deposit-store.ts";
import { recordEventsOfMany } from "./journal-store.ts";
import { proveFunding, type ProvedFunding } from "./proof.ts";

type MerchantKey = { readonly bucket: number; readonly merchantId: bigint };

/** Opens the books of new merchants, with a balance of 0 on each hot account. */
export async function openBooks(connection: Connection, buckets: number[], merchantIds: bigint[]): Promise<void> {
  await connection.query(
    `insert into ledger_book (bucket, merchant_id)
     select * from unnest($1::smallint[], $2::bigint[])
     returning 1`,
    [buckets, merchantIds],
  );
}

export type Balances = { readonly availablePaise: bigint; readonly heldPaise: bigint };

/** The merchant's balances: available, and held for transfers that are not finished. */
export async function readBalances(db: Queryable, bucket: number, merchantId: bigint): Promise<Balances> {
  const { rows } = await db.query<{ available: bigint; held: bigint }>({
    name: "read-balances",
    text: `select available_paise as available, held_paise as held
      from ledger_book
      where bucket = $1 and merchant_id = $2`,
    values: [bucket, merchantId],
  });
  return { availablePaise: rows[0]!.available, heldPaise: rows[0]!.held };
}

/** What the merchant owes, in paise: docs/rules/payouts.md#owed-by-the-merchant. */
export async function readOwed(db: Queryable, bucket: number, merchantId: bigint): Promise<bigint> {
  const { rows } = await db.query<{ owed: bigint }>({
    name: "read-owed",
    text: "select -owed_by_merchant_paise as owed from ledger_book where bucket = $1 and merchant_id = $2",
    values: [bucket, merchantId],
  });
  return rows[0]!.owed;
}

/**
 * The ids of those merchants whose books no transaction has locked at the moment. Does not wait for locks.
 */
export async function findFreeBooks(db: Queryable, merchants: readonly MerchantKey[]): Promise<Set<string>> {
  const free = new Set<string>();
  for (const [bucket, some] of Map.groupBy(merchants, (merchant) => merchant.bucket)) {
    const merchantIds = [...new Set(some.map(({ merchantId }) => merchantId))];
    try {
      const { rows } = await db.query<{ merchant_id: bigint }>({
        name: "find-free-books",
        text: `select merchant_id from ledger_book where bucket = $1 and merchant_id = any ($2)
          for update skip locked`,
        values: [bucket, merchantIds],
      });
      for (const { merchant_id: merchantId } of rows) free.add(String(merchantId));
    } catch (error) {
      // The whole table is locked.
      if (!isLockTimeout(error)) throw error;
    }
  }
  return free;
}

/** The balances of merchants, which must have books, in the given order. A merchant may be listed twice. */
export async function readBalancesOfMany(db: Queryable, merchants: readonly MerchantKey[]): Promise<Balances[]> {
  const { rows } = await db.query<{ available: bigint; held: bigint }>({
    name: "read-balances-of-many",
    text: `select available_paise as available, held_paise as held
      from unnest($1::smallint[], $2::bigint[]) with ordinality as wanted (bucket, merchant_id, place)
      join ledger_book using (bucket, merchant_id)
      order by wanted.place`,
    values: [merchants.map((merchant) => merchant.bucket), merchants.map((merchant) => merchant.merchantId)],
  });
  if (rows.length !== merchants.length) throw new Error("a merchant has no book");
  return rows.map((row) => ({ availablePaise: row.available, heldPaise: row.held }));
}

type Funding = Omit<ProvedFunding, "createdAt" | "deposits">;
export type StoredFunding = Omit<ProvedFunding, "deposits"> & { readonly proof: Buffer | null };

export const FUNDINGS = table<StoredFunding, MerchantKey & Pick<Funding, "fundingId">>(
  "funding",
  ["bucket", "merchantId", "fundingId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    fundingId: "bigint",
    amountPaise: "bigint",
    reference: "text",
    createdAt: "timestamptz",
    proof: "bytea",
  },
);

/** Opens a franchise's commission accounts: commission payable and commission paid. */
export async function openCommissionAccounts(
  connection: Connection,
  bucket: number,
  merchantId: bigint,
  franchiseId: bigint,
): Promise<void> {
  await connection.query(
    `insert into ledger_account (bucket, merchant_id, kind, owner_id)
     select $1, $2, kind, $3 from unnest(array['commission_payable', 'commission_settled']) as kind
     returning 1`,
    [bucket, merchantId, franchiseId],
  );
}

/** A franchise's unpaid commission (below 0 if it was paid too much), and its paid commission. */
type CommissionBalances = { readonly payablePaise: bigint; readonly settledPaise: bigint };

/** The commission balances of the given franchises of a merchant, or of all, by franchise id. */
export async function readCommissionBalances(
  db: Queryable,
  bucket: number,
  merchantId: bigint,
  franchiseIds: readonly bigint[] | null = null,
): Promise<Map<bigint, CommissionBalances>> {
  const { rows } = await db.query<{ owner_id: bigint; payable: bigint; settled: bigint }>(
    `select
       owner_id, max(balance) filter (where kind = 'commission_payable') as payable,
       max(balance) filter (where kind = 'commission_settled') as settled
     from ledger_account
     where bucket = $1 and merchant_id = $2 and kind in ('commission_payable', 'commission_settled')
       and ($3::bigint[] is null or owner_id = any ($3))
     group by owner_id`,
    [bucket, merchantId, franchiseIds],
  );
  return new Map(rows.map((row) => [row.owner_id, { payablePaise: row.payable, settledPaise: row.settled }]));
}

/** Locks the book of one merchant until the transaction ends. Every posting needs this lock. */
export async function lockBook(connection: Connection, bucket: number, merchantId: bigint): Promise<void> {
  await lockBooks(connection, [{ bucket, merchantId }]);
}

/** Finds the funding with a reference. */
export async function findFunding(
  db: Queryable,
  bucket: number,
  merchantId: bigint,
  reference: string,
): Promise<Pick<Funding, "fundingId" | "amountPaise"> | null> {
  const text = "select * from funding where bucket = $1 and merchant_id = $2 and reference = $3";
  return (await FUNDINGS.select(db, text, [bucket, merchantId, reference]))[0] ?? null;
}

/**
 * Records and posts incoming money, one funding for each merchant of the list, with a proof. `names` are the names of
 * its deposit, if it has others than its reference. Returns false if any of it was already credited: then roll back.
 */
export async function insertFundings(
  connection: Connection,
  now: Temporal.Instant,
  given: readonly (Funding & { readonly names?: readonly string[] })[],
): Promise<boolean> {
  const fundings = given.map(({ bucket, merchantId, fundingId, amountPaise, reference }): Funding => {
    return { bucket, merchantId, fundingId, amountPaise, reference };
  });
  const secrets = await secretsOf(connection);
  const createdAt = toMicrosecond(now);
  const deposits = await makeDeposits(
    connection,
    given.map(({ names, ...funding }) => ({ ...funding, names: names ?? namesOfReference(funding.reference) })),
  );
  const ofFunding = Map.groupBy(deposits, ({ fundingId }) => fundingId);
  await FUNDINGS.insertAll(
    connection,
    fundings.map((funding) => {
      const proved = { ...funding, createdAt, deposits: ofFunding.get(funding.fundingId) ?? [] };
      return { ...funding, createdAt, proof: proveFunding(secrets, proved) };
    }),
  );
  const events = fundings.map(({ bucket, merchantId, fundingId, amountPaise }) => ({
    bucket,
    merchantId,
    type: "balance.funded",
    subjectId: fundingId,
    money: { kind: "funds_in" as const, amountPaise },
  }));
  await recordEventsOfMany(connection, events, now);
  return claimDeposits(connection, deposits);
}

/** A merchant's fundings, by id. */
export async function findFundings(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  fundingIds: readonly bigint[],
): Promise<Map<bigint, Pick<Funding, "reference" | "amountPaise">>> {
  const text = "select * from funding where bucket = $1 and merchant_id = $2 and funding_id = any ($3)";
  const found = await FUNDINGS.select(db, text, [bucket, merchantId, fundingIds]);
  return new Map(found.map(({ fundingId, reference, amountPaise }) => [fundingId, { reference, amountPaise }]));
}

/**
 * A merchant's postings of a kind that each subject has only once, by subject: the amount and the owner. Without
 * postings that have a change number.
 */
export async function findPostings(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  kind: string,
  subjectIds: readonly bigint[],
): Promise<Map<bigint, { readonly amountPaise: bigint; readonly ownerId: bigint }>> {
  const { rows } = await db.query<{ subject_id: bigint; amount_paise: bigint; owner_id: bigint }>(
    `select subject_id, amount_paise, greatest(debit_owner_id, credit_owner_id) as owner_id from journal
     where bucket = $1 and merchant_id = $2 and subject_id = any ($4) and kind = $3 and change_no = 0`,
    [bucket, merchantId, kind, subjectIds],
  );
  return new Map(rows.map((row) => [row.subject_id, { amountPaise: row.amount_paise, ownerId: row.owner_id }]));
}
