// SQL of deposits: which money that came in was credited, so that it is credited once over all merchants of an account.
// docs/rules/payouts.md#deposits
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { plainReference } from "./deposit-names.ts";
import type { DepositKey } from "./proof.ts";

type MerchantKey = { readonly bucket: number; readonly merchantId: bigint };

/** A row that names the money of a funding. */
export type Deposit = MerchantKey & DepositKey & { readonly fundingId: bigint };

const DEPOSITS = table<Deposit, DepositKey>("deposit", ["scope", "depositKey"], {
  scope: "bigint",
  depositKey: "bytea",
  bucket: "smallint",
  merchantId: "bigint",
  fundingId: "bigint",
});

const INSTALLATION_SCOPE = 0n;

/** What a funding was credited for. */
export type CreditedDeposit = MerchantKey & Pick<Deposit, "fundingId"> & { readonly names: readonly string[] };

/** The merchant's own funding that one of these deposits was credited by; `null` for none. */
export async function findCredited(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  names: readonly string[],
): Promise<{ readonly fundingId: bigint; readonly amountPaise: bigint } | null> {
  const { rows } = await connection.query<{ funding_id: bigint; amount_paise: bigint }>(
    `select funding.funding_id, funding.amount_paise from deposit
     join funding
       on funding.bucket = $1 and funding.merchant_id = $2 and funding.funding_id = deposit.funding_id
     where deposit.scope = any ($4) and deposit.deposit_key = any ($3)
       and deposit.bucket = $1 and deposit.merchant_id = $2
     order by funding.funding_id limit 1`,
    [bucket, merchantId, await keysOf(connection, names), [INSTALLATION_SCOPE, merchantId]],
  );
  return rows[0] ? { fundingId: rows[0].funding_id, amountPaise: rows[0].amount_paise } : null;
}

/**
 * The deposits of fundings. Those of live merchants that share the installation's account are credited once over all of these
 * merchants, others once within their merchant.
 */
export async function makeDeposits(connection: Connection, fundings: readonly CreditedDeposit[]): Promise<Deposit[]> {
  const shared = await findSharing(connection, fundings);
  const rows: Deposit[] = [];
  for (const { bucket, merchantId, fundingId, names } of fundings) {
    const scope = shared.has(merchantId) ? INSTALLATION_SCOPE : merchantId;
    for (const depositKey of await keysOf(connection, names))
      rows.push({ scope, depositKey, bucket, merchantId, fundingId });
  }
  return rows;
}

/** Claims deposits for their fundings. Returns whether none of them belongs to another funding. */
export async function claimDeposits(connection: Connection, deposits: readonly Deposit[]): Promise<boolean> {
  // In one order, so that two who claim the same ones don't wait for each other.
  const rows = deposits.toSorted((one, other) => Buffer.compare(one.depositKey, other.depositKey));
  return (await DEPOSITS.insertAll(connection, rows, "on conflict do nothing")) === rows.length;
}

/** The deposits that these fundings were credited for, in any order. */
export async function findDeposits(
  db: Queryable,
  fundings: readonly (MerchantKey & Pick<Deposit, "fundingId">)[],
): Promise<Deposit[]> {
  return DEPOSITS.select(
    db,
    `select ${DEPOSITS.columns} from deposit
     where (bucket, merchant_id, funding_id) in (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]))`,
    [
      fundings.map(({ bucket }) => bucket),
      fundings.map(({ merchantId }) => merchantId),
      fundings.map(({ fundingId }) => fundingId),
    ],
  );
}

/** Shorter ones say too little. */
const MIN_UTR = 6;

/**
 * The payment that has one of these references as its UTR, also one that no reconciliation knows yet: the id of one of the merchant's
 * own, `"another merchant's"`, or `null` for none. Payments of live merchants and of sandboxes are apart.
 */
export async function findPaymentWithUtr(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  references: readonly string[],
): Promise<bigint | "another merchant's" | null> {
  const keys = references.map(plainReference).filter((key) => key.length >= MIN_UTR);
  if (keys.length === 0) return null;
  const { rows } = await db.query<{ found: bigint | null }>("select payment_with_utr($1, $2, $3) as found", [
    bucket,
    merchantId,
    keys,
  ]);
  const found = rows[0]!.found;
  return found === 0n ? "another merchant's" : found;
}

/** Whether a merchant's deposits are in the installation's account: it is live, and has no account of its own. */
export async function sharesAccount(db: Queryable, merchant: MerchantKey): Promise<boolean> {
  return (await findSharing(db, [merchant])).has(merchant.merchantId);
}

/** Of these merchants, the live ones that have no account of their own. */
async function findSharing(db: Queryable, merchants: readonly MerchantKey[]): Promise<Set<bigint>> {
  const { rows } = await db.query<{ merchant_id: bigint }>({
    name: "find-merchants-sharing-account",
    text: `select merchant_id from unnest($1::smallint[], $2::bigint[]) as wanted (bucket, merchant_id)
      join merchant using (bucket, merchant_id)
      where live and payout_rails is null`,
    values: [merchants.map(({ bucket }) => bucket), merchants.map(({ merchantId }) => merchantId)],
  });
  return new Set(rows.map((row) => row.merchant_id));
}

async function keysOf(db: Queryable, names: readonly string[]): Promise<Buffer[]> {
  const secrets = await secretsOf(db);
  return [...new Set(names)].map((name) => secrets.mac("deposit.deposit_key", [name]));
}
