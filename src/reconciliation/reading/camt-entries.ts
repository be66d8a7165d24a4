// Converts an entry of a camt message into lines.
import type { Problems, ReadLine, Side } from "./statement.ts";
import { readDay, readXmlAmount } from "./values.ts";
import { joinRows } from "./wrapped-text.ts";

/** Texts of an element's descendants, by their path below it; several with one path are in order. */
export type Texts = Map<string, string[]>;

/** An entry and its payments. */
export type CamtEntry = { readonly texts: Texts; readonly details: readonly Texts[]; readonly fileLine: number };

/** The length at which a remittance text is cut. */
const REMITTANCE_WIDTH = 140;

type Moved = { readonly side: Side; readonly paise: bigint };
type Piece = Moved & { readonly said: Description };
type Description = Pick<ReadLine, "reference" | "narration" | "otherWords">;

/** The first text at a path; empty if there is none. */
export function first(texts: Texts, path: string): string {
  return texts.get(path)?.[0] ?? "";
}

/** Whether the bank has booked an entry: one without a status is booked. */
export function isBooked(texts: Texts): boolean {
  const status = first(texts, "Sts/Cd") || first(texts, "Sts") || first(texts, "Sts/Prtry");
  return status === "" || status === "BOOK";
}

const CHARGES = ["Chrgs/Rcrd/Amt", "Chrgs/Amt", "Chrgs/TtlChrgsAndTaxAmt"];
/** The paths of the amounts that are read from an entry and a payment. */
const AMOUNTS = {
  Ntry: ["Amt", ...CHARGES],
  TxDtls: ["Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/InstdAmt/Amt", ...CHARGES],
} as const;

/** Adds each of these amounts that can't be read to `problems`. Returns whether there is one. */
export function addOddAmounts(
  texts: Texts,
  fileLine: number,
  element: keyof typeof AMOUNTS,
  problems: Problems,
): boolean {
  const odd = AMOUNTS[element].flatMap((path) => {
    const written = texts.get(path) ?? [];
    return written.filter((text) => readXmlAmount(text) === null).map((text) => ({ path, text }));
  });
  for (const { path, text } of odd) problems.add(fileLine, `${element}/${path}`, oddAmount(text));
  return odd.length > 0;
}

/** The error for an amount that `readXmlAmount` can't read. */
export function oddAmount(written: string): string {
  return `“${written}” is not an amount. Download the statement again, or ask the bank for one whose amounts are digits with a point, such as 1000.00.`;
}

/**
 * The lines of an entry: one for each payment if all have amounts and add up to the entry, with the charges separate; else a single
 * line of the entry's amount, with the references of all its payments. An entry of 0.00 has none.
 */
export function linesOfEntry({ texts, details, fileLine }: CamtEntry, problems: Problems): ReadLine[] {
  const paise = readXmlAmount(first(texts, "Amt"));
  const [written = "", ...otherDates] = ["BookgDt/Dt", "BookgDt/DtTm", "ValDt/Dt", "ValDt/DtTm"]
    .map((path) => first(texts, path))
    .filter(Boolean);
  const bookedOn = readDay(written);
  const side = sideOf(first(texts, "CdtDbtInd"));
  const bad = (column: string, problem: string): [] => {
    problems.add(fileLine, column, problem);
    return [];
  };
  if (paise === null && !texts.has("Amt")) return bad("Ntry/Amt", oddAmount(""));
  if (addOddAmounts(texts, fileLine, "Ntry", problems) || paise === null) return [];
  if (paise === 0n) return [];
  if (!side) return bad("Ntry/CdtDbtInd", "the entry is neither a credit nor a debit.");
  if (!bookedOn) return bad("Ntry/BookgDt", "the entry has no date.");
  const whole = { side, paise };
  const pieces = piecesOf(whole, texts, details);
  if (pieces === null) return bad("Ntry/NtryDtls", "its payments do not add up to the entry's amount.");
  return pieces.map(({ said, ...moved }) => ({
    fileLine,
    bookedOn,
    otherDays: otherDates.flatMap((date) => readDay(date)?.toString() ?? []),
    side: moved.side,
    amountPaise: moved.paise,
    balancePaise: null,
    ...said,
  }));
}

