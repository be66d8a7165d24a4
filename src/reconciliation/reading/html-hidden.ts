// Whether people who look at a file of HTML see an element: by its own style, its attributes, and the style sheets of the file.
import { decodeEntities } from "./html-text.ts";
import { unreadable } from "./statement.ts";

/** Why nobody sees an element. A style sheet may depend on the screen or the printer, so it makes a file unclear. */
export type Hiding = "style" | "sheet";

/** What an element and those around it say of the text in it. */
export type Look = {
  readonly hiding: Hiding | null;
  /** `null` if no element says it. */
  readonly color: Colour | null;
  readonly background: Colour | null;
  /** Why its text is no plain part of an amount; `null` if it is one. */
  readonly odd: string | null;
};
/** `value` is a colour as red, green and blue, or the word that the file has; `null` for a picture or anything else that is not known. */
type Colour = { readonly value: readonly number[] | string | null; readonly by: Hiding };
type Rule = { readonly name: string; readonly id: string; readonly classes: readonly string[]; readonly style: string };

const QUOTED = /"[^"]*"|'[^']*'/g;
const HIDDEN_STYLES = [
  /(?:^|;)\s*display\s*:\s*none/,
  /(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)/,
  /(?:^|;)\s*content-visibility\s*:\s*hidden/,
  /(?:^|;)\s*mso-hide\s*:\s*(?:all|screen)/,
  /(?:^|;)\s*text-indent\s*:\s*-\d{3,}/,
  /(?:^|;)\s*(?:left|top|right|bottom|margin(?:-left|-top)?)\s*:\s*-\d{3,}/,
  /(?:^|;)\s*clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?/,
  /(?:^|;)\s*clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0)/,
  /(?:^|;)\s*transform\s*:[^;]*\bscale[xy]?\(\s*0(?:\.0+)?\s*[,)]/,
] as const;
const OPACITY = /(?:^|;)\s*opacity\s*:\s*(\d*\.?\d+)(%?)/;
const FONT_SIZE =
  /(?:^|;)\s*(?:font-size\s*:|font\s*:[^;]{0,200}?)\s*(\d{0,6}\.?\d{1,6})(px|pt|em|rem|%|vw)?(?=\s*[/!;]|\s*$)/;
const NO_SIZE = /(?:^|;)\s*(?:max-)?(?:width|height)\s*:\s*[01]?(?:\.\d+)?(?:px|pt|em|%)?\s*(?:!|;|$)/;
const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g;
const COLOR = /(?:^|;)\s*color\s*:\s*([^;!]+)/g;
const BACKGROUND = /(?:^|;)\s*background(?:-color|-image)?\s*:\s*([^;!]+)/g;
/** Elements that browsers don't show. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["template", "noscript", "datalist", "dialog", "rp"]);
/** Colours that differ less can't be told apart. */
const MIN_CONTRAST = 24;
const NAMED_COLOURS: Readonly<Record<string, string>> = {
  white: "#ffffff",
  window: "#ffffff",
  canvas: "#ffffff",
  snow: "#fffafa",
  ivory: "#fffff0",
  whitesmoke: "#f5f5f5",
  ghostwhite: "#f8f8ff",
  floralwhite: "#fffaf0",
  mintcream: "#f5fffa",
  azure: "#f0ffff",
  black: "#000000",
  windowtext: "#000000",
  canvastext: "#000000",
};
const PAGE: Colour = { value: [255, 255, 255], by: "style" };
/** So many rules the style sheets of a file may have. */
const MAX_RULES = 50_000;
/** So many different tags of a file are remembered. */
const MAX_KNOWN = 5000;
const NO_LOOK: Look = { hiding: null, color: null, background: null, odd: null };
const STRUCK = /(?:^|;)\s*text-decoration(?:-line)?\s*:[^;]*line-through/;
const TURNED = /(?:^|;)\s*unicode-bidi\s*:[^;]*override/;

/** The style sheets of a file, and what they and the attributes of tags hide: docs/rules/reconciliation.md#hidden-text. */
export class HtmlStyles {
  readonly #rules = new Map<string, Rule[]>();
  #ruleCount = 0;
  readonly #known = new Map<string, Look>();
  readonly #page: Look;

  /**
   * @param text the whole file
   * @throws NodalError `validation_failed` for more rules than a file may have
   */
  constructor(text: string) {
    for (const match of text.matchAll(/<!--[\s\S]*?(?:-->|$)|<style\b[^<>]*>([\s\S]*?)(?:<\/style\s*>|$)/gi)) {
      if (match[1] !== undefined) this.#addSheet(match[1]);
    }
    const body = /<body\b([^>]{0,2000})/i.exec(text)?.[1] ?? "";
    this.#page = { ...NO_LOOK, ...this.#own("body", body), hiding: null };
  }

