// One use case: lines of statements say what the files said that they were read from.
import type { Violation } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { everyRow, type Queryable } from "../platform/database/pool.ts";
import { listProvedLines } from "./line-proof-store.ts";

const PAGE_ROWS = 1000;
type Line = Awaited<ReturnType<typeof listProvedLines>>[number];

/**
 * Finds lines that somebody has changed or planted with SQL, so that money seems to have moved, or not to have.
 * @throws SecretsError where their proofs can't be computed
 */
export async function findForgedLines(db: Queryable, scope: MerchantKey | null): Promise<Violation[]> {
  const violations: Violation[] = [];
  const lines = everyRow(PAGE_ROWS, (last: Line | null, limit) => listProvedLines(db, scope, last, limit));
  for await (const { merchantId, lineId, isProved } of lines) {
    const said = {
      what: `line ${lineId} of a statement`,
      expected: "what was read from the file",
      found: "something else",
    };
    if (!isProved) violations.push({ check: "statement_line_proof", merchantId, subjectId: lineId, ...said });
  }
  return violations;
}