/** The payments and charges of an entry. `null` if they contradict its amount. */
function piecesOf(whole: Moved, entry: Texts, details: readonly Texts[]): Piece[] | null {
  const undivided = [{ ...whole, said: describe(details, entry) }];
  const payments = details.flatMap((detail): Piece[] => {
    const paise = readXmlAmount(
      ["AmtDtls/TxAmt/Amt", "Amt", "AmtDtls/InstdAmt/Amt"].map((path) => first(detail, path)).find(Boolean) ?? "",
    );
    const side = sideOf(first(detail, "CdtDbtInd")) ?? whole.side;
    return paise === null || paise === 0n ? [] : [{ side, paise, said: describe([detail], entry) }];
  });
  if (payments.length === 0 || payments.length < details.length) return undivided;
  const charges = [
    ...details.flatMap((detail) =>
      chargesOf(detail).map((charge) => ({ ...charge, said: describeCharge([detail], entry) })),
    ),
    ...chargesOf(entry).map((charge) => ({ ...charge, said: describeCharge(details, entry) })),
  ];
  const amount = sumOf([whole]);
  if (sumOf(payments) === amount) return payments.length === 1 ? undivided : payments;
  if (charges.length > 0 && sumOf([...payments, ...charges]) === amount) return [...payments, ...charges];
  return payments.length === 1 ? undivided : null;
}

/** Charges beside a payment: records with their sides, or in older messages only an amount. */
function chargesOf(texts: Texts): Moved[] {
  const of = (path: string): Moved[] => {
    const sides = texts.get(`${path}/CdtDbtInd`) ?? [];
    const amounts = texts.get(`${path}/Amt`) ?? [];
    return amounts.flatMap((amount, index) => {
      const paise = readXmlAmount(amount);
      // Sides can be assigned to amounts only if each has one.
      const side = (sides.length === amounts.length && sideOf(sides[index]!)) || "out";
      return paise === null || paise === 0n ? [] : [{ side, paise }];
    });
  };
  const records = [...of("Chrgs/Rcrd"), ...of("Chrgs")];
  if (records.length > 0) return records;
  const total = readXmlAmount(first(texts, "Chrgs/TtlChrgsAndTaxAmt"));
  return total === null || total === 0n ? [] : [{ side: "out", paise: total }];
}

function sumOf(parts: readonly Moved[]): bigint {
  return parts.reduce((sum, { side, paise }) => sum + (side === "in" ? paise : -paise), 0n);
}

/** The side that `CdtDbtInd` names; `null` for any other text. */
export function sideOf(indicator: string): Side | null {
  return indicator === "CRDT" ? "in" : indicator === "DBIT" ? "out" : null;
}

/** Reference and narration of payments, or of the entry if they have none. */
function describe(details: readonly Texts[], entry: Texts): Description {
  const known = referencesOf(details, entry);
  const texts = details.map((detail) => joinRows([...new Set(detail.get("RmtInf/Ustrd"))], REMITTANCE_WIDTH));
  const of = (path: string): string[] => details.flatMap((detail) => detail.get(path) ?? []);
  const said = [
    ...texts.map(({ text }) => text),
    ...["RmtInf/Strd/CdtrRefInf/Ref", "AddtlTxInf"].flatMap(of),
    ...["RltdPties/Dbtr/Nm", "RltdPties/Dbtr/Pty/Nm", "RltdPties/Cdtr/Nm", "RltdPties/Cdtr/Pty/Nm"].flatMap(of),
    first(entry, "AddtlNtryInf"),
    // Further references are listed, and looked up too.
    ...known.slice(1),
  ];
  return {
    reference: known[0] ?? null,
    narration: [...new Set(said.filter((text) => text !== ""))].join(" "),
    otherWords: texts.flatMap(({ otherWords }) => otherWords),
  };
}

/** A charge has the references of its payment, which identify it. */
function describeCharge(details: readonly Texts[], entry: Texts): Description {
  const [reference = null, ...further] = referencesOf(details, entry);
  return { reference, narration: ["Charges", ...further].join(" ") };
}

function referencesOf(details: readonly Texts[], entry: Texts): string[] {
  const paths = ["Refs/AcctSvcrRef", "Refs/TxId", "Refs/EndToEndId", "Refs/InstrId", "Refs/UETR"];
  const references = [
    ...details.flatMap((detail) => paths.map((path) => first(detail, path))),
    first(entry, "AcctSvcrRef"),
    first(entry, "NtryRef"),
  ];
  return [...new Set(references)].filter((text) => text !== "" && text !== "NOTPROVIDED");
}
