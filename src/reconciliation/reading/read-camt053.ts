// Reads statements in ISO 20022's camt.053, reports in camt.052 and notifications in camt.054, as a stream and never as one tree.
// camt-entries.ts reads their entries.
import { setImmediate as nextTurn } from "node:timers/promises";
import { SaxesParser } from "saxes";
import { addOddAmounts, first, isBooked, linesOfEntry, oddAmount, sideOf, type Texts } from "./camt-entries.ts";
import { Problems, refuseTooMany, signed, unreadable, type ReadLine, type ReadStatement } from "./statement.ts";
import { inSequence, OneAccount, type StatementPart } from "./statement-parts.ts";
import { readXmlAmount } from "./values.ts";

/** How much is read before yielding to other work. */
const PIECE_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 40;
/** The element of a statement in each kind of message. */
const STATEMENTS: Readonly<Record<string, string>> = {
  BkToCstmrStmt: "Stmt",
  BkToCstmrAcctRpt: "Rpt",
  BkToCstmrDbtCdtNtfctn: "Ntfctn",
};

type Gathered = { readonly path: string; readonly texts: Texts; readonly line: number };

/**
 * Reads the statements of one account. Leaves out entries that aren't booked yet; an entry with several payments becomes a line for
 * each.
 * @throws NodalError `validation_failed`
 */
export async function readCamt053(text: string): Promise<ReadStatement> {
  const reader = new Reader();
  const parser = new SaxesParser({ xmlns: false });
  const path: string[] = [];
  let failure: Error | null = null;
  parser.on("error", (error) => (failure ??= error));
  parser.on("doctype", () => (failure ??= new Error("it has a DOCTYPE, which a statement never has")));
  // Comments, CDATA and processing instructions split a text: it is complete at the end of its element.
  const opened: { text: string; hasElements: boolean }[] = [];
  const addText = (written: string): void => {
    const element = opened.at(-1);
    if (element) element.text += written;
  };
  parser.on("opentag", ({ name, attributes }) => {
    path.push(localName(name));
    const parent = opened.at(-1);
    if (parent) parent.hasElements = true;
    opened.push({ text: "", hasElements: false });
    if (path.length > MAX_DEPTH) failure ??= new Error("its elements are nested too deeply");
    reader.open(path, attributes, parser.line);
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const { text: whole, hasElements } = opened.pop()!;
    if (hasElements) reader.refuseMixed(path, whole, parser.line);
    else reader.text(path, whole);
    reader.close(path);
    path.pop();
  });
  for (let from = 0; from < text.length && !failure; from += PIECE_CHARACTERS) {
    parser.write(text.slice(from, from + PIECE_CHARACTERS));
    await nextTurn();
  }
  if (!failure) parser.close();
  // TypeScript doesn't see that listeners set it.
  const broken = failure as Error | null;
  if (broken) throw unreadable(`The file is not valid XML: ${broken.message}.`, "Download the statement again.");
  return reader.finish();
}

/** An element's name without its namespace prefix. */
function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** A statement of the file while it is read. */
type OpenPart = {
  readonly path: string;
  /** Its `Id`, with the page's number. */
  name: string | null;
  readonly fileLine: number;
  readonly lines: ReadLine[];
  /** By their codes, in the order of the file. */
  readonly balances: Map<string, bigint[]>;
  readonly isReport: boolean;
  /** The kind of message: a statement, a report or a notification. */
  readonly message: string;
};

class Reader {
  readonly #problems = new Problems();
  readonly #account = new OneAccount();
  readonly #parts: OpenPart[] = [];
  #part: OpenPart | null = null;
  #balance: Gathered | null = null;
  #entry: Gathered | null = null;
  #details: Texts[] = [];
  #detail: Gathered | null = null;
  /** The element of a payment's amount in another currency, which is skipped. */
  #foreign: string | null = null;
  #lineCount = 0;
  #notBookedCount = 0;

