// Candidates for matching an open line by hand: payouts, returns, fees and fundings that no statement has shown yet.
import type { Merchant, ReadContext, WriteContext } from "../merchants/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { selectCandidates, type Candidate } from "./candidate-store.ts";
import { followJournal } from "./follow-journal-store.ts";
import { requireLines } from "./resolve.ts";
import type { FoundLine } from "./statement-store.ts";
import { suggestReceipts, type ReceiptSuggestions } from "./suggest-receipts.ts";

const FOLLOWED_AT_ONCE = 5000;

/**
 * The candidates for a line: first those with its amount, the nearest in time first, then smaller amounts, several of which may add
 * up to the line. With a search text: those with the text in a name, a UTR or a reference, or with that amount, on both sides.
 * @throws NodalError `not_found` if the merchant has no such line; `validation_failed` if it is matched
 */
export async function listCandidates(
  { pool, merchant }: Pick<WriteContext<Merchant>, "pool" | "merchant">,
  { lineId, search }: { readonly lineId: bigint; readonly search: string | null },
): Promise<Candidate[]> {
  const [line] = await requireLines(pool, merchant, [lineId]);
  // A payout with a final status since the last import is included.
  while (await inTransaction(pool, (connection) => followJournal(connection, merchant, FOLLOWED_AT_ONCE)));
  const { side, amountPaise, bookedOn } = line!;
  const text = search?.trim() ?? "";
  return selectCandidates(pool, merchant, { side, amountPaise, bookedOn, text });
}

/**
 * An open line, its suggested receipts, and what is recorded under its reference already.
 * @throws NodalError `not_found` if the merchant has no such line; `validation_failed` if it is matched
 */
export async function readReceiptLine(
  { pool, merchant }: ReadContext<Merchant>,
  lineId: bigint,
): Promise<ReceiptSuggestions & { readonly line: FoundLine }> {
  const [line] = await requireLines(pool, merchant, [lineId]);
  return { line: line!, ...(await suggestReceipts(pool, merchant, line!)) };
}