  /** What a tag says of its element, without those around it. */
  lookOf(name: string, attributes: string): Look {
    const key = `${name} ${attributes}`;
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const look = this.#own(name, attributes);
    this.#known.set(key, look);
    return look;
  }

  /** Whether a text is hidden by an element around it, or has the colour of its background. `around` begins with the outermost one. */
  hidingOf(around: readonly Look[]): Hiding | null {
    const hidden = around.filter(({ hiding }) => hiding !== null);
    if (hidden.length > 0) return hidden.some(({ hiding }) => hiding === "style") ? "style" : "sheet";
    const color = (around.findLast((look) => look.color !== null) ?? this.#page).color;
    if (color === null || color.value === null) return null;
    const background = (around.findLast((look) => look.background !== null) ?? this.#page).background ?? PAGE;
    if (!areAlike(color.value, background.value)) return null;
    return color.by === "sheet" || background.by === "sheet" ? "sheet" : "style";
  }

  #addSheet(sheet: string): void {
    const plain = sheet.replaceAll(/<!--|-->/g, "").replaceAll(COMMENT, "");
    // Rules inside of `@media` count too: nobody knows on what the file is looked at.
    for (const block of plain.split("}")) {
      const [style = "", selectors = ""] = block.split("{").toReversed();
      for (const selector of selectors.split(";").at(-1)!.split(",")) this.#addRule(selector, plainStyle(style));
    }
  }

  #addRule(selector: string, style: string): void {
    // What is before the last element, and states such as `:hover`, are taken as met, but for generated texts.
    if (/::?(?:before|after|hover|focus|active|marker|placeholder)\b/i.test(selector)) return;
    const last = unescaped(selector)
      .trim()
      .split(/[\s>+~]+/)
      .at(-1)!;
    if (last === "") return;
    const simple = last.replaceAll(/::?[\w-]+(?:\([^)]*\))?|\[[^\]]*\]/g, "");
    const classes = [...simple.matchAll(/\.([\w-]+)/g)].map((match) => match[1]!);
    const id = /#([\w-]+)/.exec(simple)?.[1] ?? "";
    const name = /^[a-z][a-z0-9:]*/i.exec(simple)?.[0].toLowerCase() ?? "";
    // `*` and lone conditions such as `[hidden]` are of all elements.
    const rule = { name, id, classes, style };
    const key = classes[0] === undefined ? (id === "" ? `<${name}` : `#${id}`) : `.${classes[0]}`;
    this.#ruleCount += 1;
    if (this.#ruleCount > MAX_RULES)
      throw unreadable(
        "The file's style sheets are too long.",
        "Save the statement's table alone. Nothing was imported.",
      );
    const rules = this.#rules.get(key) ?? [];
    rules.push(rule);
    this.#rules.set(key, rules);
  }

  #own(name: string, attributes: string): Look {
    const decoded = decodeEntities(attributes);
    const own = plainStyle(attributeIn(decoded, "style") ?? "");
    const byAttribute = /\shidden(?:\s|=|\/|$)/i.test(decoded.replaceAll(QUOTED, '""'));
    const sheets = this.#rulesFor(name, decoded).map(({ style }) => style);
    const isShown = (style: string): boolean =>
      /(?:^|;)\s*(?:display\s*:\s*(?!none)|visibility\s*:\s*visible)/.test(own) && !style.includes("!important");
    const hiding: Hiding | null =
      byAttribute || NOT_SHOWN.has(name) || hides(own)
        ? "style"
        : sheets.some((style) => hides(style) && !isShown(style))
          ? "sheet"
          : null;
    const styles = [own, ...sheets.toReversed()];
    const attribute = (key: string): string => attributeIn(decoded, key) ?? "";
    return {
      hiding,
      color: colourOf(styles, COLOR, name === "font" ? attribute("color") : ""),
      background: backgroundOf(colourOf(styles, BACKGROUND, attribute("bgcolor"))),
      odd: oddOf(styles),
    };
  }

  #rulesFor(name: string, attributes: string): Rule[] {
    if (this.#rules.size === 0) return [];
    const classes = (attributeIn(attributes, "class") ?? "").split(/\s+/);
    const id = attributeIn(attributes, "id") ?? "";
    const keys = ["<", `<${name}`, ...classes.map((each) => `.${each}`), ...(id === "" ? [] : [`#${id}`])];
    return keys
      .flatMap((key) => this.#rules.get(key) ?? [])
      .filter(
        (rule) =>
          (rule.name === "" || rule.name === name) &&
          (rule.id === "" || rule.id === id) &&
          rule.classes.every((each) => classes.includes(each)),
      );
  }
}

