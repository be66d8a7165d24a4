// The contract table of a provider (docs/providers/): parses it, and finds what a source file or an answer uses beyond it.
import ts from "typescript";

/** One fact: a row of the table. A cell of `-` is null. */
export type Fact = {
  readonly call: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly fields: string;
  readonly source: string;
};

/** An answer of a provider or its stand-in, with the path that was called. */
export type SeenAnswer = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
};

const HEADING = "| Method and path | Status | Code | Fields | Source |";
/** Rows that hold for every path of the provider, and those of its webhooks. */
const ANY = "any";
const WEBHOOK = "webhook";
/** A word that has the form of a provider's: a code, a status or a field. */
const PROTOCOL_WORD = /^(?=.*[A-Za-z])(?:[A-Za-z0-9]+(?:[._[\]]+[A-Za-z0-9]+)+|[A-Z]{3,}|[a-z]{3,})$/;

export class Contract {
  readonly facts: readonly Fact[];
  /** Fields by the words of their cells. */
  readonly #fields: ReadonlySet<string>;
  readonly #codes: ReadonlySet<string>;

  /** @throws Error for a row that is no fact, repeats another one, or names a source that the page does not define */
  constructor(page: string) {
    this.facts = readFacts(page);
    this.#fields = new Set(this.facts.flatMap(({ fields }) => wordsOf(fields)));
    this.#codes = new Set(this.facts.flatMap(({ code }) => code ?? []));
  }

  hasCall(method: string, path: string): boolean {
    return this.facts.some(({ call }) => isCall(call, method, path));
  }

  /** Whether a word is a code, a field or a part of a path of the table. */
  knows(word: string): boolean {
    return this.#codes.has(word) || this.#fields.has(word) || this.#isOfPath(word);
  }

  hasStatus(status: number): boolean {
    return this.facts.some((fact) => fact.status === status);
  }

  /** The parts of an answer that the table lacks: the path, its status, the error's code, a member, or a member's value. */
  lacksOf({ method, path, status, body }: SeenAnswer): string[] {
    const place = `${method} ${path} ${status}`;
    if (!this.hasCall(method, path)) return [`${place}: no such path`];
    const isOf = (fact: Fact): boolean => fact.call === ANY || isCall(fact.call, method, path);
    if (!this.facts.some((fact) => isOf(fact) && fact.status === status)) return [`${place}: no such status`];
    const here = (fact: Fact): boolean => isOf(fact) && fact.status === status;
    return this.#lacksOfMembers(place, body, status >= 400 ? here : () => true);
  }

  /** The same of a webhook's body. */
  lacksOfWebhook(body: unknown): string[] {
    const type = (body as { type?: unknown; event?: unknown }).type ?? (body as { event?: unknown }).event;
    const isKnown = this.facts.some(({ call, code }) => call === WEBHOOK && code === type);
    return [
      ...(isKnown ? [] : [`webhook: no such event: ${String(type)}`]),
      ...this.#lacksOfMembers("webhook", body, () => true),
    ];
  }

  #lacksOfMembers(place: string, body: unknown, isFact: (fact: Fact) => boolean): string[] {
    const lacks: string[] = [];
    for (const [name, value] of membersOf(body)) {
      if (!this.#fields.has(name)) lacks.push(`${place}: no such member: ${name}`);
      if (typeof value !== "string" || !this.#isValued(name)) continue;
      const isKnown = this.facts.some(
        (fact) => isFact(fact) && isValue(fact, value) && wordsOf(fact.fields).includes(name),
      );
      if (!isKnown) lacks.push(`${place}: no such ${name}: ${value}`);
    }
    return lacks;
  }

  /** Whether the table lists what a member may be. */
  #isValued(name: string): boolean {
    return this.facts.some(({ code, fields }) => code !== null && firstOf(fields) === name);
  }

  #isOfPath(word: string): boolean {
    return this.facts.some(({ call }) => call.split(/[ /]/).includes(word));
  }
}

/**
 * The words and statuses of a source file that a contract lacks, as `line: word`. Texts are looked at whole, and pieces of
 * templates; sentences are none of a protocol, and neither are names of modules.
 * @param own words that are ours, such as names of our own statuses
 */
