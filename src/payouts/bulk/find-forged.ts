// Use case: finds batches and lines that are still to be paid and were not written by the server.
import type { Violation } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { everyRow, type Queryable } from "../../platform/database/pool.ts";
import { listOpenBatches } from "./batch-store.ts";
import { listProvedLines } from "./line-proof-store.ts";

const PAGE_ROWS = 1000;
const SAID = { expected: "what the server wrote", found: "something else" } as const;

/**
 * Finds batches and lines that were changed or inserted with SQL. Nothing of them is paid.
 * @throws SecretsError if their proofs can't be computed
 */
export async function findForgedBatches(db: Queryable, scope: MerchantKey | null): Promise<Violation[]> {
  const violations: Violation[] = [];
  for await (const { merchantId, batchId, isProved } of everyRow(PAGE_ROWS, (last: Batch | null, limit) =>
    listOpenBatches(db, scope, last, limit),
  )) {
    const what = `batch ${batchId}`;
    if (!isProved) violations.push({ check: "batch_proof", merchantId, subjectId: batchId, what, ...SAID });
  }
  for await (const { merchantId, batchId, lineNo, isProved } of everyRow(PAGE_ROWS, (last: Line | null, limit) =>
    listProvedLines(db, scope, last, limit),
  )) {
    const what = `line ${lineNo} of batch ${batchId}`;
    if (!isProved) violations.push({ check: "batch_line_proof", merchantId, subjectId: batchId, what, ...SAID });
  }
  return violations;
}

type Batch = Awaited<ReturnType<typeof listOpenBatches>>[number];
type Line = Awaited<ReturnType<typeof listProvedLines>>[number];
