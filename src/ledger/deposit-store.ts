// SQL of deposits: they ensure that incoming money is credited once over all merchants of an account.
// docs/rules/payouts.md#deposits
import { readAsOwner } from "../platform/database/citus/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import { changedWithSql, secretsOf, type Secrets } from "../platform/secrets/index.ts";
import { bankReferencesIn, isUtr, plainReference } from "./deposit-names.ts";
import { isProvedPayerRow, PAYER_COLUMNS, type PayerRow } from "./payer-proof.ts";
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

/** A deposit that a funding has credited. */
export type CreditedDeposit = MerchantKey & Pick<Deposit, "fundingId"> & { readonly names: readonly string[] };

/** The merchant's own funding that credited one of these deposits; `null` for none. */
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
 * Finds the funding of a deposit by its reference, even if its rows of `deposit` were deleted with SQL. Returns the
 * merchant's own; `"another merchant's"` if that merchant can't have the same deposit; or `null` for none.
 */
export async function findFundingByWords(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { reference, deposits }: { readonly reference: string; readonly deposits: readonly string[] },
): Promise<{ readonly fundingId: bigint; readonly amountPaise: bigint } | "another merchant's" | null> {
  const references = [...bankReferencesIn(reference), ...deposits.filter(isUtr)];
  const rows = await readAsOwner<{ funding_id: bigint | null; amount_paise: bigint }>(
    connection,
    "select funding_id, amount_paise from funding_with_reference($1, $2, $3, $4, $5)",
    [bucket, merchantId, plainReference(reference), references, references.filter(isUtr)],
  );
  const [found] = rows;
  if (!found) return null;
  const { funding_id: fundingId } = found;
  return fundingId === null ? "another merchant's" : { fundingId, amountPaise: found.amount_paise };
}

/**
 * The deposits of fundings. Deposits of live merchants that share the installation's account are credited once over all
 * of these merchants. A UTR is credited once over all live merchants, since its account may have had another owner
 * before. Other deposits are credited once within their merchant.
 */
export async function makeDeposits(connection: Connection, fundings: readonly CreditedDeposit[]): Promise<Deposit[]> {
  const live = await findLive(connection, fundings);
  const secrets = await secretsOf(connection);
  return fundings.flatMap(({ bucket, merchantId, fundingId, names }) => {
    const merchant = live.get(merchantId);
    return [...new Set(names)].map((name) => ({
      scope: merchant && (merchant.sharesAccount || isUtr(name)) ? INSTALLATION_SCOPE : merchantId,
      depositKey: depositKeyOf(secrets, name),
      bucket,
      merchantId,
      fundingId,
    }));
  });
}

/** Claims deposits for their fundings. Returns whether none of them belongs to another funding. */
export async function claimDeposits(connection: Connection, deposits: readonly Deposit[]): Promise<boolean> {
  // In a fixed order, so that two transactions with the same deposits can't deadlock.
  const rows = deposits.toSorted((one, other) => Buffer.compare(one.depositKey, other.depositKey));
  return (await DEPOSITS.insertAll(connection, rows, "on conflict do nothing")) === rows.length;
}

/** The deposits of these fundings, in any order. */
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

/** Shorter UTRs are too ambiguous. */
const MIN_UTR = 6;

/**
 * Finds the payment whose UTR is one of these references, even if it was not reconciled yet. Returns the id of the
 * merchant's own payment, `"another merchant's"`, or `null` for none. Payments of live merchants and of sandboxes are
 * kept apart.
 */
export async function findPaymentWithUtr(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  references: readonly string[],
): Promise<bigint | "another merchant's" | null> {
  const keys = references.map(plainReference).filter((key) => key.length >= MIN_UTR);
  if (keys.length === 0) return null;
  const text = "select payment_with_utr($1, $2, $3) as found";
  const [{ found }] = (await readAsOwner<{ found: bigint | null }>(db, text, [bucket, merchantId, keys])) as [
    { readonly found: bigint | null },
  ];
  return found === 0n ? "another merchant's" : found;
}

/** Do a merchant's deposits go to the installation's account? True for a live merchant without its own account. */
export async function sharesAccount(db: Queryable, merchant: MerchantKey): Promise<boolean> {
  return (await findLive(db, [merchant])).get(merchant.merchantId)?.sharesAccount ?? false;
}

/**
 * The live ones of these merchants, and whether each shares the installation's account. @throws NodalError
 * `access_denied` if one of them was changed with SQL
 */
async function findLive(
  db: Queryable,
  merchants: readonly MerchantKey[],
): Promise<Map<bigint, { readonly sharesAccount: boolean }>> {
  const { rows } = await db.query<PayerRow>({
    name: "find-live-merchants",
    text: `select ${PAYER_COLUMNS}
      from unnest($1::smallint[], $2::bigint[]) as wanted (bucket, merchant_id)
      join merchant using (bucket, merchant_id)`,
    values: [merchants.map(({ bucket }) => bucket), merchants.map(({ merchantId }) => merchantId)],
  });
  if (rows.length === 0) return new Map();
  const secrets = await secretsOf(db);
  const changed = rows.find((row) => !isProvedPayerRow(secrets, row));
  if (changed) throw changedWithSql(`The merchant ${changed.merchant_id}`);
  const live = rows.filter((row) => row.live);
  return new Map(live.map((row) => [row.merchant_id, { sharesAccount: row.payout_rails === null }]));
}

async function keysOf(db: Queryable, names: readonly string[]): Promise<Buffer[]> {
  const secrets = await secretsOf(db);
  return [...new Set(names)].map((name) => depositKeyOf(secrets, name));
}

function depositKeyOf(secrets: Secrets, name: string): Buffer {
  return secrets.mac("deposit.deposit_key", [name]);
}
