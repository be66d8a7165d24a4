// All SQL of drafts of invoices.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { DraftKey, InvoiceDraft } from "./invoice-draft.ts";

const DRAFTS = table<InvoiceDraft, DraftKey>("invoice_draft", ["bucket", "merchantId", "draftId"], {
  bucket: "smallint",
  merchantId: "bigint",
  draftId: "bigint",
  title: "text",
  templateId: "bigint",
  customerCode: "text",
  invoice: "jsonb",
  amountPaise: "bigint",
  version: "integer",
  createdBy: "text",
  updatedBy: "text",
  invoiceId: "bigint",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
});
const CHANGING = DRAFTS.without("createdAt", "createdBy");

const keyOf = ({ bucket, merchantId, draftId }: DraftKey): DraftKey => ({ bucket, merchantId, draftId });

export async function insertDraft(connection: Connection, draft: InvoiceDraft): Promise<void> {
  await DRAFTS.insertAll(connection, [draft]);
}

/** Writes a draft that the caller has locked. */
export async function updateDraft(connection: Connection, draft: InvoiceDraft): Promise<void> {
  await CHANGING.updateAll(connection, [draft]);
}

export async function deleteDraftRow(connection: Connection, key: DraftKey): Promise<void> {
  await DRAFTS.delete(connection, keyOf(key));
}

/** A draft of a merchant; `null` where there is none. `lock` keeps it locked until the transaction ends. */
export function findDraft(db: Queryable, key: DraftKey, lock = false): Promise<InvoiceDraft | null> {
  return DRAFTS.find(db, keyOf(key), lock);
}

/** How many drafts of a merchant are open, counted up to `most`. */
export async function countOpenDrafts(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  most: number,
): Promise<number> {
  const { rows } = await db.query<{ open: number }>({
    name: "count-open-drafts",
    text: `select count(*)::integer as open from (
        select from invoice_draft where bucket = $1 and merchant_id = $2 and invoice_id is null limit $3) as counted`,
    values: [bucket, merchantId, most],
  });
  return rows[0]!.open;
}

export type DraftFilter = {
  readonly isIssued: boolean;
  /** In titles, in any case; "" for all. */
  readonly search: string;
  /** The drafts of these customers match too. */
  readonly customerCodes: readonly string[];
};

/** A page of a merchant's drafts, the newest first, after the one with the id `after`. */
export async function pageDrafts(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { isIssued, search, customerCodes }: DraftFilter,
  { after, limit }: { readonly after: bigint | null; readonly limit: number },
): Promise<InvoiceDraft[]> {
  return DRAFTS.select(db, {
    name: `page-drafts-${isIssued ? "issued" : "open"}`,
    text: `select * from invoice_draft
      where bucket = $1 and merchant_id = $2 and invoice_id is ${isIssued ? "not null" : "null"}
        and ($3::bigint is null or draft_id < $3)
        and ($4::text = '' or strpos(customer_fold(title), customer_fold($4)) > 0
          or strpos(customer_fold(customer_code), customer_fold($4)) > 0 or customer_code = any ($5::text[]))
      order by draft_id desc limit $6`,
    values: [bucket, merchantId, after, search, customerCodes, limit],
  });
}
