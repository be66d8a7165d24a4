// What a record of a bank's table moves, and to which side.
import type { CsvRecord } from "../../platform/csv.ts";
import { cellAt } from "./csv-cells.ts";
import type { Columns } from "./csv-columns.ts";
import { sideInColumn, type SideSource } from "./csv-sides.ts";
import type { ColumnRole, Problems, Side } from "./statement.ts";
import { amountProblem, isNothing, readAmount, sideOfAmount, type SignedAmount } from "./values.ts";

/** `sideSource` is what says the side. */
export type Moved = { readonly side: Side; readonly paise: bigint; readonly sideSource: SideSource };

/** What a record moves; `null` for nothing, `"bad"` for a cell that can't be read, which is added to `problems` if they are given. */
export function readMoved(
  record: CsvRecord,
  { places, mapping, hasMixedDebits, hasSigns }: Columns,
  problems: Problems | null,
): Moved | "bad" | null {
  const bad = (role: ColumnRole, message: string): "bad" => {
    problems?.add(record.line, mapping[role] ?? role, message);
    return "bad";
  };
  const read = (role: ColumnRole) => {
    const written = cellAt(record, places.get(role));
    if (isNothing(written)) return null;
    const amount = readAmount(written);
    if (amount) return amount.paise === 0n ? null : amount;
    return problems ? bad(role, amountProblem(written)) : null;
  };
  const sideSource = ({ isNegative }: SignedAmount) => (isNegative ? "minus" : "column");
  // Beside others, a debit below zero may be one that was taken back.
  const saidByDebit = (out: SignedAmount) => (out.isNegative && hasMixedDebits ? null : sideSource(out));
  if (places.has("debit") && places.has("credit")) {
    const [out, came] = [read("debit"), read("credit")];
    if (out === "bad" || came === "bad") return "bad";
    if (out && came) return bad("debit", "the line has both a debit and a credit.");
    if (out) return { side: sideOfAmount(out, "out"), paise: out.paise, sideSource: saidByDebit(out) };
    return came && { side: sideOfAmount(came, "in"), paise: came.paise, sideSource: sideSource(came) };
  }
  const amount = read("amount");
  if (amount === "bad" || amount === null) return amount;
  const word = cellAt(record, places.get("side"));
  const named = (places.has("side") ? sideInColumn(word, hasSigns) : null) ?? amount.side;
  if (places.has("side") && !named)
    return bad("side", `“${word}” is neither debit nor credit. Write DR for what went out, and CR for what came in.`);
  const side = sideOfAmount({ ...amount, side: named }, "in");
  if (places.has("side")) return { side, paise: amount.paise, sideSource: sideSource(amount) };
  const sign = amount.isNegative ? "minus" : amount.hasPlus ? "plus" : null;
  return { side, paise: amount.paise, sideSource: named === null ? sign : "word" };
}
