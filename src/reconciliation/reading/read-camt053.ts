// One question: which lines a statement in ISO 20022's camt.053 has. It is read as it streams by, never as one tree.
import { setImmediate as nextTurn } from "node:timers/promises";
import { SaxesParser } from "saxes";
import { Problems, refuseTooMany, unreadable, type ReadLine, type ReadStatement, type Side } from "./statement.ts";
import { readDay, readPlainAmount } from "./values.ts";

/** What is read before other work gets its turn. */
const PIECE_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 40;

/** Texts of an element's descendants, by their path below it; several of one path are in order. */
type Texts = Map<string, string[]>;
type Gathered = { readonly path: string; readonly texts: Texts; readonly line: number };

/**
 * Reads the statements of one account. What is not booked yet is left out; an entry of several payments is a line for each.
 * @throws NodalError `validation_failed`
 */
export async function readCamt053(text: string): Promise<ReadStatement> {
  const reader = new Reader();
  const parser = new SaxesParser({ xmlns: false });
  const path: string[] = [];
  let failure: Error | null = null;
  parser.on("error", (error) => (failure ??= error));
  parser.on("doctype", () => (failure ??= new Error("it has a document type, which no statement has")));
  parser.on("opentag", ({ name, attributes }) => {
    path.push(localName(name));
    if (path.length > MAX_DEPTH) failure ??= new Error("its elements are too deep");
    reader.open(path, attributes, parser.line);
  });
  parser.on("text", (written) => reader.text(path, written));
  parser.on("cdata", (written) => reader.text(path, written));
  parser.on("closetag", () => {
    reader.close(path);
    path.pop();
  });
  for (let from = 0; from < text.length && !failure; from += PIECE_CHARACTERS) {
    parser.write(text.slice(from, from + PIECE_CHARACTERS));
    await nextTurn();
  }
  if (!failure) parser.close();
  // TypeScript does not see that listeners set it.
  const broken = failure as Error | null;
  if (broken) throw unreadable(`The file is no sound XML: ${broken.message}.`, "Download the statement again.");
  return reader.finish();
}

/** An element's name without its namespace's prefix. */
function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

class Reader {
  readonly #lines: ReadLine[] = [];
  readonly #problems = new Problems();
  #openingPaise: bigint | null = null;
  #closingPaise: bigint | null = null;
  #movedPaise = 0n;
  #balance: Gathered | null = null;
  #entry: Gathered | null = null;
  #details: Texts[] = [];
  #detail: Gathered | null = null;
  #hasStatement = false;

  open(path: readonly string[], attributes: Readonly<Record<string, string>>, line: number): void {
    const name = path.at(-1);
    const whole = path.join("/");
    if (name === "Stmt" && path.at(-2) === "BkToCstmrStmt") this.#hasStatement = true;
    if (name === "Bal" && path.at(-2) === "Stmt") this.#balance = { path: whole, texts: new Map(), line };
    if (name === "Ntry") {
      this.#entry = { path: whole, texts: new Map(), line };
      this.#details = [];
    }
    if (name === "TxDtls") this.#detail = { path: whole, texts: new Map(), line };
    const currency = attributes["Ccy"];
    const isOfMoney = whole === `${this.#entry?.path}/Amt` || whole === `${this.#balance?.path}/Amt`;
    if (isOfMoney && currency !== "INR")
      this.#problems.add(line, "Amt", `the currency is ${currency ?? "missing"}, not INR.`);
  }

  text(path: readonly string[], written: string): void {
    if (written.trim() === "") return;
    const gathered = this.#detail ?? this.#entry ?? this.#balance;
    if (!gathered) return;
    const below = path.join("/").slice(gathered.path.length + 1);
    const earlier = gathered.texts.get(below);
    if (earlier) earlier.push(written.trim());
    else gathered.texts.set(below, [written.trim()]);
  }

  close(path: readonly string[]): void {
    const whole = path.join("/");
    if (whole === this.#detail?.path) {
      this.#details.push(this.#detail.texts);
      this.#detail = null;
    } else if (whole === this.#entry?.path) {
      this.#addEntry(this.#entry);
      this.#entry = null;
    } else if (whole === this.#balance?.path) {
      this.#addBalance(this.#balance);
      this.#balance = null;
    }
  }

