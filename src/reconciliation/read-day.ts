// One question: how an account's day stands, and what the ledger has that no statement has shown yet.
import type { Merchant, ReadContext } from "../merchants/index.ts";
import { staleBefore } from "../payouts/index.ts";
import { sumOpenItems } from "./clearing-store.ts";
import { type StatementAccount } from "./import-store.ts";
import { readStatementDay, type StatementDay } from "./statement-store.ts";

export type ReconciledDay = StatementDay & {
  /** What opening balance and lines miss of the closing one, in paise: lines are missing where it is not 0. */
  readonly gapPaise: bigint | null;
  /** What the ledger sent or got, and no statement has shown in time, over all accounts. */
  readonly missingThere: { readonly count: number; readonly paise: bigint };
};

/** The last day of which statements have to show everything by now. docs/rules/reconciliation.md#missing-there */
export function shownUntil({ timeZone }: Merchant, now = Temporal.Now.instant()): Temporal.PlainDate {
  return staleBefore(now).toZonedDateTimeISO(timeZone).toPlainDate().subtract({ days: 1 });
}

export async function readReconciledDay(
  { pool, merchant }: ReadContext<Merchant>,
  { accountId }: StatementAccount,
  day: Temporal.PlainDate,
): Promise<ReconciledDay> {
  const read = await readStatementDay(pool, merchant, accountId, day);
  const { openingPaise, closingPaise, inPaise, outPaise } = read;
  const gapPaise =
    openingPaise === null || closingPaise === null ? null : closingPaise - (openingPaise + inPaise - outPaise);
  return { ...read, gapPaise, missingThere: await sumOpenItems(pool, merchant, shownUntil(merchant)) };
}
