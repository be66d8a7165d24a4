// References in a text: links, citations of rules, paths and names of files.
import { dirname, join, normalize } from "node:path";

export type TextFile = { readonly path: string; readonly text: string };

/** The possible targets. Paths are relative to the repository. */
export type Place = {
  readonly exists: (path: string) => boolean;
  /** Names of files, without their folders. */
  readonly fileNames: ReadonlySet<string>;
  readonly anchorsOf: (path: string) => ReadonlySet<string>;
};

const FENCED = /^(```|~~~)[\s\S]*?^\1/gm;
const LINK = /\]\(([^()\s]+)\)/g;
/** Of a file in one of the folders of the repository, where the text is not part of a longer path or an address. */
const PATH =
  /(?<![\w./@-])(?:src|test|schema|docs|bench|scripts|templates|dashboard|bin)\/[\w./-]*\w\.(?:tsx?|mjs|js|sql|md|json|css|typ)\b(?:#[\w-]+)?/g;
/** Of a file, by its name alone. */
const FILE_NAME = /(?<![\w./@*-])[a-z0-9_]+(?:[-.][a-z0-9_]+)*\.(?:ts|tsx|sql)\b(?![\w*])/g;
const DOCUMENT = /(?<![\w./@*-])[\w/-]+\.md\b/g;
/** Words for documents that a reader of the repository doesn't have. */
const FOREIGN = /\bthe spec(?:ification)?\b|\bgroup [AB]\b|\bdecisions? [0-9]+\b|\bsections? [0-9.]+ and\b/gi;

/** A name of the code, the database, the API or the configuration, alone between backticks. */
const NAME = /`([a-z]+(?:[A-Z][a-z0-9]*)+|[a-z]+(?:_[a-z0-9]+)+|[A-Z]+(?:_[A-Z]+)+)(?:\([^`]*\))?`/g;

/** The anchors that GitHub gives to the headings of a page, in order. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of page.replace(FENCED, "").matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const text = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = text.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-");
    let free = anchor;
    for (let count = 1; anchors.has(free); count += 1) free = `${anchor}-${count}`;
    anchors.add(free);
  }
  return anchors;
}

/** The comments of a source file and the names of its tests, a line each. */
export function commentsOf(path: string, source: string): string {
  const start = path.endsWith(".sql")
    ? /(?:^|\s)--\s(.*)$/
    : /(?:^\s*\*|(?:^|\s)\/\/|\/\*\*?|^\s*(?:test|describe)(?:\.each\(.*\))?\()\s?(.*)$/;
  return source
    .split("\n")
    .flatMap((line) => start.exec(line)?.[1] ?? [])
    .join("\n");
}

/** The links of a page to files or headings that are not there. */
export function findBrokenLinks({ path, text }: TextFile, place: Place): string[] {
  const links = [...text.replace(FENCED, "").matchAll(LINK)].map(([, target]) => target!);
  const isBroken = (link: string): boolean => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file, anchor] = link.split("#") as [string, string | undefined];
    const target = file === "" ? path : normalize(join(dirname(path), file));
    if (!place.exists(target)) return true;
    return anchor !== undefined && target.endsWith(".md") && !place.anchorsOf(target).has(anchor);
  };
  return links.filter(isBroken).map((link) => `${path}: ${link}`);
}

/** The paths, cited rules and names of files in a text that are not there. */
export function findBrokenPointers({ path, text }: TextFile, place: Place): string[] {
  const paths = [...text.matchAll(PATH)].map(([found]) => found);
  const isBroken = (pointer: string): boolean => {
    const [file, anchor] = pointer.split("#") as [string, string | undefined];
    if (!place.exists(file)) return true;
    return anchor !== undefined && file.endsWith(".md") && !place.anchorsOf(file).has(anchor);
  };
  const names = [...text.matchAll(FILE_NAME)].map(([found]) => found).filter((name) => !place.fileNames.has(name));
  return [...paths.filter(isBroken), ...names].map((pointer) => `${path}: ${pointer}`);
}

/** The names between backticks in a page that no source has. */
export function findUnknownNames({ path, text }: TextFile, known: ReadonlySet<string>): string[] {
  const names = [...text.replace(FENCED, "").matchAll(NAME)].map(([, name]) => name!);
  return names.filter((name) => !known.has(name)).map((name) => `${path}: ${name}`);
}

/** What a text cites that is not in the repository. */
export function findForeignDocuments({ path, text }: TextFile, place: Place): string[] {
  const documents = [...text.matchAll(DOCUMENT)].map(([found]) => found);
  const missing = documents.filter((each) => !place.exists(each) && !place.exists(join(dirname(path), each)));
  const words = [...text.matchAll(FOREIGN)].map(([found]) => found);
  return [...missing, ...words].map((each) => `${path}: ${each}`);
}
