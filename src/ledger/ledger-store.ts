// SQL of the ledger beside its journal: books, balances, money in.
// What belongs here: taking books, and the reads that others may use. Postings are written in journal-store.ts.
import { hasWaitedInVain } from "../platform/database/failure.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { toMicrosecond } from "../platform/time.ts";
import { lockBooks } from "./batch-store.ts";
import { recordEventsOfMany } from "./journal-store.ts";
import { proveFunding } from "./proof.ts";

/** Opens the books of new merchants, with a balance of 0 on each of their own accounts. */
export async function openBooks(connection: Connection, buckets: number[], merchantIds: bigint[]): Promise<void> {
  await connection.query(
    `insert into ledger_book (bucket, merchant_id)
     select * from unnest($1::smallint[], $2::bigint[])`,
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

/** Of these merchants, those whose books no transaction holds at the moment, by id. What is held then is not waited for. */
export async function findFreeBooks(
  db: Queryable,
  merchants: readonly { readonly bucket: number; readonly merchantId: bigint }[],
): Promise<Set<string>> {
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
      // The whole table is held.
      if (!hasWaitedInVain(error)) throw error;
    }
  }
  return free;
}

/** The balances of merchants, which must have books, in the given order. A merchant may stand there twice. */
export async function readBalancesOfMany(
  db: Queryable,
  merchants: readonly { readonly bucket: number; readonly merchantId: bigint }[],
): Promise<Balances[]> {
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

export type Funding = {
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly fundingId: bigint;
  readonly amountPaise: bigint;
  readonly reference: string;
};

/** Opens the accounts that a franchise's commission goes through: what it is owed, and what it has been paid. */
export async function openCommissionAccounts(
  connection: Connection,
  bucket: number,
  merchantId: bigint,
  franchiseId: bigint,
): Promise<void> {
  await connection.query(
    `insert into ledger_account (bucket, merchant_id, kind, owner_id)
     select $1, $2, kind, $3 from unnest(array['commission_payable', 'commission_settled']) as kind`,
    [bucket, merchantId, franchiseId],
  );
}

/** What a franchise earned and was not paid yet (below 0 where it was paid too much), and what it was paid. */
export type CommissionBalances = { readonly payablePaise: bigint; readonly settledPaise: bigint };

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
     where bucket = $1 and merchant_id = $2 and ($3::bigint[] is null or owner_id = any ($3))
     group by owner_id`,
    [bucket, merchantId, franchiseIds],
  );
  return new Map(rows.map((row) => [row.owner_id, { payablePaise: row.payable, settledPaise: row.settled }]));
}

/** Locks the books of one merchant: whoever posts for it holds them until the transaction ends. */
export async function lockBook(connection: Connection, bucket: number, merchantId: bigint): Promise<void> {
  await lockBooks(connection, [{ bucket, merchantId }]);
}

/** Finds what was credited under a reference. */
export async function findFunding(
  db: Queryable,
  bucket: number,
  merchantId: bigint,
  reference: string,
): Promise<Pick<Funding, "fundingId" | "amountPaise"> | null> {
  const { rows } = await db.query<{ funding_id: bigint; amount_paise: bigint }>(
    "select funding_id, amount_paise from funding where bucket = $1 and merchant_id = $2 and reference = $3",
    [bucket, merchantId, reference],
  );
  const row = rows[0];
  return row ? { fundingId: row.funding_id, amountPaise: row.amount_paise } : null;
}

/** Records money that came in, one credit for each merchant of the list, with the proof that we did, and posts it. */
export async function insertFundings(
  connection: Connection,
  now: Temporal.Instant,
  fundings: readonly Funding[],
): Promise<void> {
  const secrets = await secretsOf(connection);
  const createdAt = toMicrosecond(now);
  await connection.query(
    `insert into funding (bucket, merchant_id, funding_id, amount_paise, reference, proof, created_at)
     select *, $7::timestamptz
     from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bytea[])`,
    [
      fundings.map((funding) => funding.bucket),
      fundings.map((funding) => funding.merchantId),
      fundings.map((funding) => funding.fundingId),
      fundings.map((funding) => funding.amountPaise),
      fundings.map((funding) => funding.reference),
      fundings.map((funding) => proveFunding(secrets, { ...funding, createdAt })),
      createdAt.toString(),
    ],
  );
  const happenings = fundings.map(({ bucket, merchantId, fundingId, amountPaise }) => ({
    bucket,
    merchantId,
    type: "balance.funded",
    subjectId: fundingId,
    money: { kind: "funds_in" as const, amountPaise },
  }));
  await recordEventsOfMany(connection, happenings, now);
}

/** A merchant's credits of money that came in, by their ids. */
export async function findFundings(
  db: Queryable,
  { bucket, merchantId }: { readonly bucket: number; readonly merchantId: bigint },
  fundingIds: readonly bigint[],
): Promise<Map<bigint, Pick<Funding, "reference" | "amountPaise">>> {
  const { rows } = await db.query<{ funding_id: bigint; reference: string; amount_paise: bigint }>(
    `select funding_id, reference, amount_paise from funding
     where bucket = $1 and merchant_id = $2 and funding_id = any ($3)`,
    [bucket, merchantId, fundingIds],
  );
  return new Map(rows.map((row) => [row.funding_id, { reference: row.reference, amountPaise: row.amount_paise }]));
}

/** A merchant's postings of one kind, by their subjects: the amount, and whose accounts it moved money between. */
export async function findPostings(
  db: Queryable,
  { bucket, merchantId }: { readonly bucket: number; readonly merchantId: bigint },
  kind: string,
  subjectIds: readonly bigint[],
): Promise<Map<bigint, { readonly amountPaise: bigint; readonly ownerId: bigint }>> {
  const { rows } = await db.query<{ subject_id: bigint; amount_paise: bigint; owner_id: bigint }>(
    `select subject_id, amount_paise, greatest(debit_owner_id, credit_owner_id) as owner_id from journal
     where bucket = $1 and merchant_id = $2 and subject_id = any ($4) and kind = $3`,
    [bucket, merchantId, kind, subjectIds],
  );
  return new Map(rows.map((row) => [row.subject_id, { amountPaise: row.amount_paise, ownerId: row.owner_id }]));
}
