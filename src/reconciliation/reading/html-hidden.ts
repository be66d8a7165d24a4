// The visible style of an HTML element: from its own style, its attributes, and the style sheets of the file.
// docs/rules/reconciliation.md#hidden-text
import { areAlike, over, readColour, type Rgb } from "./css-colours.ts";
import { LEAST_OPACITY, LEAST_SIZE, meaningOf, OTHER_ORDER, type Meaning } from "./css-meaning.ts";
import { declarationsIn, rulesOfSheet, unescaped, UnclearSheet, type Declaration } from "./css-sheet.ts";
import { decodeEntities } from "./html-text.ts";
import type { Attributes } from "./html-tokens.ts";

/** Why an element is not visible. A style sheet may depend on the screen or printer, so it makes a line unclear. */
export type Hiding = "style" | "sheet";

/** The combined effect of an element and those around it on the text in it. */
export type Look = {
  readonly hiding: Hiding | null;
  /** The possible colours of its text and background, depending on which of the conditional rules apply. */
  readonly shown: readonly Shown[];
  /** Why its text is not a plain part of an amount; `null` if it is. */
  readonly odd: string | null;
  /** Its font size relative to the page's, as far as sizes are relative; and its opacity. */
  readonly scale: number;
  readonly opacity: number;
  /** A declaration that may hide, move or replace what people see, as `name: value`; `null` if there is none. */
  readonly unclear: string | null;
};
type Colour = Rgb & { readonly by: Hiding };
type Shown = { readonly color: Colour; readonly background: Colour };
type OwnShown = { readonly color: Colour | null; readonly background: Colour | null };

/** The effect of one element alone. */
type OwnLook = Omit<Look, "scale" | "shown"> & {
  readonly shown: readonly OwnShown[];
  readonly scale: number | null;
  /** Whether it has no effect. */
  readonly isPlain: boolean;
};
type Rule = {
  readonly name: string;
  readonly id: string;
  readonly classes: readonly string[];
  /** Whether it is conditional: only inside other elements, in some states, or on some screens. */
  readonly isUncertain: boolean;
  readonly isConditional: boolean;
  readonly isImportant: boolean;
  readonly rank: number;
  readonly declarations: readonly Declaration[];
  readonly meanings: Map<string, Meaning>;
};

const WHITE: Colour = { rgb: [255, 255, 255], alpha: 1, by: "style" };
const BLACK: Colour = { rgb: [0, 0, 0], alpha: 1, by: "style" };
/** The style of a page without any rules. */
export const PAGE: Look = {
  hiding: null,
  shown: [{ color: BLACK, background: WHITE }],
  odd: null,
  scale: 1,
  opacity: 1,
  unclear: null,
};
/** Elements that browsers don't show. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["template", "noscript", "datalist", "dialog", "rp"]);
/** The most rules that a file's style sheets may have, and the most comparisons with elements. */
const MAX_RULES = 50_000;
const MAX_COMPARED = 2_000_000;
/** The most different tags of a file that are cached. */
const MAX_KNOWN = 5000;
/** The most colours of a text that are compared with their backgrounds. */
const MAX_SHOWN = 32;
/** States that need a person's action, and parts of elements that hold no text of the file. */
const PASSING =
  /::?(?:hover|focus(?:-within|-visible)?|active|visited|selection|placeholder|target|-(?:webkit|moz|ms)-[\w-]+)\b/i;
const GENERATED = /::?(?:before|after)\b/i;
const GENERATED_ALL = /::?(?:before|after)\b/gi;
const CONTENT: Declaration = { name: "content", value: "text that a style sheet adds", isImportant: false };

/** The style sheets of a file, and the effect of them and of tags' attributes. */
export class HtmlStyles {
  readonly #rules = new Map<string, Rule[]>();
  #ruleCount = 0;
  #compared = 0;
  readonly #known = new Map<string, OwnLook>();

