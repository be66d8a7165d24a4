// SQL of deposits: which money that came in was credited, so that it is credited once over all merchants of an account.
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
 * The funding whose reference says that it is this deposit, also where SQL has removed its rows of `deposit`: the merchant's own,
 * `"another merchant's"` where both can't have the same deposit, or `null` for none.
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
 * The deposits of fundings. Those of live merchants that share the installation's account are credited once over all of these
 * merchants, and a UTR once over all live merchants: the account it came to may have had another owner before.
 * Others are credited once within their merchant.
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
  const text = "select payment_with_utr($1, $2, $3) as found";
  const [{ found }] = (await readAsOwner<{ found: bigint | null }>(db, text, [bucket, merchantId, keys])) as [
    { readonly found: bigint | null },
  ];
  return found === 0n ? "another merchant's" : found;
}

/** Whether a merchant's deposits are in the installation's account: it is live, and has no account of its own. */
export async function sharesAccount(db: Queryable, merchant: MerchantKey): Promise<boolean> {
  return (await findLive(db, [merchant])).get(merchant.merchantId)?.sharesAccount ?? false;
}

/**
 * Of these merchants, the live ones, and whether they have no account of their own.
 * @throws NodalError `access_denied` where SQL has changed one of them
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
