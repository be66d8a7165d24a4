// Reads who paid, and by which rail, from the narration of a bank's line. Banks publish no layout; narration.test.ts has the known
// ones.

const HANDLE = /[\w.]{1,100}@[A-Za-z][A-Za-z0-9]{1,30}(?![\w.])/;
const IFSC = /^[A-Z]{4}0[A-Z0-9]{6}$/;
const MASKED_ACCOUNT = /\bX{2,}\d{3,6}\b/;
/** ICICI puts the note before the name. */
const NAME_IS_LAST = /^MMT\/IMPS\//;
const MIN_NAME_LETTERS = 5;

/** Words of rails and notes. A field with nothing else names nobody. */
const NO_NAMES = new Set(
  (
    "UPI IMPS NEFT RTGS ACH ECS NACH MMT INB NBSM CR DR CREDIT DEBIT BY TO FROM TRF TRANSFER P2A P2M P2P INW INWARD OUTWARD IN OUT " +
    "CHQ CHEQUE CLG CLEARING DEP DEPOSIT CASH SELF NO REF UTR RRN TXN ID PAY PAYMENT PAYMENTS PAID FOR OF THE ON AC ACC ACCOUNT " +
    "INV INVOICE INVOICES BILL BILLS ADVANCE FUND FUNDS RENT FEE FEES SALARY DUES DUE TOWARDS BEING SETTLEMENT NA NIL BANK BRANCH AND"
  ).split(" "),
);
/** Company forms, titles and the like, which otherwise different names share. */
const NAME_FILLERS = new Set(
  "PVT PRIVATE LTD LIMITED LLP INC CORP COMPANY AND THE MRS SHRI SMT DOT COM INDIA PROP PROPRIETOR".split(" "),
);

/**
 * Who paid, in a form that is equal for all lines of one payer: the UPI id, the masked account with the name, or the name
 * alone. `null` if the narration names nobody.
 */
export function payerOf(narration: string | null): string | null {
  const text = (narration ?? "").normalize("NFKC").toUpperCase();
  const handle = HANDLE.exec(text)?.[0];
  if (handle !== undefined) return `upi:${handle}`;
  const name = nameIn(text);
  if (name === null) return null;
  const account = MASKED_ACCOUNT.exec(text)?.[0].replaceAll(/X+/g, "");
  return account === undefined ? `name:${name}` : `account:${account}:${name}`;
}

/** The field of a narration that names the payer. */
function nameIn(text: string): string | null {
  const names = text
    .split(/[-/*|:;,]+/)
    .map((field) => wordsOf(field).filter((word) => !/\d/.test(word)))
    .filter((words) => words.some((word) => !NO_NAMES.has(word)))
    .map((words) => dropLeading(words).join(" "))
    .filter((name) => name.replaceAll(" ", "").length >= MIN_NAME_LETTERS && !/\bBANK\b/.test(name));
  return (NAME_IS_LAST.test(text) ? names.at(-1) : names[0]) ?? null;
}

/** Kotak writes the rail before the name, with only blanks between. */
function dropLeading(words: readonly string[]): readonly string[] {
  return words.slice(words.findIndex((word) => !NO_NAMES.has(word)));
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== "" && !IFSC.test(word));
}

/** The payment mode of a receipt for the rail in a narration; `Online` if the narration names none. */
export function modeOf(narration: string | null): "UPI" | "IMPS" | "RTGS" | "NEFT" | "Cheque" | "Cash" | "Online" {
  const text = (narration ?? "").toUpperCase();
  const named = /\b(UPI|IMPS|RTGS|NEFT|CHQ|CHEQUE|CLG|CASH)\b/.exec(text)?.[1];
  if (named === undefined) return "Online";
  if (named === "CASH") return "Cash";
  return named === "UPI" || named === "IMPS" || named === "RTGS" || named === "NEFT" ? named : "Cheque";
}

/**
 * Whether at least half of the words of a name are in a narration. Banks cut names at 16 to 20 characters, so the beginning of a
 * word is enough from 4 letters on.
 */
export function namesAlike(name: string, narration: string | null): boolean {
  const said = wordsOf((narration ?? "").normalize("NFKC").toUpperCase());
  const words = wordsOf(name.normalize("NFKC").toUpperCase()).filter(
    (word) => word.length >= 3 && !NAME_FILLERS.has(word) && !NO_NAMES.has(word),
  );
  const found = words.filter((word) =>
    said.some((each) => each === word || (each.length >= 4 && word.startsWith(each))),
  );
  return found.length > 0 && found.length * 2 >= words.length;
}
