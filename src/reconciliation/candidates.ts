// What an open line may be matched with by hand: payouts, returns, fees and fundings that no statement has shown yet.
import type { Merchant, WriteContext } from "../merchants/index.ts";
import { typedPaise } from "../platform/as-typed.ts";
import { inTransaction, type Queryable } from "../platform/database/pool.ts";
import { followJournal } from "./clearing-store.ts";
import { plainKey } from "./line-keys.ts";
import { sideOf, type Item, type ItemKind } from "./match-lines.ts";
import type { Side } from "./reading/statement.ts";
import { requireLines } from "./resolve.ts";

const KINDS = ["paid", "returned", "fee", "fee_returned", "funding"] as const satisfies readonly ItemKind[];
const MOST = 20;
/** Of the newest open items, so many are searched. */
const SEARCHED = 20_000;
const FOLLOWED_AT_ONCE = 5000;

export type Candidate = Pick<Item, "kind" | "subjectId" | "amountPaise" | "postedOn"> & {
  /** Who was paid; `null` for a funding. */
  readonly name: string | null;
  readonly utr: string | null;
  /** The merchant's reference of the payout, or that of the funding. */
  readonly reference: string | null;
};

/**
 * What a line may be matched with: first what has its amount, the nearest in time first, then smaller amounts, of which several
 * may make up the line. With a search text: what has it in a name, a UTR or a reference, or has that amount, on both sides.
 * @throws NodalError `not_found` if the merchant has no such line; `validation_failed` if it is matched
 */
export async function listCandidates(
  { pool, merchant }: Pick<WriteContext<Merchant>, "pool" | "merchant">,
  { lineId, search }: { readonly lineId: bigint; readonly search: string | null },
): Promise<Candidate[]> {
  const [line] = await requireLines(pool, merchant, [lineId]);
  // A payout that was decided since the last import is there as well.
  while (await inTransaction(pool, (connection) => followJournal(connection, merchant, FOLLOWED_AT_ONCE)));
  const { side, amountPaise, bookedOn } = line!;
  const text = search?.trim() ?? "";
  return selectCandidates(pool, merchant, { side, amountPaise, bookedOn, text });
}

type Wanted = {
  readonly side: Side;
  readonly amountPaise: bigint;
  readonly bookedOn: Temporal.PlainDate;
  readonly text: string;
};

/** The order of candidates of a line with the amount $4 and the day $5. */
const NEAREST = "(amount_paise = $4) desc, abs(posted_on - $5::date), subject_id, kind";

async function selectCandidates(
  db: Queryable,
  { bucket, merchantId }: Merchant,
  { side, amountPaise, bookedOn, text }: Wanted,
): Promise<Candidate[]> {
  const kinds = KINDS.filter((kind) => text !== "" || sideOf(kind) === side);
  const open = `select kind, subject_id, amount_paise, posted_on, utr_key from clearing_item
    where bucket = $1 and merchant_id = $2 and match_id is null and note is null and kind = any ($3)`;
  const [some, found] =
    text === ""
      ? [`${open} and amount_paise <= $4 order by ${NEAREST} limit ${MOST}`, ""]
      : [
          `${open} order by posted_on desc, subject_id desc limit ${SEARCHED}`,
          `where item.amount_paise = $7 or strpos(item.utr_key, nullif($8, '')) > 0
             or strpos(lower(coalesce(transfer.reference_id, funding.reference)), lower($6)) > 0
             or strpos(lower(coalesce(transfer.account_holder, payee.name)), lower($6)) > 0`,
        ];
  type Row = Record<"subject_id" | "amount_paise", bigint> &
    Record<"name" | "utr" | "reference", string | null> & { kind: ItemKind; posted_on: Temporal.PlainDate };
  const { rows } = await db.query<Row>(
    // A fee of a statement is no transfer of its own, and has the UTR of its payout.
    `select item.kind, item.subject_id, item.amount_paise, item.posted_on,
       coalesce(transfer.utr, case when item.kind <> 'funding' then item.utr_key end) as utr,
       coalesce(transfer.account_holder, payee.name) as name,
       coalesce(transfer.reference_id, funding.reference) as reference
     from (${some}) as item
     left join transfer on transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = item.subject_id
       and item.kind <> 'funding'
     left join beneficiary as payee on payee.bucket = $1 and payee.merchant_id = $2
       and payee.beneficiary_id = transfer.beneficiary_id
     left join funding on funding.bucket = $1 and funding.merchant_id = $2 and funding.funding_id = item.subject_id
       and item.kind = 'funding'
     ${found}
     order by ${NEAREST.replaceAll(/\b(amount_paise|posted_on|subject_id|kind)\b/g, "item.$1")}
     limit ${MOST}`,
    [
      bucket,
      merchantId,
      kinds,
      amountPaise,
      bookedOn.toString(),
      ...(text === "" ? [] : [text, typedPaise(text), plainKey(text)]),
    ],
  );
  return rows.map((row) => ({
    kind: row.kind,
    subjectId: row.subject_id,
    amountPaise: row.amount_paise,
    postedOn: row.posted_on,
    name: row.name,
    utr: row.utr,
    reference: row.reference,
  }));
}
