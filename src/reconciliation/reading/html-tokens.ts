// Splits an HTML file into tags, texts and comments as browsers do: the tokenizer of the HTML standard, without its rare states.

/** The attributes of a tag, by their lower-case names. Of a repeated one, the first counts. */
export type Attributes = ReadonlyMap<string, string>;

export type HtmlToken =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "tag";
      readonly name: string;
      readonly isEnd: boolean;
      readonly attributes: Attributes;
      /** The text after its name, as written. */
      readonly written: string;
      /** The whole tag. */
      readonly text: string;
      readonly isSelfClosing: boolean;
    }
  /** An element whose content up to its end tag is text. `text` includes its tags. */
  | {
      readonly kind: "raw";
      readonly name: string;
      readonly attributes: Attributes;
      readonly content: string;
      readonly text: string;
      readonly isClosed: boolean;
    }
  | { readonly kind: "comment"; readonly text: string; readonly isClosed: boolean };

const RAW: ReadonlySet<string> = new Set([
  "script",
  "style",
  "textarea",
  "title",
  "xmp",
  "iframe",
  "noembed",
  "noframes",
]);
const NO_ATTRIBUTES: Attributes = new Map();

/**
 * The tokens of a text, in order. Stops before a tag that the end of the text cuts; returns its position, or the length of the
 * text. Runs in linear time.
 */
export function* tokensOfHtml(text: string): Generator<HtmlToken, number> {
  let textFrom = 0;
  let at = text.indexOf("<");
  while (at >= 0) {
    const next = text[at + 1] ?? "";
    const isCut = next === "" || (next === "/" && at + 2 === text.length);
    if (isCut) {
      if (at > textFrom) yield { kind: "text", text: text.slice(textFrom, at) };
      return at;
    }
    const isTag = /[a-z]/i.test(next) || (next === "/" && /[a-z]/i.test(text[at + 2] ?? ""));
    const isComment = !isTag && (next === "!" || next === "?" || next === "/");
    if (!isTag && !isComment) {
      at = text.indexOf("<", at + 1);
      continue;
    }
    if (at > textFrom) yield { kind: "text", text: text.slice(textFrom, at) };
    textFrom = at;
    const token = isTag ? tagAt(text, at) : commentAt(text, at);
    if (token === null) return at;
    yield token;
    textFrom = at + token.text.length;
    at = text.indexOf("<", textFrom);
  }
  if (textFrom < text.length) yield { kind: "text", text: text.slice(textFrom) };
  return text.length;
}

function commentAt(text: string, at: number): HtmlToken | null {
  if (!text.startsWith("<!--", at)) {
    const end = text.indexOf(">", at);
    return end < 0 ? null : { kind: "comment", text: text.slice(at, end + 1), isClosed: true };
  }
  // `<!-->` and `<!--->` are complete comments, and `--!>` ends one too.
  const short = /-?>/y;
  short.lastIndex = at + 4;
  const whole = short.exec(text);
  if (whole) return { kind: "comment", text: text.slice(at, short.lastIndex), isClosed: true };
  const end = /--!?>/g;
  end.lastIndex = at + 4;
  const isClosed = end.exec(text) !== null;
  return { kind: "comment", text: text.slice(at, isClosed ? end.lastIndex : text.length), isClosed };
}

function tagAt(text: string, at: number): HtmlToken | null {
  const isEnd = text[at + 1] === "/";
  const word = /[^\s/>]+/y;
  word.lastIndex = at + (isEnd ? 2 : 1);
  const name = word.exec(text)![0].toLowerCase();
  const from = word.lastIndex;
  const read = attributesAt(text, from);
  if (read === null) return null;
  const { attributes, end, isSelfClosing } = read;
  if (!isEnd && RAW.has(name)) return rawAt(text, at, { name, attributes, from: end });
  const written = text.slice(from, end - 1);
  return { kind: "tag", name, isEnd, attributes, written, text: text.slice(at, end), isSelfClosing };
}

function rawAt(
  text: string,
  at: number,
  { name, attributes, from }: { readonly name: string; readonly attributes: Attributes; readonly from: number },
): HtmlToken {
  const endTag = new RegExp(String.raw`</${name}(?=[\s/>])[^<>]*>`, "gi");
  endTag.lastIndex = from;
  const found = endTag.exec(text);
  const [contentEnd, end] = found ? [found.index, endTag.lastIndex] : [text.length, text.length];
  const content = text.slice(from, contentEnd);
  return { kind: "raw", name, attributes, content, text: text.slice(at, end), isClosed: found !== null };
}

const SPACES = /[\s/]*/y;
const NAME = /=?[^\s/>=]*/y;
const VALUE = /\s*=\s*/y;
const UNQUOTED = /[^\s>]*/y;

/** The attributes from this position in a tag, and where the tag ends; `null` if the text ends before it. */
function attributesAt(
  text: string,
  from: number,
): { readonly attributes: Attributes; readonly end: number; readonly isSelfClosing: boolean } | null {
  let attributes: Map<string, string> | null = null;
  let at = from;
  for (;;) {
    at = endOf(SPACES, text, at);
    if (at >= text.length) return null;
    if (text[at] === ">") {
      return {
        attributes: attributes ?? NO_ATTRIBUTES,
        end: at + 1,
        isSelfClosing: text[at - 1] === "/" && at - 1 >= from,
      };
    }
    const nameEnd = endOf(NAME, text, at);
    const name = text.slice(at, nameEnd).toLowerCase();
    at = nameEnd;
    let value = "";
    const valueAt = endOf(VALUE, text, at);
    if (valueAt > at) {
      const quote = text[valueAt];
      const isQuoted = quote === '"' || quote === "'";
      const end = isQuoted ? text.indexOf(quote, valueAt + 1) : endOf(UNQUOTED, text, valueAt);
      if (end < 0) return null;
      value = text.slice(isQuoted ? valueAt + 1 : valueAt, end);
      at = isQuoted ? end + 1 : end;
    }
    attributes ??= new Map();
    if (!attributes.has(name)) attributes.set(name, value);
  }
}

/** The end of a match of a sticky expression, which may be empty. */
function endOf(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : at;
}
