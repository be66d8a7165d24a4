// Queries: a batch with some of its lines, and the outcome of each line as a file.
import type { Merchant, ReadContext } from "../../merchants/index.ts";
import { csvFile } from "../../platform/csv.ts";
import type { WriteInstant } from "../../platform/time.ts";
import type { Static } from "typebox";
import { type batchObject, describeBatch, describeLine } from "./batch-object.ts";
import { findBatch, listBatches } from "./batch-store.ts";
import { countLines, listLines } from "./line-store.ts";
import { batchNotFound, MAX_LINES, type LineOutcome } from "./payout-batch.ts";

/** A batch, and which of its lines to read. */
export type BatchPage = {
  readonly batchId: bigint;
  /** Lines after this number, without the first `skipped` of them. */
  readonly after: number;
  readonly skipped?: number;
  readonly limit: number;
};

/**
 * Reads a batch of many payouts, with some of its lines.
 * @throws NodalError `batch_not_found`
 */
export async function readBatch(
  { pool, merchant }: ReadContext<Merchant>,
  { batchId, after, skipped = 0, limit }: BatchPage,
  write?: WriteInstant,
): Promise<{ readonly batch: Static<typeof batchObject>; readonly lines: readonly LineOutcome[] }> {
  const { bucket, merchantId } = merchant;
  const key = { bucket, merchantId, batchId };
  const batch = await findBatch(pool, key);
  if (batch?.kind !== "bulk") throw batchNotFound();
  const lines = await listLines(pool, key, { after, skipped, limit });
  const counts = await countLines(pool, merchant, [batchId]);
  return { batch: describeBatch(batch, counts.get(batchId) ?? [], merchant, write), lines };
}

/** A merchant's batches of many payouts, the newest first, from the one before `before`. */
export async function listBatchObjects(
  { pool, merchant }: ReadContext<Merchant>,
  page: { readonly before: bigint | null; readonly limit: number },
  write?: WriteInstant,
): Promise<Static<typeof batchObject>[]> {
  const found = await listBatches(pool, merchant, page);
  const counts = await countLines(
    pool,
    merchant,
    found.map(({ batchId }) => batchId),
  );
  return found.map((batch) => describeBatch(batch, counts.get(batch.batchId) ?? [], merchant, write));
}

const COLUMNS = [
  "line",
  "reference_id",
  "beneficiary_id",
  "name",
  "amount",
  "scheduled_for",
  "status",
  "transfer_id",
  "utr",
  "code",
  "reason",
  "narrative",
] as const;

/**
 * The outcome of each line of a batch, as CSV in the batch's order.
 * @throws NodalError `batch_not_found`
 */
export async function batchResult(context: ReadContext<Merchant>, batchId: bigint): Promise<string> {
  const { lines } = await readBatch(context, { batchId, after: 0, limit: MAX_LINES });
  const rows = lines.map((line) => {
    const described = describeLine(line);
    return COLUMNS.map((column) => (column === "amount" ? line.amountPaise : String(described[column])));
  });
  return csvFile([COLUMNS, ...rows]);
}