  open(path: readonly string[], attributes: Readonly<Record<string, string>>, line: number): void {
    const name = path.at(-1)!;
    const whole = path.join("/");
    const started = (): Gathered => ({ path: whole, texts: new Map(), line });
    if (STATEMENTS[path.at(-2) ?? ""] === name) {
      this.#part = {
        path: whole,
        name: null,
        fileLine: line,
        lines: [],
        balances: new Map<string, bigint[]>(),
        isReport: name !== "Stmt",
        message: path.at(-2)!,
      };
      this.#parts.push(this.#part);
    }
    if (name === "Bal" && this.#isInPart(path)) this.#balance = started();
    if (name === "Ntry" && this.#isInPart(path)) {
      this.#entry = started();
      this.#details = [];
    }
    if (name === "TxDtls") this.#detail = started();
    const currency = attributes["Ccy"];
    if (this.#detail && currency !== undefined && currency !== "INR") this.#foreign = whole;
    const isOfMoney = whole === `${this.#entry?.path}/Amt` || whole === `${this.#balance?.path}/Amt`;
    if (isOfMoney && currency !== "INR")
      this.#problems.add(line, "Amt", `the currency is ${currency ?? "missing"}, not INR.`);
  }

  text(path: readonly string[], written: string): void {
    if (written.trim() === "" || path.join("/") === this.#foreign) return;
    const gathered = this.#detail ?? this.#entry ?? this.#balance;
    if (gathered) {
      const below = path.join("/").slice(gathered.path.length + 1);
      const earlier = gathered.texts.get(below);
      if (earlier) earlier.push(written.trim());
      else gathered.texts.set(below, [written.trim()]);
    } else if (/^\/Acct\/Id\/(?:IBAN|Othr\/Id)$/.test(this.#below(path))) this.#account.see(written);
    else if (this.#below(path) === "/Id") this.#addName(written);
    else if (/^\/\w+Pgntn\/PgNb$/.test(this.#below(path))) this.#addName(`page ${written.trim()}`);
    else if (this.#below(path) === "/Acct/Ccy" && written.trim() !== "INR") this.#refuseAccountCurrency(written.trim());
  }

  /** Refuses an element of a statement that has both a text and elements: one of the two would be lost. */
  refuseMixed(path: readonly string[], written: string, line: number): void {
    if (written.trim() === "" || this.#below(path) === "" || path.includes("SplmtryData")) return;
    this.#problems.add(line, path.at(-1)!, "it has elements inside its text. Download the statement again.");
  }

  #addName(written: string): void {
    const part = this.#part!;
    part.name = part.name === null ? written.trim() : `${part.name}, ${written.trim()}`;
  }

  #refuseAccountCurrency(written: string): void {
    this.#problems.add(this.#part!.fileLine, "Acct/Ccy", `the account's currency is ${written}, not INR.`);
  }

  close(path: readonly string[]): void {
    const whole = path.join("/");
    if (whole === this.#foreign) this.#foreign = null;
    if (whole === this.#detail?.path) {
      const { texts, line } = this.#detail;
      if (this.#entry && isBooked(this.#entry.texts)) addOddAmounts(texts, line, "TxDtls", this.#problems);
      this.#details.push(texts);
      this.#detail = null;
    } else if (whole === this.#entry?.path) {
      this.#addEntry(this.#entry);
      this.#entry = null;
    } else if (whole === this.#balance?.path) {
      this.#addBalance(this.#balance);
      this.#balance = null;
    } else if (whole === this.#part?.path) this.#part = null;
  }

  finish(): ReadStatement {
    this.#problems.refuse();
    if (this.#parts.length === 0)
      throw unreadable("The file is XML, but not a statement (camt.053).", "Choose another file.");
    const parts = inSequence(
      this.#parts.map((part) => balanced(part, this.#problems)),
      this.#problems,
      "Bal",
    );
    this.#problems.refuse();
    return {
      format: "camt053",
      layout: this.#parts[0]!.message,
      lines: parts.flatMap(({ lines }) => lines),
      notBookedCount: this.#notBookedCount,
      openingPaise: parts[0]!.openingPaise,
      closingPaise: parts.at(-1)!.closingPaise,
      mapping: null,
      dateOrder: null,
    };
  }

  #isInPart(path: readonly string[]): boolean {
    return this.#part !== null && path.slice(0, -1).join("/") === this.#part.path;
  }

  /** A path relative to the statement; empty outside a statement. */
  #below(path: readonly string[]): string {
    const whole = path.join("/");
    return this.#part && whole.startsWith(`${this.#part.path}/`) ? whole.slice(this.#part.path.length) : "";
  }

  #addBalance({ texts, line }: Gathered): void {
    const code = first(texts, "Tp/CdOrPrtry/Cd") || first(texts, "Tp/CdOrPrtry/Prtry");
    if (!BOOKED_BALANCES.has(code)) return;
    const paise = readXmlAmount(first(texts, "Amt"));
    if (paise === null) return this.#problems.add(line, "Bal/Amt", oddAmount(first(texts, "Amt")));
    const side = sideOf(first(texts, "CdtDbtInd"));
    // A balance of 0.00 has no side.
    if (side === null && paise !== 0n)
      return this.#problems.add(line, "Bal/CdtDbtInd", "the balance is neither a credit nor a debit.");
    const balance = side === "out" ? -paise : paise;
    const { balances } = this.#part!;
    const earlier = balances.get(code);
    if (earlier) earlier.push(balance);
    else balances.set(code, [balance]);
  }

  #addEntry({ texts, line }: Gathered): void {
    if (!isBooked(texts)) {
      this.#notBookedCount += 1;
      return;
    }
    const lines = linesOfEntry({ texts, details: this.#details, fileLine: line }, this.#problems);
    this.#part!.lines.push(...lines);
    this.#lineCount += lines.length;
    refuseTooMany(this.#lineCount);
  }
}

/** Booked balances: opening, previous closing, closing, and interim. */
const BOOKED_BALANCES = new Set(["OPBD", "PRCD", "CLBD", "ITBD"]);

/**
 * A statement with its balances. It begins with OPBD or PRCD, the closing balance of the statement before; if it has both, they
 * must be equal. Pages of a long statement begin or end with ITBD.
 */
function balanced({ name, fileLine, lines, balances, isReport }: OpenPart, problems: Problems): StatementPart {
  const [openings, previous, closings, interim] = ["OPBD", "PRCD", "CLBD", "ITBD"].map(
    (code) => balances.get(code) ?? [],
  ) as [bigint[], bigint[], bigint[], bigint[]];
  if (openings.length > 0 && previous.length > 0 && openings[0] !== previous[0])
    problems.add(fileLine, "Bal", "the opening balance (OPBD) differs from the previous closing balance (PRCD).");
  // A report during the day may contain only its newest lines.
  if (isReport && closings.length === 0) return { name, fileLine, lines, openingPaise: null, closingPaise: null };
  const begins = [...openings, ...previous];
  const [opening] = [...begins, ...(closings.length > 0 || interim.length > 1 ? interim : [])];
  const closing = [...(begins.length > 0 || interim.length > 1 ? interim : []), ...closings].at(-1);
  const moved = lines.reduce((sum, line) => sum + signed(line), 0n);
  if (opening !== undefined && closing !== undefined && opening + moved !== closing) {
    problems.add(fileLine, "Bal", "opening balance and lines do not add up to the closing balance.");
  }
  return { name, fileLine, lines, openingPaise: opening ?? null, closingPaise: closing ?? null };
}
