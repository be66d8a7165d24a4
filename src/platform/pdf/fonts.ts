// The fonts of documents, and which characters they lack. How a document uses them is in templates/parts.typ.
import { create } from "fontkitten";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
/**
 * Noto has a family for each script, three for symbols such as ✓, → and ≥, and one for emoji; the first has Latin and
 * Devanagari. Chinese, Japanese and Korean would take 200 MB in three families: docs/invoicing.md. The machine's fonts
 * are never used, so that documents are the same everywhere.
 */
const FONT_PACKAGES = [
  require.resolve("@expo-google-fonts/noto-sans/package.json"),
  require.resolve("@expo-google-fonts/noto-emoji/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-arabic/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-bengali/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-gujarati/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-gurmukhi/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-kannada/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-malayalam/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-math/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-meetei-mayek/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-ol-chiki/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-oriya/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-symbols/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-symbols-2/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-tamil/package.json"),
  require.resolve("@expo-google-fonts/noto-sans-telugu/package.json"),
];
const REGULAR = "400Regular";
const BOLD = "700Bold";

/** Folders of font files. Some symbol families have no bold. */
export const FONT_DIRS: readonly string[] = FONT_PACKAGES.flatMap((file) =>
  [REGULAR, BOLD].map((weight) => join(dirname(file), weight)).filter((folder) => existsSync(folder)),
);

/** A family used for symbols only: its Arabic letters do not join. */
const ONLY_SIGNS = "noto-sans-math";
const SIGN = /\p{Sm}/u;
/** Characters without a glyph: spaces and control characters. */
const UNSEEN = "\\s\\p{C}\\p{Default_Ignorable_Code_Point}";

let missing: RegExp | null = null;

/** Matches characters that no font has. Built from the fonts on first use, in about ten milliseconds. */
function missingLetter(): RegExp {
  missing ??= new RegExp(`[^${UNSEEN}${[...printableLetters()].map(inPattern).join("")}]`, "gu");
  return missing;
}

/** All code points of the fonts. */
function printableLetters(): ReadonlySet<number> {
  const letters = new Set<number>();
  for (const folder of FONT_DIRS.filter((each) => each.endsWith(REGULAR))) {
    const name = readdirSync(folder).find((file) => file.endsWith(".ttf"))!;
    const font = create(readFileSync(join(folder, name)));
    if (!("characterSet" in font)) throw new Error(`${name} is no single font`);
    for (const letter of font.characterSet) {
      if (!folder.includes(ONLY_SIGNS) || SIGN.test(String.fromCodePoint(letter))) letters.add(letter);
    }
  }
  return letters;
}

function inPattern(letter: number): string {
  return `\\u{${letter.toString(16)}}`;
}

/**
 * The characters of a text that no font has, each once: they are printed as an empty box. Missing scripts include
 * Chinese, Japanese, Korean and Thai.
 */
export function unprintableLetters(text: string): string {
  const found = new Set(text.match(missingLetter()));
  // A composed character can be printed by its parts.
  return [...found].filter((letter) => letter.normalize("NFD").search(missingLetter()) !== -1).join("");
}
