// SQL of the candidates for matching an open line by hand.
import type { Merchant } from "../merchants/index.ts";
import { typedPaise } from "../platform/as-typed.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { plainKey } from "./line-keys.ts";
import { sideOf, type Item, type ItemKind } from "./match-lines.ts";
import type { Side } from "./reading/statement.ts";

const KINDS = ["paid", "returned", "fee", "fee_returned", "funding"] as const satisfies readonly ItemKind[];
const MOST = 20;
/** The number of newest open items that are searched. */
const SEARCHED = 20_000;

export type Candidate = Pick<Item, "kind" | "subjectId" | "amountPaise" | "postedOn"> & {
  /** The payee; `null` for a funding. */
  readonly name: string | null;
  readonly utr: string | null;
  /** The merchant's reference of the payout, or the funding's. */
  readonly reference: string | null;
};

type Wanted = {
  readonly side: Side;
  readonly amountPaise: bigint;
  readonly bookedOn: Temporal.PlainDate;
  readonly text: string;
};

/** The order of candidates for a line with the amount $4 and the day $5. */
const NEAREST = "(amount_paise = $4) desc, abs(posted_on - $5::date), subject_id, kind";

/** The open items that a line may be matched with, the best first; with a text, those that contain it. */
export async function selectCandidates(
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
    // A fee on a statement is not a transfer, and has the UTR of its payout.
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
