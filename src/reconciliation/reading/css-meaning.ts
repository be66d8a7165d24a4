// The effect of a style on a text. Only properties known to have none are skipped: any other makes a page unclear, because it may
// hide, move or replace what people see. docs/rules/reconciliation.md#hidden-text
import { readColour, type Rgb } from "./css-colours.ts";
import type { Declaration } from "./css-sheet.ts";

/** The combined effect of the declarations of one rule or style. */
export type Meaning = {
  readonly hides: boolean;
  /** Whether it shows its element again inside a hidden one. */
  readonly shows: boolean;
  readonly color: Rgb | null;
  readonly background: Rgb | null;
  /** Why the text is not a plain part of an amount. */
  readonly odd: string | null;
  /** The font size relative to the surrounding one: a factor, or 0 if it doesn't depend on it. `null` if it is not set. */
  readonly scale: number | null;
  /** The opacity, from 0 to 1. */
  readonly opacity: number;
  /** A declaration that may change what people see, as `name: value`; `null` if there is none. */
  readonly unclear: string | null;
};

export const STRUCK_OUT = "struck out text";
export const OTHER_ORDER = "text in another order";

/** Properties that never change which text is seen. */
const HARMLESS = new RegExp(
  `^(?:${[
    "border(?:-(?:top|right|bottom|left|block|inline)(?:-(?:start|end))?)?(?:-(?:color|style))?",
    "border-(?:collapse|spacing)|(?:-webkit-|-moz-)?border(?:-(?:top|bottom)-?(?:left|right))?-radius(?:-[a-z]+)?",
    "font-(?:weight|style|stretch|kerning|optical-sizing|smooth)|-webkit-font-smoothing|-moz-osx-font-smoothing",
    "text-(?:align|align-last|justify|transform|overflow|rendering|wrap|autospace|underline-(?:style|offset|position))",
    "text-decoration-(?:color|style|thickness)|(?:-webkit-|-ms-|-moz-)?text-size-adjust",
    "white-space(?:-collapse)?|word-(?:wrap|break)|overflow-wrap|line-break|hyphens|tab-(?:size|interval|stops)|punctuation-wrap",
    "table-layout|empty-cells|caption-side|box-sizing|(?:min-|max-)?(?:width|height)|list-style(?:-type|-position)?",
    "page(?:-break-\\w+)?|break-\\w+|orphans|widows|size|cursor|pointer-events|resize|quotes|clear|z-index",
    "(?:-webkit-|-moz-|-ms-)?user-select|(?:-webkit-)?print-color-adjust|color-(?:adjust|scheme)",
    "(?:-webkit-|-moz-|-o-)?transition(?:-\\w+)*|-webkit-tap-highlight-color|-webkit-overflow-scrolling",
    "justify-content|align-(?:items|content|self)|flex(?:-(?:grow|shrink|basis|wrap|flow))?|(?:row-|column-)?gap",
    "ruby-align|layout-grid-mode|background-(?:repeat|position|size|attachment|origin)|--[\\w-]+|mso-(?!hide|number-format)[\\w-]+",
  ].join("|")})$`,
);
/** Values that have no effect in any property except a few. */
const NOTHING = /^(?:none|normal|auto|initial|inherit|unset|revert|0(?:px|pt|%)?)$/;
/** Properties in which such a value has an effect. */
const NEVER_NOTHING: ReadonlySet<string> = new Set([
  "display",
  "visibility",
  "all",
  "height",
  "color",
  "opacity",
  "zoom",
  "font-size",
  "line-height",
]);
/** Values that are computed elsewhere: a variable, a picture, a formula. */
const FUNCTION = /(?<![\w-])(?!(?:rgb|hsl)a?\()[a-z-]+\(/;
const SYMBOLS = /wingdings|webdings|symbol|dingbats|marlett/;
const PX: Readonly<Record<string, number>> = { px: 1, pt: 1.333, pc: 16, in: 96, cm: 37.8, mm: 3.78 };
/** Smaller text, in pixels or relative to the text around it, is not visible. */
export const LEAST_SIZE = { px: 4, scale: 0.3 } as const;
export const LEAST_OPACITY = 0.3;

/** Block elements. Others are parts of a line of text, where borders and blanks may cover their neighbours. */
const BOXES: ReadonlySet<string> = new Set(
  `html body div center form fieldset section article main header footer nav p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd hr pre blockquote address
  table caption colgroup col thead tbody tfoot tr td th *`.split(/\s+/),
);
const DISPLAYS: Readonly<Record<string, RegExp>> = {
  table: /^(?:table|inline-table|block)$/,
  tr: /^table-row$/,
  td: /^table-cell$/,
  th: /^table-cell$/,
  thead: /^table-(?:header|row)-group$/,
  tbody: /^table-row-group$/,
  tfoot: /^table-(?:footer|row)-group$/,
  col: /^table-column$/,
  colgroup: /^table-column-group$/,
  caption: /^table-caption$/,
};
const OTHER_DISPLAYS =
  /^(?:block|inline|inline-block|list-item|flex|inline-flex|flow-root|-webkit-box|-ms-flexbox|table|table-row|table-cell)$/;

/** The effect of declarations on text in an element of this name; `*` for any. */
export function meaningOf(declarations: readonly Declaration[], element: string): Meaning {
  const found = { hides: false, shows: false, opacity: 1 } as { -readonly [Name in keyof Meaning]: Meaning[Name] };
  Object.assign(found, { color: null, background: null, odd: null, scale: null, unclear: null });
  for (const declaration of declarations) {
    if (!settle(declaration, element, found))
      found.unclear ??= `${declaration.name}: ${declaration.value}`.slice(0, 60);
  }
  const clip = clippingOf(declarations, element);
  if (clip === "hides") found.hides = true;
  if (clip === "unclear") found.unclear ??= "overflow: hidden";
  return found;
}

type Found = { -readonly [Name in keyof Meaning]: Meaning[Name] };

/** Adds the effect of a declaration. Returns whether it is known. */
function settle({ name, value }: Declaration, element: string, found: Found): boolean {
  if (name.startsWith("--")) return true;
  if (name === "mso-number-format") return isPlainFormat(value);
  if (name === "mso-hide") {
    found.hides ||= value === "all" || value === "screen";
    return true;
  }
  if (FUNCTION.test(value)) return false;
  if (NOTHING.test(value) && !NEVER_NOTHING.has(name)) return true;
  if (HARMLESS.test(name)) return BOXES.has(element) || !name.startsWith("border") || lengthsIn(value, 3);
  const whole = name.replace(/^border-\w+-width$/, "border-width").replace(/-(?:top|right|bottom|left|x|y|line)$/, "");
  const reader = READERS[name] ?? READERS[whole];
  return reader !== undefined && reader(value, element, found);
}

type Reader = (value: string, element: string, found: Found) => boolean;
const only =
  (expression: RegExp): Reader =>
  (value) =>
    expression.test(value);

const READERS: Readonly<Record<string, Reader>> = {
  display: (value, element, found) => {
    found.hides ||= value === "none";
    found.shows ||= value !== "none";
    return value === "none" || element === "*" || (DISPLAYS[element] ?? OTHER_DISPLAYS).test(value);
  },
  visibility: (value, _element, found) => {
    found.hides ||= value === "hidden" || value === "collapse";
    found.shows ||= value === "visible";
    return /^(?:hidden|collapse|visible|inherit)$/.test(value);
  },
  opacity: (value, _element, found) => {
    const [, number, percent] = /^(\d*\.?\d+)(%?)$/.exec(value) ?? [];
    if (number === undefined) return value === "inherit" || value === "initial";
    found.opacity = Math.min(Number(number) / (percent === "%" ? 100 : 1), 1);
    found.hides ||= found.opacity < LEAST_OPACITY;
    return true;
  },
  color: (value, _element, found) => {
    if (/^(?:inherit|initial|unset|currentcolor)$/.test(value)) return true;
    found.color = readColour(value);
    return found.color !== null;
  },
  "background-color": (value, _element, found) => readBackground(value, found),
  background: (value, _element, found) => readBackground(value, found),
  "font-size": (value, _element, found) => readSize(value, found),
  font: (value, _element, found) => {
    if (/^(?:caption|icon|menu|message-box|small-caption|status-bar)$/.test(value)) return true;
    const size = /(?:^|\s)(\d*\.?\d+[a-z%]*|(?:x{0,2}-)?(?:small|large)|medium|smaller|larger)(?=[\s/]|$)/.exec(
      value.replace(/(?<![\w.])[1-9]00(?![\w%])/, "bold"),
    );
    return size !== null && !SYMBOLS.test(value) && readSize(size[1]!, found);
  },
  "font-family": (value) => !SYMBOLS.test(value),
  "font-variant": only(/^(?:small-caps|(?:tabular|lining|proportional)-nums)$/),
  "font-variant-numeric": only(/^(?:tabular|lining|proportional)-nums$/),
  "font-variant-caps": only(/^(?:all-)?small-caps$/),
  "line-height": (value) => {
    const [, number, unit] = /^(\d*\.?\d+)([a-z%]*)$/.exec(value) ?? [];
    if (number === undefined) return /^(?:normal|inherit|initial)$/.test(value);
    const least = unit === "" || unit === "em" || unit === "rem" ? 0.8 : unit === "%" ? 80 : 6 / (PX[unit!] ?? 0);
    return Number(number) >= least;
  },
  "letter-spacing": (value) => lengthsIn(value, 20, -0.5),
  "word-spacing": (value) => lengthsIn(value, 40, -0.5),
  "text-indent": (value) => lengthsIn(value, 200, 0),
  margin: (value) => lengthsIn(value, 2000, -2),
  padding: (value, element) => lengthsIn(value, BOXES.has(element) ? 2000 : 6, 0),
  outline: (value) => lengthsIn(value, 3, 0),
  "outline-color": () => true,
  "outline-style": () => true,
  "outline-width": (value) => lengthsIn(value, 3, 0),
  "border-width": (value, element) => BOXES.has(element) || lengthsIn(value, 3),
  overflow: only(/^(?:visible|auto|scroll|hidden|clip|inherit|initial)(?: (?:visible|auto|scroll|hidden|clip))?$/),
  position: only(/^(?:static|relative|inherit|initial)$/),
  float: (value, element) => element === "table" && /^(?:left|right)$/.test(value),
  direction: (value, _element, found) => {
    if (value !== "ltr") found.odd ??= OTHER_ORDER;
    return true;
  },
  "writing-mode": only(/^(?:lr|lr-tb|horizontal-tb)$/),
  "layout-flow": only(/^horizontal$/),
  "unicode-bidi": (value, _element, found) => {
    if (value.includes("override")) found.odd ??= OTHER_ORDER;
    return true;
  },
  "text-decoration": (value, _element, found) => {
    if (value.includes("line-through")) found.odd ??= STRUCK_OUT;
    return true;
  },
  "text-line-through": (_value, _element, found) => {
    found.odd ??= STRUCK_OUT;
    return true;
  },
  "vertical-align": (value, _element, found) => {
    if (!/^(?:top|middle|bottom|baseline|text-top|text-bottom|-webkit-baseline-middle)$/.test(value))
      found.odd ??= "raised or lowered text";
    return true;
  },
  zoom: only(/^(?:1|100%|normal|initial)$/),
  "font-feature-settings": only(/^(?:["'](?:kern|liga|tnum|lnum)["'](?: (?:1|on))?(?:, ?)?)+$/),
};

function readBackground(value: string, found: Found): boolean {
  for (const word of value.match(/[a-z]+a?\([^)]*\)|[^\s]+/g) ?? []) {
    if (
      /^(?:none|transparent|inherit|initial|repeat(?:-[xy])?|no-repeat|scroll|fixed|top|right|bottom|left|center|auto|\d+(?:px|%|pt)?|\/)$/.test(
        word,
      )
    )
      continue;
    found.background = readColour(word);
    if (found.background === null) return false;
  }
  return true;
}

function readSize(value: string, found: Found): boolean {
  const word: Readonly<Record<string, number>> = { smaller: 0.83, larger: 1.2, inherit: 1, unset: 1 };
  if (/^(?:(?:x{0,2}-)?(?:small|large)|xxx-large|medium|initial)$/.test(value)) found.scale = 0;
  else if (word[value] !== undefined) found.scale = word[value];
  else {
    const [, number, unit = ""] = /^(\d*\.?\d+)([a-z%]*)$/.exec(value) ?? [];
    const scaleOf: Readonly<Record<string, number>> = { em: 1, rem: 1, "%": 0.01, ex: 0.5, ch: 0.5 };
    if (number === undefined) return false;
    if (scaleOf[unit] !== undefined) found.scale = Math.max(Number(number) * scaleOf[unit], 0.001);
    else if (unit === "" || PX[unit] !== undefined) {
      found.scale = 0;
      found.hides ||= Number(number) * (PX[unit] ?? 1) < LEAST_SIZE.px;
    } else return false;
    found.hides ||= found.scale !== 0 && found.scale < LEAST_SIZE.scale;
  }
  return true;
}

/** Whether all lengths in a value are within a range of pixels; a negative percentage is checked like pixels. */
function lengthsIn(value: string, most: number, least = -most): boolean {
  return value.split(/[\s/]+/).every((part) => {
    const [, number, unit] = /^([-+]?\d*\.?\d+)([a-z%]*)$/.exec(part) ?? [];
    if (number === undefined) return !/\d.*(?:px|pt|em|%)/.test(part);
    const pixels = Number(number) * (PX[unit!] ?? (unit === "%" ? 1 : unit === "" ? 1 : 16));
    return (unit === "%" && pixels >= 0 && most >= 200) || (pixels >= least && pixels <= most);
  });
}

/** The effect of an element that clips content too large for it. */
function clippingOf(declarations: readonly Declaration[], element: string): "hides" | "unclear" | null {
  if (!declarations.some(({ name, value }) => /^overflow(?:-[xy])?$/.test(name) && /hidden|clip/.test(value)))
    return null;
  const sizes = declarations.filter(({ name }) => /^(?:max-)?(?:width|height)$/.test(name));
  const pixelsOf = (value: string): number => {
    const [, number, unit] = /^(\d*\.?\d+)([a-z%]*)$/.exec(value) ?? [];
    return number === undefined || unit === "%"
      ? number !== undefined && Number(number) === 0
        ? 0
        : Infinity
      : Number(number) * (PX[unit!] ?? 16);
  };
  if (sizes.some(({ value }) => pixelsOf(value) <= 1)) return "hides";
  // The width of a cell is that of its column.
  const isCell = element === "td" || element === "th" || !BOXES.has(element);
  const isNarrow = sizes.some(({ name, value }) => pixelsOf(value) < (name.endsWith("width") ? 200 : Infinity));
  return isCell || isNarrow ? "unclear" : null;
}

/** Whether a spreadsheet shows a number unchanged: a format with literal digits, without decimals, or in thousands may not. */
function isPlainFormat(value: string): boolean {
  const plain = value
    .replaceAll(/\[[^\]]*\]/g, "")
    .replaceAll(/\\?["']|_.|\*./g, "")
    .replaceAll("\\", "");
  if (plain.trim() === "") return true;
  const sections = plain.split(";");
  const isOwnText = sections.some((section) => /[1-9]/.test(section) || /[0#?],+(?![0#?])/.test(section));
  const hasPlaces = /[0#?@dmyhs]|general|standard|fixed|currency|percent|scientific|text/;
  return !isOwnText && sections.slice(0, 2).every((section) => hasPlaces.test(section));
}
