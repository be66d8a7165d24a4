// The amount that a record of a bank's table moves, and its side.
import type { CsvRecord } from "../../platform/csv.ts";
import { cellAt } from "./csv-cells.ts";
import type { Columns } from "./csv-columns.ts";
import { sideInColumn, SIDE_WORDS, type SideSource } from "./csv-sides.ts";
import type { ColumnRole, Problems, Side } from "./statement.ts";
import { amountProblem, isNothing, readAmount, sideOfAmount, type SignedAmount } from "./values.ts";

/** `sideSource`: where the side comes from. */
export type Moved = { readonly side: Side; readonly paise: bigint; readonly sideSource: SideSource };

/** The amount a record moves; `null` for none, `"bad"` for a cell that can't be read, which is added to `problems` if given. */
export function readMoved(record: CsvRecord, columns: Columns, problems: Problems | null): Moved | "bad" | null {
  const { places, mapping } = columns;
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
  if (places.has("debit") && places.has("credit")) {
    const [out, came] = [read("debit"), read("credit")];
    if (out === "bad" || came === "bad") return "bad";
    if (out && came) return bad("debit", "the line has both a debit and a credit.");
    if (out) return inColumn(record, { amount: out, role: "debit", columns, bad });
    return came && inColumn(record, { amount: came, role: "credit", columns, bad });
  }
  const amount = read("amount");
  if (amount === "bad" || amount === null) return amount;
  return besideWord(record, { amount, columns, bad });
}

type Read = {
  readonly amount: SignedAmount;
  readonly columns: Columns;
  readonly bad: (role: ColumnRole, message: string) => "bad";
};

/** An amount in a debit or credit column. A word with it, or in a column beside it, must not name the other side. */
function inColumn(
  record: CsvRecord,
  { amount, role, columns, bad }: Read & { readonly role: "debit" | "credit" },
): Moved | "bad" {
  const { places, headings, hasMixedDebits, saidAgain } = columns;
  const column: Side = role === "debit" ? "out" : "in";
  const word = saidAgain === null ? null : sideInColumn(cellAt(record, saidAgain), false);
  if (amount.side !== null && amount.side !== column)
    return bad(role, contradiction(cellAt(record, places.get(role)), amount.side, `in a column of ${role}s`));
  if (word !== null && word !== column && !amount.isNegative)
    return bad(
      role,
      contradiction(`${headings[saidAgain!]!} ${cellAt(record, saidAgain!)}`, word, `and the amount is a ${role}`),
    );
  const moved = { side: sideOfAmount(amount, column), paise: amount.paise };
  // A negative debit beside positive ones may be a reversed debit.
  const isUnclear = amount.isNegative && ((role === "debit" && hasMixedDebits) || (word !== null && word !== column));
  return { ...moved, sideSource: isUnclear ? "contradicted" : amount.isNegative ? "minus" : "column" };
}

/** An amount in a table with a single amount column; a word, a column or a sign gives its side. */
function besideWord(record: CsvRecord, { amount, columns, bad }: Read): Moved | "bad" {
  const { places, hasSigns, hasMixedDebits } = columns;
  const written = cellAt(record, places.get("side"));
  const inSides = places.has("side") ? sideInColumn(written, hasSigns) : null;
  const named = inSides ?? amount.side;
  if (places.has("side") && !named)
    return bad(
      "side",
      `“${written}” is neither debit nor credit. Write DR for what went out, and CR for what came in.`,
    );
  if (inSides !== null && amount.side !== null && amount.side !== inSides)
    return bad("amount", contradiction(cellAt(record, places.get("amount")), amount.side, `beside “${written}”`));
  const side = sideOfAmount({ ...amount, side: named }, "in");
  const isUnclear = amount.isNegative && named !== null && (named === "in" || hasMixedDebits);
  const sign = amount.isNegative ? "minus" : amount.hasPlus ? "plus" : null;
  const source = named === null ? sign : places.has("side") ? (amount.isNegative ? "minus" : "column") : "word";
  return { side, paise: amount.paise, sideSource: isUnclear ? "contradicted" : source };
}

function contradiction(written: string, side: Side, where: string): string {
  return `“${written}” names a ${SIDE_WORDS[side]}, ${where}. Correct the line, or download the statement again.`;
}
