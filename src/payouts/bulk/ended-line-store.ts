// SQL of the journal entries of ended payouts in batches, so that a row restored with SQL, including its proof, is not paid.
import { isEventProved } from "../../ledger/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { secretsOf } from "../../platform/secrets/index.ts";
import type { BatchKey, BatchStatus, PayoutLine } from "./payout-batch.ts";

export const BATCH_CANCELLED = "payout_batch.cancelled";
export const BATCH_REJECTED = "payout_batch.rejected";
export const BATCH_FINISHED = "payout_batch.finished";
/** Entry: lines without a day were refused. */
export const LINES_REFUSED = "payout_batch.lines_refused";
export const SCHEDULED_CANCELLED = "scheduled_payout.cancelled";
export const SCHEDULED_FAILED = "scheduled_payout.failed";

const OF_BATCH = [BATCH_CANCELLED, BATCH_REJECTED, BATCH_FINISHED, LINES_REFUSED];
const OF_LINE = [SCHEDULED_CANCELLED, SCHEDULED_FAILED];

type EndRow = {
  readonly bucket: number;
  readonly merchant_id: bigint;
  readonly type: string;
  readonly subject_id: bigint;
  readonly created_at: Temporal.Instant;
  readonly before: unknown;
  readonly after: { readonly lines?: readonly number[] } | null;
  readonly proof: Buffer | null;
};

/** What has ended according to the journal: all of a batch, or some of its lines. */
export type EndedLines = { readonly isBatchOver: boolean; readonly lineNos: ReadonlySet<number> };

/** Reads whether a batch or these lines of it have ended. A cancelled batch still pays the lines that were being requested. */
export async function findEndedLines(
  db: Queryable,
  { bucket, merchantId, batchId, status }: BatchKey & { readonly status: BatchStatus },
  lines: readonly PayoutLine[],
): Promise<EndedLines> {
  const { rows } = await db.query<EndRow>({
    name: "find-ended-lines",
    text: `select bucket, merchant_id, type, subject_id, created_at, before, after, proof from journal
      where bucket = $1 and merchant_id = $2 and subject_id = any ($3) and type not like 'transfer.%' and type = any ($4)`,
    values: [bucket, merchantId, [batchId, ...lines.map(({ transferId }) => transferId)], [...OF_BATCH, ...OF_LINE]],
  });
  const secrets = rows.length > 0 ? await secretsOf(db) : null;
  const ended = new Set<number>();
  const end = (isEnded: (line: PayoutLine) => boolean): void => {
    for (const line of lines) if (isEnded(line)) ended.add(line.lineNo);
  };
  let isBatchOver = false;
  for (const row of rows) {
    const { type, subject_id: subjectId, created_at: createdAt, before, after } = row;
    const named = new Set(after?.lines ?? []);
    if (OF_LINE.includes(type)) end(({ transferId }) => transferId === subjectId);
    else if (type === LINES_REFUSED) end(({ lineNo }) => named.has(lineNo));
    else if (type === BATCH_CANCELLED && status === "cancelled") {
      const entry = { bucket, merchantId, type, subjectId, createdAt, before, after };
      const isProved = isEventProved(secrets!, entry, row.proof);
      end(({ lineNo }) => !isProved || !named.has(lineNo));
    } else isBatchOver = true;
  }
  return { isBatchOver, lineNos: ended };
}
