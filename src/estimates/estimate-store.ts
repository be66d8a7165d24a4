// All SQL of estimates.
import { contentFromJson, contentToJson } from "../invoices/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { Estimate, EstimateKey, ShownEstimateState } from "./estimate.ts";

/** The content as it is kept. */
type Stored = Omit<Estimate, "content"> & { readonly content: object };

const ESTIMATES = table<Stored, EstimateKey>("estimate", ["bucket", "merchantId", "estimateId"], {
  bucket: "smallint",
  merchantId: "bigint",
  estimateId: "bigint",
  seriesId: "bigint",
  financialYear: "smallint",
  estimateNumber: "text",
  customerId: "bigint",
  templateId: "bigint",
  estimateDate: "date",
  validUntil: "date",
  dueDays: "integer",
  subTotalPaise: "bigint",
  taxTotalPaise: "bigint",
  amountPaise: "bigint",
  invoice: "jsonb",
  content: "jsonb",
  state: "text",
  reason: "text",
  version: "integer",
  invoiceId: "bigint",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
});
const CHANGING = ESTIMATES.without("seriesId", "financialYear", "estimateNumber", "createdAt");

const toStored = (estimate: Estimate): Stored => {
  return { ...estimate, content: JSON.parse(contentToJson(estimate.content)) as object };
};
const fromStored = (stored: Stored): Estimate => ({ ...stored, content: contentFromJson(stored.content) });

export async function insertEstimate(connection: Connection, estimate: Estimate): Promise<void> {
  await ESTIMATES.insertAll(connection, [toStored(estimate)]);
}

/** Saves an estimate that the caller has locked; its number doesn't change. */
export async function updateEstimate(connection: Connection, estimate: Estimate): Promise<void> {
  await CHANGING.updateAll(connection, [toStored(estimate)]);
}

/** An estimate of a merchant; `null` where there is none. `lock` keeps it locked until the transaction ends. */
export async function findEstimate(
  db: Queryable,
  { bucket, merchantId, estimateId }: EstimateKey,
  lock = false,
): Promise<Estimate | null> {
  const stored = await ESTIMATES.find(db, { bucket, merchantId, estimateId }, lock);
  return stored && fromStored(stored);
}

/** The estimate of an invoice; `null` for an invoice without one. */
export async function findEstimateOf(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  invoiceId: bigint,
): Promise<Estimate | null> {
  const [stored] = await ESTIMATES.select(db, {
    name: "find-estimate-of-invoice",
    text: "select * from estimate where bucket = $1 and merchant_id = $2 and invoice_id = $3",
    values: [bucket, merchantId, invoiceId],
  });
  return stored ? fromStored(stored) : null;
}

export type EstimateFilter = {
  /** `null` for any. */
  readonly state: ShownEstimateState | null;
  /** The merchant's day, by which estimates expire. */
  readonly today: Temporal.PlainDate;
  /** In numbers, in any case; "" for all. */
  readonly search: string;
  /** The estimates of these customers match too. */
  readonly customerIds: readonly bigint[];
};

/** A page of a merchant's estimates, the newest first, after the one with the id `after`. */
export async function pageEstimates(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { state, today, search, customerIds }: EstimateFilter,
  { after, limit }: { readonly after: bigint | null; readonly limit: number },
): Promise<Estimate[]> {
  const found = await ESTIMATES.select(db, {
    name: "page-estimates",
    text: `select * from estimate
      where bucket = $1 and merchant_id = $2 and ($3::bigint is null or estimate_id < $3)
        and ($4::text is null
          or $4 = case when state = 'Open' and valid_until < $5::date then 'Expired' else state end)
        and ($6::text = '' or strpos(upper(estimate_number), upper($6)) > 0 or customer_id = any ($7::bigint[]))
      order by estimate_id desc limit $8`,
    values: [bucket, merchantId, after, state, today.toString(), search, customerIds, limit],
  });
  return found.map(fromStored);
}
