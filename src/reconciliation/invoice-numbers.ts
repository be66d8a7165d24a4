// Invoice numbers in the narration of a bank's line, as people type them: with other separators or none, without leading zeros,
// several in a row. An invoice number holds letters, digits, "-" and "/" only, at most 16.

/** A possible invoice number in a narration. */
export type WrittenNumber = {
  /** The possible spellings of its invoice's number. */
  readonly spellings: readonly string[];
  /** Its place among the words of the narration: from the first to just after the last. */
  readonly from: number;
  readonly to: number;
  /** A word such as INVOICE or BILL NO precedes it, so it may be the end of a number. */
  readonly isAnnounced: boolean;
  /** More digits follow directly or a code precedes it, so it may be part of another number. */
  readonly isPart: boolean;
};

type Word = { readonly text: string; readonly before: string };

const HANDLE = /[\w.]{1,100}@[A-Za-z][A-Za-z0-9]{1,30}/g;
const MAX_WORDS = 60;
const MAX_PARTS = 5;
const MAX_LENGTH = 16;
const MAX_SPELLINGS = 4000;
const SEPARATORS = ["", "-", "/"] as const;
/** Separators between the parts of one number. */
const JOINT = /^(?:\s?[-/_.#:\\]\s?|\s{1,3})$/;
const TIGHT_JOINT = /^[-/_.]$/;
const ANNOUNCES = new Set("INV INVS INVNO INVOICE INVOICES BILL BILLS BILLNO".split(" "));
/** After one of those. After another word, such as CHQ NO, a different number follows. */
const NUMBER_WORDS = new Set("NO NOS NUM NUMBER NUMBERS".split(" "));
/** Separators between the numbers of a list. */
const LISTS = /^\s*[,&+\s]\s*$/;

/** All possible invoice numbers in a narration. */
export function numbersIn(narration: string): WrittenNumber[] {
  const words = wordsOf(narration);
  const found: WrittenNumber[] = [];
  let spelled = 0;
  for (let from = 0; from < words.length; from += 1) {
    for (let to = from + 1; to <= Math.min(from + MAX_PARTS, words.length); to += 1) {
      if (to > from + 1 && !JOINT.test(words[to - 1]!.before)) break;
      const number = readRun(words, from, to);
      if (number === null) continue;
      spelled += number.spellings.length;
      if (spelled > MAX_SPELLINGS) return found;
      found.push(number);
    }
  }
  return found;
}

/**
 * The numbers that follow one in a list that omits the common part: 18 and 19 after INV-17 in "INV-17, 18 & 19". They are spelled
 * like `number`, which is the number of the first invoice.
 */
export function listedBehind(narration: string, { to }: WrittenNumber, number: string): WrittenNumber[] {
  const words = wordsOf(narration);
  const width = /\d+$/.exec(number)?.[0].length ?? 0;
  const found: WrittenNumber[] = [];
  for (let place = to; place < words.length; place += 1) {
    const { text, before } = words[place]!;
    if (!LISTS.test(before)) break;
    if (text === "AND") continue;
    if (!/^\d{1,6}$/.test(text) || text.length > width) break;
    const spelling = number.slice(0, number.length - width) + text.padStart(width, "0");
    found.push({ spellings: [spelling], from: place, to: place + 1, isAnnounced: false, isPart: false });
  }
  return found;
}

function wordsOf(narration: string): Word[] {
  const text = narration.normalize("NFKC").toUpperCase().replaceAll(HANDLE, " | ");
  let end = 0;
  return [...text.matchAll(/[A-Z0-9]+/g)].slice(0, MAX_WORDS).map((match) => {
    const before = text.slice(end, match.index);
    end = match.index + match[0].length;
    return { text: match[0], before };
  });
}

function readRun(words: readonly Word[], from: number, to: number): WrittenNumber | null {
  const parts = words.slice(from, to).map(({ text }) => text);
  const plain = parts.join("");
  if (!/\d/.test(plain) || plain.length > MAX_LENGTH) return null;
  const isAnnounced = isAnnouncedAt(words, from);
  const asTyped = parts.reduce((number, part, place) => number + words[from + place]!.before.trim() + part);
  const isMixed = /[A-Z]/.test(plain) && plain.length >= 4;
  // Digits alone may also be dates, amounts or bank references.
  const isTelling = isMixed || (parts.length > 1 && plain.length >= 6 && /^[A-Z0-9/-]+$/.test(asTyped));
  if (!isTelling && !isAnnounced) return null;
  const spellings = isMixed || isAnnounced ? spell(parts) : [asTyped];
  return { spellings, from, to, isAnnounced, isPart: !isAnnounced && isPartOfAnother(words, from, to) };
}

/** Whether a word such as INVOICE or BILL NO precedes this place. */
function isAnnouncedAt(words: readonly Word[], place: number): boolean {
  const before = place - (NUMBER_WORDS.has(words[place - 1]?.text ?? "") ? 2 : 1);
  return ANNOUNCES.has(words[before]?.text ?? "") && words[place]!.before.length <= 3;
}

/** Whether a number continues after a run of parts, or began before it. */
function isPartOfAnother(words: readonly Word[], from: number, to: number): boolean {
  const [first, next, previous] = [words[from]!, words[to], words[from - 1]];
  if (next && TIGHT_JOINT.test(next.before) && /^\d{1,6}$/.test(next.text)) return true;
  return (
    previous !== undefined &&
    TIGHT_JOINT.test(first.before) &&
    /^\d/.test(first.text) &&
    /^(?:[A-Z]{1,4}|\d{1,4})$/.test(previous.text)
  );
}

/** The parts joined with every separator that numbers use. */
function spell(parts: readonly string[]): string[] {
  const spelled = parts.reduce<readonly string[]>(
    (before, part, place) =>
      place === 0 ? [part] : before.flatMap((text) => SEPARATORS.map((separator) => text + separator + part)),
    [],
  );
  return spelled.filter((text) => text.length <= MAX_LENGTH);
}
