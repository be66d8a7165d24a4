// Regular expressions of the server: none takes more than its share of time, whatever text it is given.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { listFiles, REPOSITORY } from "./support/files.ts";

const LENGTH = 20_000;
const many = (text: string): string => text.repeat(LENGTH / text.length);

/**
 * Each expression that repeats what is repeated, as it stands in the source, with texts that it refuses at their very end.
 * Could its parts share a text in many ways, it would try them all, which no test would live to see.
 */
const TRIED: Readonly<Record<string, readonly string[]>> = {
  [String.raw`/(\[[0-9]+\])+$/`]: [`${many("[1]")}!`, `${many("[11111111]")}!`, `[${many("1")}!`],
  [String.raw`/^(?:[ \t]*\n)+/`]: [`${many(" ")}!`, `${many("\t ")}!`],
  [String.raw`/^(?:<\?xml[^>]*>|<!--[^>]*>|\s)*<(?:!doctype\s+html|html|head|body|title|meta|style|script|table|div|center|form)\b/i`]:
    [`${many("<!--a>")}!`, `${many(" ")}!`, `<?xml${many(" ")}`, `${many("<?xml>")}<x`],
  [String.raw`/^[\x21-\x7e]+( +[\x21-\x7e]+)*$/`]: [`${many("a ")}\n`, `${many("a")}\n`, `a${many(" ")}\n`],
  [String.raw`/^\uFEFF?\s*(<\?xml\s[^>]*\?>\s*)?(<!--((?!-->)[^])*-->\s*|<!DOCTYPE\s[^>[]*>\s*)*<(\w+:)?svg[\s>]/i`]: [
    `${many("<!---->")}!`,
    `${many("<!-- --> ")}!`,
    `${many("<!DOCTYPE a> ")}!`,
    `<!--${many("-")}!`,
  ],
};

/** The regular expressions of a source file, as they are written. */
function expressionsOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Whether a group that may be repeated without end holds something that may be, too. */
function isNested(expression: string): boolean {
  const bare = expression.replaceAll(/\\./g, "e").replaceAll(/\[(?:[^\]])*\]/g, "c");
  const open: { unbounded: boolean }[] = [{ unbounded: false }];
  for (let at = 0; at < bare.length; at += 1) {
    if (bare[at] === "(") open.push({ unbounded: false });
    const isEnd = bare[at] === ")";
    const inner = isEnd ? open.pop()! : null;
    const isRepeated = /^(?:[*+]|\{\d+,\})/.test(bare.slice(at + 1));
    if (inner?.unbounded && isRepeated) return true;
    if (isRepeated || inner?.unbounded) open.at(-1)!.unbounded = true;
  }
  return false;
}

test.each([
  ["/(a+)+$/", true],
  ["/((ab)*c)*/", true],
  ["/(a|b+)*$/", true],
  ["/(?:a{2,})+/", true],
  ["/(a{0,9})+/", false],
  ["/[(a+)]+b*/", false],
  ["/\\(a+\\)+/", false],
  ["/(a+)b/", false],
])("%s is found: %s", (expression, nested) => expect(isNested(expression)).toBe(nested));

describe("in the repository", () => {
  const paths = listFiles(join(REPOSITORY, "src"), ".ts").filter(
    (path) => !/(\.test|\/test-[^/]+|\/testing)\.ts$/.test(path),
  );
  const nested = paths.flatMap((path) => expressionsOf(path).filter(isNested));

  test("each that repeats what is repeated is among the tried ones, and no other", () => {
    expect(nested.toSorted()).toEqual(Object.keys(TRIED).toSorted());
  });

  test.each(Object.entries(TRIED))("%s comes to an end", (expression, texts) => {
    const [, source, flags] = /^\/(.*)\/([a-z]*)$/.exec(expression)!;
    for (const text of texts) expect(new RegExp(source!, flags).test(text)).toBe(false);
  });
});