  finish(): ReadStatement {
    this.#problems.refuse();
    if (!this.#hasStatement) throw unreadable("The file is XML, but no statement (camt.053).", "Choose another file.");
    const [openingPaise, closingPaise] = [this.#openingPaise, this.#closingPaise];
    if (openingPaise !== null && closingPaise !== null && openingPaise + this.#movedPaise !== closingPaise) {
      throw unreadable(
        "Opening balance and lines do not add up to the closing balance.",
        "Download the whole statement.",
      );
    }
    refuseTooMany(this.#lines.length);
    return { format: "camt053", lines: this.#lines, openingPaise, closingPaise, mapping: null, dateOrder: null };
  }

  #addBalance({ texts, line }: Gathered): void {
    const code = first(texts, "Tp/CdOrPrtry/Cd");
    const paise = readPlainAmount(first(texts, "Amt"));
    if (code !== "OPBD" && code !== "CLBD") return;
    if (paise === null) return this.#problems.add(line, "Bal/Amt", `“${first(texts, "Amt")}” is no amount.`);
    const signed = first(texts, "CdtDbtInd") === "DBIT" ? -paise : paise;
    if (code === "CLBD") this.#closingPaise = signed;
    else this.#openingPaise ??= signed;
  }

  #addEntry({ texts, line }: Gathered): void {
    const status = first(texts, "Sts/Cd") || first(texts, "Sts");
    if (status !== "" && status !== "BOOK") return;
    const paise = readPlainAmount(first(texts, "Amt"));
    const day = readDay(first(texts, "BookgDt/Dt") || first(texts, "BookgDt/DtTm") || first(texts, "ValDt/Dt"));
    const side = sideOf(first(texts, "CdtDbtInd"));
    if (!paise) return this.#problems.add(line, "Ntry/Amt", `“${first(texts, "Amt")}” is no amount above 0.`);
    if (!side) return this.#problems.add(line, "Ntry/CdtDbtInd", "the entry is neither a credit nor a debit.");
    if (!day) return this.#problems.add(line, "Ntry/BookgDt", "the entry has no date.");
    this.#movedPaise += side === "in" ? paise : -paise;
    const common = { fileLine: line, bookedOn: day, balancePaise: null };
    const parts =
      this.#details.length > 1 ? this.#details.map((detail) => ({ detail, paise: detailAmount(detail) })) : [];
    if (parts.some((part) => part.paise === null) || parts.length === 0) {
      const detail: Texts = this.#details.length === 1 ? this.#details[0]! : new Map();
      this.#lines.push({ ...common, side, amountPaise: paise, ...describe(detail, texts) });
      return;
    }
    const signed = parts.map((part) => {
      const own = sideOf(first(part.detail, "CdtDbtInd")) ?? side;
      return { own, detail: part.detail, amountPaise: part.paise! };
    });
    const sum = signed.reduce((total, part) => total + (part.own === side ? part.amountPaise : -part.amountPaise), 0n);
    if (sum !== paise)
      return this.#problems.add(line, "Ntry/NtryDtls", "its payments do not add up to the entry's amount.");
    for (const { own, detail, amountPaise } of signed) {
      this.#lines.push({ ...common, side: own, amountPaise, ...describe(detail, texts) });
    }
  }
}

function first(texts: Texts, path: string): string {
  return texts.get(path)?.[0] ?? "";
}

function sideOf(indicator: string): Side | null {
  return indicator === "CRDT" ? "in" : indicator === "DBIT" ? "out" : null;
}

function detailAmount(detail: Texts): bigint | null {
  return readPlainAmount(first(detail, "AmtDtls/TxAmt/Amt") || first(detail, "Amt"));
}

/** Reference and narration of a payment, or of the entry where the payment has none. */
function describe(detail: Texts, entry: Texts): { reference: string | null; narration: string } {
  const references = ["Refs/AcctSvcrRef", "Refs/TxId", "Refs/EndToEndId", "Refs/InstrId", "Refs/UETR"].map((path) =>
    first(detail, path),
  );
  const entryReferences = [first(entry, "AcctSvcrRef"), first(entry, "NtryRef")];
  const known = [...references, ...entryReferences].filter((text) => text !== "" && text !== "NOTPROVIDED");
  const said = [
    ...["RmtInf/Ustrd", "RmtInf/Strd/CdtrRefInf/Ref", "AddtlTxInf"].flatMap((path) => detail.get(path) ?? []),
    ...["RltdPties/Dbtr/Nm", "RltdPties/Dbtr/Pty/Nm", "RltdPties/Cdtr/Nm", "RltdPties/Cdtr/Pty/Nm"].flatMap(
      (path) => detail.get(path) ?? [],
    ),
    first(entry, "AddtlNtryInf"),
    // Further references are told, so that they are looked up as well.
    ...known.slice(1),
  ];
  return { reference: known[0] ?? null, narration: [...new Set(said.filter((text) => text !== ""))].join(" ") };
}
