// SQL that creates the items that statements must show from the journal, in its order.
import { findFundings } from "../ledger/index.ts";
import type { Merchant, MerchantKey } from "../merchants/index.ts";
import { findLateFees } from "../payouts/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { itemFor } from "../platform/database/table.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { ITEMS, lockReconciliation, type ClearingItem } from "./clearing-store.ts";
import { keyOf } from "./line-keys.ts";
import type { Item, ItemKind } from "./match-lines.ts";
import { isProvedItem, proveItem } from "./proofs.ts";

/** The item that each kind of posting creates. */
export const ITEM_OF_POSTING: Readonly<Record<string, ItemKind>> = {
  success: "paid",
  late_success: "paid",
  late_success_unfunded: "paid",
  reversed: "returned",
  fee: "fee",
  fee_tax: "fee",
  fee_unfunded: "fee",
  fee_tax_unfunded: "fee",
  fee_expensed: "fee",
  fee_tax_expensed: "fee",
  fee_returned: "fee_returned",
  fee_tax_returned: "fee_returned",
  fee_expense_returned: "fee_returned",
  fee_tax_expense_returned: "fee_returned",
  late_fee: "fee",
  late_fee_unfunded: "fee",
  late_fee_expensed: "fee",
  funds_in: "funding",
  failed: "failed",
};

/** The postings after which a statement need not show a late fee any more. */
export const CLEARED_BY_POSTING: Readonly<Record<string, ItemKind>> = {
  late_fee_undone: "fee",
  late_fee_expense_undone: "fee",
};

/**
 * Creates items from the next postings of the journal. Entries are committed in the order of their numbers, so no earlier one can
 * appear after the last. Returns whether there may be more.
 */
export async function followJournal(
  connection: Connection,
  merchant: Pick<Merchant, "bucket" | "merchantId" | "timeZone">,
  limit: number,
): Promise<boolean> {
  const { bucket, merchantId, timeZone } = merchant;
  const last = await lockReconciliation(connection, merchant);
  const { rows } = await connection.query<{
    entry_no: bigint;
    subject_id: bigint;
    kind: string;
    amount_paise: bigint;
    created_at: Temporal.Instant;
  }>({
    name: "follow-journal",
    text: `select entry_no, subject_id, kind, amount_paise, created_at from journal
      where bucket = $1 and merchant_id = $2 and entry_no > $3 and kind is not null
      order by entry_no limit $4`,
    values: [bucket, merchantId, last, limit],
  });
  const nameOf = await readNames(connection, merchant, rows);
  const secrets = await secretsOf(connection);
  const items = new Map<string, Omit<ClearingItem, "proof">>();
  const cleared: Pick<Item, "subjectId" | "kind">[] = [];
  for (const row of rows) {
    const kind = ITEM_OF_POSTING[row.kind];
    const name = `${row.subject_id} ${kind ?? CLEARED_BY_POSTING[row.kind]}`;
    if (kind === undefined) {
      const gone = CLEARED_BY_POSTING[row.kind];
      if (gone !== undefined && !items.delete(name)) cleared.push({ subjectId: row.subject_id, kind: gone });
      continue;
    }
    const { utr, reference } = nameOf(row.subject_id);
    items.set(name, {
      bucket,
      merchantId,
      subjectId: row.subject_id,
      kind,
      amountPaise: row.amount_paise + (items.get(name)?.amountPaise ?? 0n),
      postedOn: row.created_at.toZonedDateTimeISO(timeZone).toPlainDate(),
      utrKey: keyOf(utr),
      referenceKey: keyOf(reference),
      matchId: null,
      postingId: null,
      note: null,
    });
  }
  for (const { subjectId, kind } of cleared) await ITEMS.delete(connection, { bucket, merchantId, subjectId, kind });
  // A fee and its tax may come in two slices.
  const add = `on conflict (bucket, merchant_id, subject_id, kind)
    do update set amount_paise = clearing_item.amount_paise + excluded.amount_paise`;
  const proved = [...items.values()].map((item) => ({ ...item, proof: proveItem(secrets, item) }));
  if (proved.length > 0) await ITEMS.insertAll(connection, proved, add);
  const reached = rows.at(-1)?.entry_no;
  if (reached !== undefined) {
    await connection.query("update reconciliation set last_entry_no = $3 where bucket = $1 and merchant_id = $2", [
      bucket,
      merchantId,
      reached,
    ]);
  }
  return rows.length === limit;
}

const POSTINGS_OF_ITEMS = Object.entries(ITEM_OF_POSTING).map(([posting, item]) => `('${item}', '${posting}')`);