function oddOf(styles: readonly string[]): string | null {
  if (styles.some((style) => STRUCK.test(style))) return "struck out text";
  return styles.some((style) => TURNED.test(style)) ? "text in another order" : null;
}

function hides(style: string): boolean {
  if (style === "") return false;
  if (HIDDEN_STYLES.some((each) => each.test(style)) || isTiny(style)) return true;
  const [, opacity, percent] = OPACITY.exec(style) ?? [];
  if (opacity !== undefined && Number(opacity) < (percent === "%" ? 10 : 0.1)) return true;
  return NO_SIZE.test(style) && /overflow(?:-[xy])?\s*:\s*(?:hidden|clip)/.test(style);
}

/** Whether letters are too small to be seen. */
function isTiny(style: string): boolean {
  const [, size, unit = "px"] = FONT_SIZE.exec(style) ?? [];
  if (size === undefined) return false;
  const least = { em: 0.1, rem: 0.1, "%": 10, vw: 0.1, px: 2, pt: 2 }[unit]!;
  return Number(size) < least;
}

const ATTRIBUTES = /(?<![a-z:_-])([a-z:_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** The value of an attribute, which may be without quotation marks. */
function attributeIn(attributes: string, name: string): string | null {
  for (const [, found = "", ...values] of attributes.matchAll(ATTRIBUTES)) {
    if (found.toLowerCase() === name) return values.find((value) => value !== undefined) ?? "";
  }
  return null;
}

/** A style in small letters, without comments and escapes. */
function plainStyle(style: string): string {
  return unescaped(style.replaceAll(COMMENT, "")).toLowerCase();
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_whole, hex: string | undefined, other: string) => {
    if (hex === undefined) return other;
    const point = Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : "";
  });
}

/** The last colour that the first style has, or an attribute. */
function colourOf(styles: readonly string[], property: RegExp, attribute: string): Colour | null {
  for (const [index, style] of styles.entries()) {
    const written = [...style.matchAll(property)].at(-1)?.[1];
    const value = written === undefined ? undefined : colourIn(written);
    if (value !== undefined) return { value, by: index === 0 ? "style" : "sheet" };
  }
  return attribute === "" ? null : { value: colourIn(attribute) ?? null, by: "style" };
}

function backgroundOf(colour: Colour | null): Colour | null {
  return colour?.value === "transparent" ? null : colour;
}

/** `undefined` if it is that of the element around; `null` if it can't be told. */
function colourIn(written: string): Colour["value"] | undefined {
  const text = written.trim().slice(0, 200).toLowerCase();
  if (/^(?:inherit|initial|unset|revert|auto|none|currentcolor|0)$/.test(text)) return undefined;
  if (/^transparent|^(?:rgb|hsl)a\(.*[,/]\s*0(?:\.0\d*|%)?\s*\)/.test(text)) return "transparent";
  if (/url\(|gradient|var\(/.test(text)) return null;
  const word = /#?[a-z0-9]+(?:\([^)]*\))?/.exec(text)?.[0] ?? "";
  const hex = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}(?:[0-9a-f]{2})?)$/.exec(NAMED_COLOURS[word] ?? word)?.[1];
  if (hex !== undefined) {
    const short = hex.length < 6;
    return [0, 1, 2].map((at) => Number.parseInt(short ? hex[at]!.repeat(2) : hex.slice(at * 2, at * 2 + 2), 16));
  }
  const parts = /^rgba?\(([^)]*)\)/
    .exec(word)?.[1]
    ?.split(/[\s,/]+/)
    .filter((part) => part !== "");
  if (parts && parts.length >= 3) {
    return parts
      .slice(0, 3)
      .map((part) => (part.endsWith("%") ? (Number(part.slice(0, -1)) * 255) / 100 : Number(part)));
  }
  return word;
}

function areAlike(color: readonly number[] | string, background: Colour["value"]): boolean {
  if (color === "transparent") return true;
  if (background === null) return false;
  if (typeof color === "string" || typeof background === "string") return color === background;
  return color.every((part, at) => Math.abs(part - background[at]!) < MIN_CONTRAST);
}
