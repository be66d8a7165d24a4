// SQL of lines of earlier files, to compare a new file with.
import type { Connection } from "../platform/database/pool.ts";
import type { Side } from "./reading/statement.ts";
import type { EarlierLine } from "./same-lines.ts";
import type { StatementAccount } from "./statement-import.ts";

/** The most days between the booking date and the value date of a line. */
const DAYS_APART = 10;

/** The lines of an account's days in earlier files, in order. For other layouts, lines of the days around too. */
export async function listEarlierLines(
  connection: Connection,
  { bucket, merchantId, accountId }: StatementAccount,
  layout: string,
  { from, to }: { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate },
): Promise<EarlierLine[]> {
  type Found = Record<"line_id" | "amount_paise", bigint> & {
    booked_on: Temporal.PlainDate;
    other_days: string;
    side: Side;
    compared_reference: string | null;
    keys: string;
    balance_paise: bigint | null;
    narration_index: Buffer | null;
    copy_no: number;
    duplicate_of: bigint | null;
    is_same_layout: boolean;
  };
  const { rows } = await connection.query<Found>(
    `with import as materialized (
       select import_id, layout = $4 as is_same_layout from statement_import
       where bucket = $1 and merchant_id = $2 and account_id = $3)
     select line_id, booked_on, other_days, side, amount_paise, compared_reference, keys, balance_paise, narration_index, copy_no,
       duplicate_of, is_same_layout
     from statement_line join import using (import_id)
     where bucket = $1 and merchant_id = $2 and account_id = $3
       and booked_on between $5::date - $7::integer and $6::date + $7::integer
       and (not is_same_layout or booked_on between $5 and $6)
     order by line_id`,
    [bucket, merchantId, accountId, layout, from.toString(), to.toString(), DAYS_APART],
  );
  return rows.map((row) => ({
    lineId: row.line_id,
    bookedOn: row.booked_on,
    otherDays: row.other_days,
    side: row.side,
    amountPaise: row.amount_paise,
    comparedReference: row.compared_reference,
    keys: row.keys,
    balancePaise: row.balance_paise,
    narrationIndex: row.narration_index,
    copyNo: row.copy_no,
    duplicateOf: row.duplicate_of,
    isSameLayout: row.is_same_layout,
  }));
}
