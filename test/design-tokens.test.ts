// The tokens of the dashboard's look: pages and styles name them instead of values, and their colours have enough contrast.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { COLOUR, GREY, MARK } from "../web/src/app/tokens.ts";
import { listFiles, REPOSITORY } from "./support/files.ts";

const SOURCE = join(REPOSITORY, "web/src");
/** Where values get their names; the first colour of an invoice template. */
const FREE = /^web\/src\/(app\/(tokens|theme)\.ts|pages\/templates\/template-values\.ts)/;
/** Sizes of text, weights, corners and colours that are written out. `max(16px, 1rem)` is what phones ask of fields. */
const VALUES =
  /#[\da-f]{3,8}\b(?=["';\s])|\b(?:font-size|font-weight|border-radius): (?!0;|50%)[\d.]+\S*(?=;)|\b(?:fz|fw|lh)=\{[\d.]+\}|\bfz="(?!xs|sm|md|lg|xl)/gi;

function findValues(text: string): string[] {
  return text.match(VALUES) ?? [];
}

test("pages and styles name tokens", () => {
  const paths = [".css", ".tsx", ".ts"].flatMap((ending) => listFiles(SOURCE, ending));
  const checked = paths.filter((path) => !FREE.test(relative(REPOSITORY, path)));
  expect(checked.filter((path) => path.endsWith(".css")).length).toBeGreaterThan(8);
  const found = checked.flatMap((path) =>
    findValues(readFileSync(path, "utf8")).map((value) => `${relative(REPOSITORY, path)}: ${value}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ["a colour", "  color: #1c2127;"],
  ["a colour of a shape", '<rect fill="#fff" />'],
  ["a size of text", "  font-size: 0.8125rem;"],
  ["a weight", "  font-weight: 650;"],
  ["a corner", "  border-radius: 8px;"],
  ["a weight in a page", "<Text fw={600}>"],
])("%s that is written out is found", (_what, text) => expect(findValues(text)).toHaveLength(1));

test("the icon of the browser's tab is in the accent", () => {
  expect(readFileSync(join(SOURCE, "icon.svg"), "utf8")).toContain(`fill="${MARK}"`);
});

/** Relative luminance and contrast, as WCAG 2.2 defines them. */
function luminanceOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrastOf(one: string, other: string): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

describe.each([
  ["light", 0],
  ["dark", 1],
] as const)("contrast in the %s", (_mode, at) => {
  const colour = (name: keyof typeof COLOUR): string => COLOUR[name][at];

  test.each(["text", "dimmed", "placeholder", "link", "danger"] as const)("%s on pages and panels", (name) => {
    for (const ground of ["surface", "canvas"] as const) {
      expect(contrastOf(colour(name), colour(ground)), ground).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each(["success", "warning", "danger", "info", "neutral"] as const)("%s on its ground", (name) => {
    expect(contrastOf(colour(name), colour(`${name}-ground`))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(["edge", "series-0", "series-1", "series-2"] as const)("%s is seen on a panel", (name) => {
    expect(contrastOf(colour(name), colour("surface"))).toBeGreaterThanOrEqual(3);
  });
});

test("white on the accent, and the edge of a field as Mantine draws it", () => {
  expect(contrastOf("#ffffff", MARK)).toBeGreaterThanOrEqual(4.5);
  expect(contrastOf("#ffffff", GREY[4])).toBeGreaterThanOrEqual(3);
});