  /**
   * @param sheets the style sheets of the file, in order
   * @throws UnclearSheet for one that may change what people see in unknown ways
   */
  constructor(sheets: readonly string[]) {
    for (const sheet of sheets) for (const rule of rulesOfSheet(sheet)) this.#addRule(rule);
  }

  /**
   * The style of an element inside one with the style `around`.
   * @param written its attributes, as in the file
   * @throws UnclearSheet if there are too many rules for too many elements
   */
  lookIn(
    around: Look,
    element: { readonly name: string; readonly attributes: Attributes; readonly written: string },
  ): Look {
    const { name, attributes, written } = element;
    const key = `${name} ${written}`;
    let own = this.#known.get(key);
    if (!own) {
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      own = this.#own(name, attributes);
      this.#known.set(key, own);
    }
    return within(around, own);
  }

  #addRule({ selector, declarations, isConditional }: ReturnType<typeof rulesOfSheet>[number]): void {
    const hasEscape = /[\\"']/.test(bare(selector)) || selector.includes("\\");
    if (!hasEscape && PASSING.test(bare(selector))) return;
    // Elements of Office's own, which no other program shows.
    if (/^[a-z]\w{0,3}\\:\*$/i.test(selector)) return;
    if (GENERATED.test(selector)) return this.#addGenerated(selector, declarations);
    const plain = unescaped(bare(selector)).toLowerCase();
    const parts = plain.trim().split(/[\s>+~]+/);
    const last = parts.at(-1)!;
    // A selector with an escape may match anything.
    const simple = hasEscape ? "*" : last.replaceAll(/::?[\w-]+|\[\]/g, "");
    const classes = [...simple.matchAll(/\.([^\s.#:[]+)/g)].map((match) => match[1]!);
    const id = /#([^\s.#:[]+)/.exec(simple)?.[1] ?? "";
    const name = /^[a-z][a-z0-9:]*/.exec(simple)?.[0] ?? "";
    const count = (expression: RegExp): number => plain.match(expression)?.length ?? 0;
    const rule: Rule = {
      name,
      id,
      classes,
      isUncertain: isConditional || parts.length > 1 || simple !== last || hasEscape,
      isConditional,
      isImportant: declarations.some(({ isImportant }) => isImportant),
      rank: count(/#/g) * 1e6 + count(/[.[]|(?<!:):(?!:)/g) * 1e3 + count(/(?:^|[\s>+~])[a-z]/g),
      declarations,
      meanings: new Map(),
    };
    // `*` and bare conditions such as `[hidden]` match all elements.
    const key = classes[0] === undefined ? (id === "" ? `<${name}` : `#${id}`) : `.${classes[0]}`;
    this.#ruleCount += 1;
    if (this.#ruleCount > MAX_RULES) throw new UnclearSheet("style sheets that are too long");
    const rules = this.#rules.get(key) ?? [];
    rules.push(rule);
    this.#rules.set(key, rules);
  }

  /** A rule that adds a text or box before or after elements: only an empty box in the flow is harmless. */
  #addGenerated(selector: string, declarations: readonly Declaration[]): void {
    const content = declarations.find(({ name }) => name === "content")?.value ?? "none";
    const isEmpty = /^(?:none|normal|["'\s]*)$/.test(content);
    const ofText = /^(?:content|color|background(?:-color)?|font(?:-size)?|display|visibility|opacity)$/;
    const others = isEmpty ? declarations.filter(({ name }) => !ofText.test(name)) : [CONTENT];
    this.#addRule({ selector: selector.replaceAll(GENERATED_ALL, ""), declarations: others, isConditional: true });
  }

  #own(name: string, attributes: Attributes): OwnLook {
    const own = ofAttributes(name, attributes);
    const style = decodeEntities(attributes.get("style") ?? "");
    const inline = meaningOf(declarationsIn(style), name);
    const sheets = this.#rulesFor(name, attributes).map((rule) => ({ rule, meaning: meaningIn(rule, name) }));
    const hidden = sheets.filter(({ rule, meaning }) => meaning.hides && !(inline.shows && !rule.isImportant));
    // Text that is certainly hidden may be anything.
    const isHidden = own.hides || inline.hides || hidden.some(({ rule }) => !rule.isUncertain);
    const meanings = [own, inline, ...sheets.map(({ meaning }) => meaning)];
    // A rule that hides an element may do anything else to it.
    const seen = [
      own,
      inline,
      ...sheets.flatMap(({ rule, meaning }) => (meaning.hides && !rule.isConditional ? [] : [meaning])),
    ];
    const ownColours = { color: inline.color ?? own.color, background: inline.background ?? own.background };
    const scales = [inline.scale, ...sheets.map(({ meaning }) => meaning.scale)].filter((scale) => scale !== null);
    const hiding: Hiding | null = own.hides || inline.hides ? "style" : hidden.length > 0 ? "sheet" : null;
    const found = {
      hiding,
      shown: shownBy(ownColours, sheets),
      odd: meanings.map(({ odd }) => odd).find((odd) => odd !== null) ?? null,
      scale: scales.length === 0 ? null : Math.min(...scales),
      opacity: Math.min(...meanings.map(({ opacity }) => opacity)),
      unclear: isHidden ? null : (seen.map(({ unclear }) => unclear).find((each) => each !== null) ?? null),
    };
    const { odd, scale, opacity, unclear } = found;
    const hasColours = found.shown.some(({ color, background: ground }) => color !== null || ground !== null);
    const says = hasColours || opacity < 1 || [hiding, odd, scale, unclear].some((each) => each !== null);
    return { ...found, isPlain: !says };
  }

  /** The rules that may apply to an element, the highest priority first. */
  #rulesFor(name: string, attributes: Attributes): Rule[] {
    if (this.#rules.size === 0) return [];
    const of = (key: string): string => decodeEntities(attributes.get(key) ?? "").toLowerCase();
    const classes = of("class").split(/\s+/);
    const id = of("id");
    const keys = new Set(["<", `<${name}`, ...classes.map((each) => `.${each}`), ...(id === "" ? [] : [`#${id}`])]);
    const likely = [...keys].flatMap((key) => this.#rules.get(key) ?? []);
    this.#compared += likely.length;
    if (this.#compared > MAX_COMPARED) throw new UnclearSheet("style sheets that are too long");
    return likely
      .filter(
        (rule) =>
          (rule.name === "" || rule.name === name) &&
          (rule.id === "" || rule.id === id) &&
          rule.classes.every((each) => classes.includes(each)),
      )
      .toReversed()
      .toSorted((one, other) => other.rank - one.rank);
  }
}

/** Whether a text is hidden, or has the colour of its background. */
export function hidingOf({ hiding, shown, scale, opacity }: Look): Hiding | null {
  if (hiding !== null) return hiding;
  if (scale < LEAST_SIZE.scale || opacity < LEAST_OPACITY) return "style";
  const alike = shown.find(({ color, background }) => areAlike(color, background));
  if (!alike) return null;
  return alike.color.by === "sheet" || alike.background.by === "sheet" ? "sheet" : "style";
}

/** The style of cells in a row and a column; a column may be hidden or have a background. */
export function inColumn(row: Look, column: Look | undefined, table: Look): Look {
  if (!column) return row;
  const groundOf = ({ shown }: Look): Colour => shown[0]!.background;
  const isOfRow = groundOf(row).rgb.join() !== groundOf(table).rgb.join();
  return {
    ...row,
    hiding: row.hiding ?? column.hiding,
    unclear: row.unclear ?? column.unclear,
    shown: isOfRow ? row.shown : row.shown.map(({ color }) => ({ color, background: groundOf(column) })),
  };
}

function within(around: Look, own: OwnLook): Look {
  if (own.isPlain) return around;
  return {
    hiding: around.hiding === "style" ? "style" : (own.hiding ?? around.hiding),
    shown: shownWithin(around.shown, own.shown),
    odd: around.odd ?? own.odd,
    scale: own.scale === null ? around.scale : own.scale === 0 ? 1 : around.scale * own.scale,
    opacity: around.opacity * own.opacity,
    unclear: around.hiding === "style" ? null : own.unclear,
  };
}

function shownWithin(around: readonly Shown[], own: readonly OwnShown[]): readonly Shown[] {
  const found = new Map<string, Shown>();
  for (const { color, background } of own) {
    for (const behind of around) {
      const ground =
        background === null ? behind.background : { ...over(background, behind.background), by: background.by };
      const shown = { color: color ?? behind.color, background: ground };
      const key = [shown.color, ground].map(({ rgb, alpha, by }) => `${rgb.join()} ${alpha} ${by}`).join();
      if (!found.has(key) && found.size < MAX_SHOWN) found.set(key, shown);
    }
  }
  return [...found.values()];
}

/**
 * The colours of an element: from its own style, or else from the rules, the highest priority first. At most one of the conditional
 * rules applies.
 */
function shownBy(
  own: { readonly color: Rgb | null; readonly background: Rgb | null },
  sheets: readonly Met[],
): readonly OwnShown[] {
  const coloured = sheets.filter(({ meaning }) => meaning.color !== null || meaning.background !== null);
  const certain = coloured.filter(({ rule }) => !rule.isUncertain);
  const uncertain = coloured.filter(({ rule }) => rule.isUncertain);
  if (uncertain.length > MAX_SHOWN) throw new UnclearSheet("too many rules for the colours of one element");
  return [null, ...uncertain].map((applied) => {
    const met = applied ? coloured.filter((each) => !each.rule.isUncertain || each === applied) : certain;
    const of = (member: "color" | "background"): Colour | null => {
      const rule = met.find((each) => each.meaning[member] !== null && (own[member] === null || each.rule.isImportant));
      const colour = rule ? rule.meaning[member] : own[member];
      return colour && { ...colour, by: rule ? "sheet" : "style" };
    };
    return { color: of("color"), background: of("background") };
  });
}

type Met = { readonly rule: Rule; readonly meaning: Meaning };

function meaningIn(rule: Rule, name: string): Meaning {
  const known = rule.meanings.get(name);
  if (known) return known;
  const meaning = meaningOf(rule.declarations, name);
  rule.meanings.set(name, meaning);
  return meaning;
}

/** The effect of attributes that HTML had before styles, and of those that hide. */
function ofAttributes(name: string, attributes: Attributes): Meaning & { hides: boolean } {
  const none = meaningOf([], name);
  const of = (key: string): string =>
    decodeEntities(attributes.get(key) ?? "")
      .trim()
      .toLowerCase();
  const written = of(name === "body" ? "text" : "color");
  const color = written !== "" && (name === "font" || name === "body") ? readColour(written) : null;
  const background = of("bgcolor") === "" ? null : readColour(of("bgcolor"));
  const isUnknown =
    (written !== "" && (name === "font" || name === "body") && color === null) ||
    (of("bgcolor") !== "" && background === null);
  const unclear = [
    isUnknown ? "a colour that is not known" : null,
    attributes.has("background") ? "background" : null,
    name === "font" && /wingdings|webdings|symbol|dingbats/.test(of("face")) ? `face: ${of("face")}` : null,
    name === "dialog" && attributes.has("open") ? "dialog" : null,
    name === "details" && !attributes.has("open") ? "details" : null,
    name === "marquee" || name === "blink" ? name : null,
  ].find((each) => each !== null);
  const hides = attributes.has("hidden") || attributes.has("popover") || (NOT_SHOWN.has(name) && unclear === undefined);
  const odd = of("dir") === "rtl" ? OTHER_ORDER : null;
  return { ...none, hides, color, background, odd, unclear: unclear ?? null };
}

/** A selector without its bracketed parts, which may contain other selectors. */
function bare(selector: string): string {
  let text = selector.replaceAll(/\[[^\]]*\]/g, "[]");
  for (let depth = 0; depth < 4 && text.includes("("); depth += 1) text = text.replaceAll(/\([^()]*\)/g, "");
  return text;
}