export function findUncontracted(contract: Contract, text: string, own: ReadonlySet<string>): string[] {
  const file = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const note = (node: ts.Node, word: string): void => {
    if (contract.knows(word) || own.has(word) || found.some((each) => each.endsWith(`: ${word}`))) return;
    found.push(`${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${word}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    for (const text of textsOf(node)) {
      // A piece of a template begins or ends with what joins it to the next.
      const word = text.replaceAll(/^[._[\]]+|[._[\]]+$/g, "");
      if (word.startsWith("/")) lookAtPath(contract, word, (path) => note(node, path));
      else if (PROTOCOL_WORD.test(word)) note(node, word);
    }
    const status = ts.isNumericLiteral(node) ? Number(node.text) : 0;
    if (status >= 200 && status <= 599 && !contract.hasStatus(status)) note(node, String(status));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The texts at a node itself: of a literal, of a piece of a template, or of a member's name. */
function textsOf(node: ts.Node): string[] {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].map((piece) => piece.trim());
  const name = ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node) ? node.name : null;
  if (name && ts.isIdentifier(name) && /[A-Z_]{3}|_/.test(name.text)) return [name.text];
  if (ts.isPropertyAccessExpression(node) && /^[a-z0-9]+_/.test(node.name.text)) return [node.name.text];
  return [];
}

/** A path exists if its segments follow each other in one of the table. */
function lookAtPath(contract: Contract, path: string, note: (path: string) => void): void {
  const wanted = `${path.replace(/\/$/, "")}/`;
  if (!contract.facts.some(({ call }) => `${call.split(" ")[1] ?? ""}/`.includes(wanted))) note(path);
}

function readFacts(page: string): Fact[] {
  const sources = new Set([...page.matchAll(/^\[([^\]]+)\]: \S+/gm)].map(([, name]) => name!));
  const facts: Fact[] = [];
  const seen = new Set<string>();
  let isTable = false;
  for (const [place, line] of page.split("\n").entries()) {
    if (line === HEADING) isTable = true;
    else if (!line.startsWith("|")) isTable = false;
    else if (!isTable) throw new Error(`line ${place + 1}: a table has the columns ${HEADING}`);
    else if (!/^\|[-|]+\|$/.test(line)) {
      const fact = readFact(line, sources, place + 1);
      const name = JSON.stringify([
        fact.call,
        fact.status,
        fact.code,
        fact.code === null ? fact.fields : firstOf(fact.fields),
      ]);
      if (seen.has(name)) throw new Error(`line ${place + 1}: repeats a fact`);
      seen.add(name);
      facts.push(fact);
    }
  }
  return facts;
}

function readFact(line: string, sources: ReadonlySet<string>, place: number): Fact {
  const cells = line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
  const [call = "", status = "", code = "", fields = "", source = ""] = cells;
  const wrong = (what: string): never => {
    throw new Error(`line ${place}: ${what}`);
  };
  if (cells.length !== 5) wrong("has not five cells");
  if (call !== ANY && call !== WEBHOOK && !/^(GET|POST|PUT|PATCH|DELETE) \/\S+$/.test(call))
    wrong(`is no call: ${call}`);
  if (status !== "-" && !/^[2-5][0-9]{2}$/.test(status)) wrong(`is no status: ${status}`);
  const named = [...source.matchAll(/\[([^\]]+)\]/g)].map(([, name]) => name!);
  if (named.length === 0) wrong("has no source");
  const unknown = named.find((name) => !sources.has(name));
  if (unknown !== undefined) wrong(`has a source that is not defined: ${unknown}`);
  return {
    call,
    status: status === "-" ? null : Number(status),
    code: code === "-" ? null : code,
    fields,
    source,
  };
}

/** A code may contain the position of an item, which differs in each answer. */
function isValue({ code }: Fact, value: string): boolean {
  return code !== null && code.replaceAll(/\[[0-9]+\]/g, "[]") === value.replaceAll(/\[[0-9]+\]/g, "[]");
}

function isCall(call: string, method: string, path: string): boolean {
  const [wanted, form = ""] = call.split(" ");
  const pattern = form.replaceAll(/[.]/g, "\\.").replaceAll(/:[a-z_]+/g, "[^/]+");
  return wanted === method && new RegExp(`^${pattern}$`).test(path);
}

function firstOf(fields: string): string {
  return wordsOf(fields)[0] ?? "";
}

function wordsOf(fields: string): string[] {
  return fields.match(/[A-Za-z0-9_-]+/g) ?? [];
}

/** Members whose own members are the caller's. */
const OPEN_MEMBERS = new Set(["notes", "metadata", "order_tags", "link_notes"]);

/** The members of a JSON value and of what is in it. */
function membersOf(value: unknown): [string, unknown][] {
  if (Array.isArray(value)) return value.flatMap(membersOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    [name, member] as [string, unknown],
    ...(OPEN_MEMBERS.has(name) ? [] : membersOf(member)),
  ]);
}