/** Those of these items whose row differs from the journal: their kind or amount was changed with SQL. */
export async function findChangedItems(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  items: readonly ClearingItem[],
): Promise<ClearingItem[]> {
  if (items.length === 0) return [];
  const { rows } = await db.query<{ subject_id: bigint; kind: string; paise: bigint }>({
    name: "sum-postings-of-items",
    text: `select posting.subject_id, of_item.item as kind, sum(amount_paise)::bigint as paise
      from journal posting
      join (values ${POSTINGS_OF_ITEMS.join(", ")}) as of_item (item, posting) on of_item.posting = posting.kind
      where posting.bucket = $1 and posting.merchant_id = $2 and posting.subject_id = any ($3) and posting.kind is not null
      group by 1, 2`,
    values: [bucket, merchantId, [...new Set(items.map(({ subjectId }) => subjectId))]],
  });
  const posted = new Map(rows.map((row) => [`${row.subject_id} ${row.kind}`, row.paise]));
  const secrets = await secretsOf(db);
  return items.filter((item) => {
    const isBooked = posted.get(`${item.subjectId} ${item.kind}`) === item.amountPaise;
    return !isBooked || !isProvedItem(secrets, item);
  });
}

type Names = { readonly utr: string | null; readonly reference: string | null };

/**
 * The references of the postings' subjects on statements: a transfer's UTR and reference, its late fee's UTR, a funding's
 * reference.
 */
async function readNames(
  connection: Connection,
  merchant: MerchantKey,
  postings: readonly { readonly subject_id: bigint; readonly kind: string }[],
): Promise<(subjectId: bigint) => Names> {
  const subjectsOf = (isOfKind: (kind: string) => boolean): bigint[] =>
    postings.filter(({ kind }) => isOfKind(kind)).map((row) => row.subject_id);
  const fundings = await findFundings(
    connection,
    merchant,
    subjectsOf((kind) => kind === "funds_in"),
  );
  const lateIds = subjectsOf((kind) => kind.startsWith("late_fee"));
  const late = lateIds.length === 0 ? [] : await findLateFees(connection, merchant, lateIds);
  const transferOf = new Map(late.map(({ feeId, transferId }) => [feeId, transferId]));
  const ofTransfers = subjectsOf((kind) => kind !== "funds_in" && !kind.startsWith("late_fee"));
  const transfers = await findNames(connection, merchant, [...ofTransfers, ...transferOf.values()]);
  return (subjectId) => {
    const transferId = transferOf.get(subjectId);
    if (transferId !== undefined) return { utr: transfers.get(transferId)?.utr ?? null, reference: null };
    const funding = fundings.get(subjectId);
    return transfers.get(subjectId) ?? { utr: funding?.reference ?? null, reference: null };
  };
}

/** The UTRs and references of transfers. A join with the postings would make the planner read all of a merchant's transfers. */
async function findNames(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferIds: readonly bigint[],
): Promise<Map<bigint, Names>> {
  const { rows } = await db.query<{ transfer_id: bigint; utr: string | null; reference: string | null }>({
    name: "find-names-of-transfers",
    text: `select transfer_id, utr, reference_id as reference from transfer
      where bucket = $1 and merchant_id = $2 and transfer_id = any ($3)`,
    values: [bucket, merchantId, transferIds],
  });
  return new Map(rows.map((row) => [row.transfer_id, row]));
}

/**
 * Gives items their UTRs that arrived later, a page after the given subject. Returns the page's last subject; `null` if there are
 * no more.
 */
export async function fillInUtrs(
  connection: Connection,
  merchant: MerchantKey,
  after: bigint,
  limit: number,
): Promise<bigint | null> {
  const { bucket, merchantId } = merchant;
  const { rows } = await connection.query<{ subject_id: bigint }>(
    `select distinct subject_id from clearing_item
     where bucket = $1 and merchant_id = $2 and match_id is null and utr_key is null
       and kind in ('paid', 'returned', 'fee', 'fee_returned') and subject_id > $3
     order by subject_id limit $4`,
    [bucket, merchantId, after, limit],
  );
  const names = await findNames(
    connection,
    merchant,
    rows.map((row) => row.subject_id),
  );
  const utrKeys = new Map([...names].map(([subjectId, { utr }]) => [subjectId, keyOf(utr)]));
  const subjects = [...utrKeys].filter(([, key]) => key !== null).map(([subjectId]) => subjectId);
  const items = await ITEMS.select(
    connection,
    "select * from clearing_item where bucket = $1 and merchant_id = $2 and subject_id = any ($3) and utr_key is null",
    [bucket, merchantId, subjects],
  );
  const secrets = await secretsOf(connection);
  const named = items.map((item) => {
    const after = { ...item, utrKey: utrKeys.get(item.subjectId)! };
    return { ...after, proof: isProvedItem(secrets, item) ? proveItem(secrets, after) : item.proof };
  });
  for (const [kind, some] of Map.groupBy(named, (item) => item.kind)) {
    await connection.query({
      name: "fill-in-utrs",
      text: `update clearing_item
        set utr_key = ${itemFor("subject_id", "$4::bigint[]", "$5::text[]")},
          proof = ${itemFor("subject_id", "$4::bigint[]", "$6::bytea[]")}
        where bucket = $1 and merchant_id = $2 and kind = $3 and subject_id = any ($4) and utr_key is null`,
      values: [
        bucket,
        merchantId,
        kind,
        some.map(({ subjectId }) => subjectId),
        some.map(({ utrKey }) => utrKey),
        some.map(({ proof }) => proof),
      ],
    });
  }
  return rows.length === limit ? rows.at(-1)!.subject_id : null;
}
