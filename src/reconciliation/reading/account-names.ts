// Finds account numbers in texts beside the lines of a table, and the labels that name them.
import { readDay } from "./values.ts";

/** An account number in a text. */
export type NamedNumber = {
  /** As in the file, without blanks, hyphens and dots. */
  readonly number: string;
  /** Its label, in lower case. */
  readonly label: string;
  /** Whether the label means an account; other labels may name one too, such as `CC/OD No`. */
  readonly isAccount: boolean;
  /** Whether its label is in another cell. */
  readonly isLabelOutside: boolean;
  /** Whether it is another account if the file also names a plain one, such as `Loan Account No`. */
  readonly isBeside: boolean;
};

/** Words that mean an account in English and in the languages of India's banks. */
const ACCOUNT_WORD =
  /account(?!s?\s*(?:ing|ant))|(?<![\p{L}\p{N}])(?:a\s?[/.]\s?c|acc|acct|ac|iban)s?(?=\.|[^\p{L}]|no|num|$)|खात|ખાત|ਖਾਤ|খাত|হিসাব|ଖାତ|கணக்கு|ఖాతా|ಖಾತೆ|അക്കൗണ്ട/giu;
/** Words before the word for an account that make it somebody else's, not the statement's. */
const OTHER_PARTY =
  /(?:ben|benef\w*|bene|payees?|payers?|remit\w*|senders?|receivers?|recipients?|counter[ -]?part(?:y|ies)|third[ -]?part(?:y|ies)|vendors?|suppliers?|(?:nominees?|linked)(?:\s+\p{L}+){0,3}|(?<!\p{L})to|into|other|contra|opposite|offset|opposing|virtual|प्राप्तकर्ता|लाभार्थी)(?:['’]s)?(?:\s+(?:the|bank(?:['’]s)?|\p{L}+['’]s))?[\s:.-]*$/iu;
/** Words before the word for an account that make it a second account, if the file also names the statement's own. */
const OTHER_ACCOUNT =
  /(?<!\p{L})(?:previous|former|old|gl|loan|fd|rd|ppf|sweep|mod|demat|repayment|deposit|emi|escrow|settlement|charges?|mandate|nach|ecs)(?:\s+\p{L}+){0,3}[\s:.-]*$/iu;
/**
 * Allowed between a word for an account and its number: `Account No. (INR) :`, `Account No / IFSC :`. A manager, a branch or a type
 * is not.
 */
const TO_NUMBER =
  /^s?[\s.]*(?:no|num|number|nos|id)?(?:\.?\s*(?:[/&,|+]|and)\s*(?:ifsc|micr|ifs|rtgs|neft|branch|type|currency|ccy|cif|customer|cust|crn|name|code|id|no|number|\s){1,6})?[^\p{Script=Latin}\d]*(?:(?:inr|is|[A-Z]{2}\d{0,2})[^\p{Script=Latin}\d]*)?$/iu;
/** The same before a short number, which needs a word for number. */
const TO_SHORT_NUMBER = /no|num|[:：#]|संख्या|क्रमांक|नंबर/iu;
/** Labels of numbers that differ from page to page. */
const CHANGES =
  /balance|total|amount|page|date|time|print|generat|ref|seri|statement|request|txn|transaction|utr|rrn|cheque|count|limit|phone|mobile|tel|fax|pin/i;

/** Digits and masks, with blanks, hyphens or dots between them. */
const NUMBER = /(?<![\p{L}\p{M}\p{N}@]|\d[/,])[\dX*•](?:[ .‐-―-]?[\dX*•]){0,60}(?![\p{L}\p{M}\p{N}@]|[/,]\d)/giu;
const IBAN =
  /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)(?![\p{L}\p{N}])/gu;
/** A number with letters, such as `AB12345678` or `SB-0012-3456`. The word for its account must be directly before it. */
const WITH_LETTERS =
  /(?<![\p{L}\p{M}\p{N}@/.-])(?=[A-Z0-9-]*\d{3})(?=[\dX-]*[A-WYZ])[A-Z0-9](?:-?[A-Z0-9]){5,23}(?![\p{L}\p{M}\p{N}@])/giu;
/** The code of a branch: `HDFC0001234`. */
const IFSC = /(?<![\p{L}\p{N}])[A-Z]{4}0[A-Z0-9]{6}(?![\p{L}\p{N}])/giu;
const DATES = /(?<!\d)(?:\d{1,2}[-/. ](?:\d{1,2}|[A-Z]{3,9})[-/. ,]{1,2}\d{2,4}|\d{4}[-/.]\d{2}[-/.]\d{2})(?!\d)/gi;
const [MIN_DIGITS, MAX_DIGITS] = [9, 18];
/** The part of a text that is searched for numbers, in characters. */
const MAX_LENGTH = 2000;
/** The part of the text before a number that is read, in characters. */
const MAX_LABEL = 120;

type Token = { readonly written: string; readonly index: number };

/** Possible labels of a number at the start of a cell: the text before it in its row, and the text above it. */
export type Before = { readonly beside: string; readonly above: string };

/** The possible account numbers in a text, with their labels. */
export function numbersIn(text: string, { beside, above }: Before): readonly NamedNumber[] {
  const found: NamedNumber[] = [];
  const blank = (each: string): string => "\0".repeat(each.length);
  const plain = withPlainDigits(text.slice(0, MAX_LENGTH)).replaceAll(DATES, blank).replaceAll(IFSC, blank);
  let reached = 0;
  let label = "";
  let isOutside = false;
  for (const { written, index } of tokensOf(plain)) {
    const own = plain.slice(reached, index).replaceAll(/\0+/g, "|").trim().slice(-MAX_LABEL);
    const isFirst = reached === 0;
    reached = index + written.length;
    if (/\p{L}/u.test(own)) label = own;
    else if (isFirst) label = labelOutside({ beside, above });
    isOutside = isFirst ? !/\p{L}/u.test(own) : isOutside && own === "";
    for (const number of partsOf(written)) {
      const isAccount = isAccountLabel(label);
      const isShort = isShortNumber(number) || hasLetters(number);
      const isDirect = isAccount && TO_SHORT_NUMBER.test(afterAccount(label)!) && isShort;
      if (!isDirect && !isLongNumber(number)) continue;
      const plainLabel = label.toLowerCase().replaceAll(/[^\p{L}\p{M}]/gu, "");
      const isBeside = isAccount && isOfOtherAccount(label);
      found.push({ number, label: plainLabel, isAccount, isLabelOutside: isOutside, isBeside });
    }
  }
  return found;
}

/** Replaces Hindi and Marathi digits, such as `५०१`, by ASCII ones. */
function withPlainDigits(text: string): string {
  return text.replaceAll(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - "०".charCodeAt(0)));
}

/** Whether a heading is that of the statement's own account, and for which lines: `both`, or `out` for `From Account`. */
export function accountColumn(heading: string): "both" | "in" | "out" | null {
  const words = heading.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|_/gu, " ").trim();
  const [word] = [...words.matchAll(ACCOUNT_WORD)].slice(-1);
  if (!word) return null;
  const [before, after] = [words.slice(0, word.index), words.slice(word.index + word[0].length)];
  if (/name|holder|title|head|categor|group|currency|ccy|branch|bank|ifsc|code|status|bal|desc|type/i.test(after))
    return null;
  if (/(?:^|\W)(?:to|credit(?:ed)?|cr)\W*$/i.test(before)) return "in";
  if (/(?:^|\W)(?:from|debit(?:ed)?|dr|source)\W*$/i.test(before)) return "out";
  return OTHER_PARTY.test(before) || /\bben\b|benef|payee|remit|part(?:y|ies)|ledger/i.test(words) ? null : "both";
}

/** Whether a text is only a label and its number, with a colon between them: `Account No: 5010…`. */
export function isLabelled(text: string): boolean {
  const [label, rest] = [/^[^:：]*[:：]/u.exec(text)?.[0] ?? "", /[:：]([\s\S]*)$/u.exec(text)?.[1] ?? ""];
  if (/\d/.test(label) || !isAccountLabel(label)) return false;
  const isNumbered =
    /no|num/i.test(afterAccount(label)!) && /^\s*[A-Z\d-]{6,24}\s*$/i.test(rest) && hasLetters(rest.trim());
  return isNumbered || /^[\s\dX*•.-]*(?:\(?INR\)?)?\s*$/i.test(rest);
}

/** Whether the number under a label may repeat on a statement's pages: `CC/OD No`, but not `Page total`. */
export function isLasting({ number, label }: NamedNumber): boolean {
  return !CHANGES.test(label) && !/^20\d\d[01]\d[0-3]\d/.test(number);
}

/** Whether a label ends in words for an account without saying that it is somebody else's. */
function isAccountLabel(label: string): boolean {
  const before = beforeAccount(label);
  return before !== null && !OTHER_PARTY.test(before) && TO_NUMBER.test(afterAccount(label)!);
}

/** Whether a label means another account than a plain one: `FD A/c No`. */
function isOfOtherAccount(label: string): boolean {
  return OTHER_ACCOUNT.test(beforeAccount(label) ?? "");
}

/** The text before the last word for an account. */
function beforeAccount(label: string): string | null {
  const [word] = [...label.matchAll(ACCOUNT_WORD)].slice(-1);
  return word ? label.slice(0, word.index) : null;
}

/** The text after the last word for an account. */
function afterAccount(label: string): string | null {
  const [word] = [...label.matchAll(ACCOUNT_WORD)].slice(-1);
  return word ? label.slice(word.index + word[0].length) : null;
}

function labelOutside(before: Before): string {
  const [beside, above] = [before.beside.slice(-MAX_LABEL), before.above.slice(-MAX_LABEL)];
  // Some banks have a row of labels above the row of values.
  const isTableOfTwoRows = isAccountLabel(above) && /(?:no|num|number|#|iban|संख्या)[\s.:：]*$/iu.test(above);
  return isTableOfTwoRows && !isAccountLabel(beside) ? above : beside || above;
}

function tokensOf(text: string): Token[] {
  const found: Token[] = [];
  const isTaken = new Uint8Array(text.length);
  // Patterns are in order of precedence: an IBAN contains a number.
  for (const kind of [IBAN, WITH_LETTERS, NUMBER]) {
    for (const { 0: written, index } of text.matchAll(kind)) {
      const end = index + written.length;
      if (isTaken.subarray(index, end).includes(1)) continue;
      isTaken.fill(1, index, end);
      found.push({ written, index });
    }
  }
  return found.toSorted((one, other) => one.index - other.index);
}

/** A number without the characters that group its digits; two numbers with a blank between them stay two. */
function partsOf(written: string): string[] {
  if (/^\d+\.\d{1,2}$/.test(written) || readDay(written) !== null) return [];
  const plain = (text: string): string => text.replaceAll(/[^\dA-Z*]/gi, (each) => (each === "•" ? "*" : ""));
  const whole = plain(written);
  return whole.length <= MAX_DIGITS || /^[A-Z]{2}\d{2}/.test(whole) ? [whole] : written.split(" ").map(plain);
}

function isLongNumber(number: string): boolean {
  const isNumber = /^[\dX*]*\d{2,}$/i.test(number) && number.length >= MIN_DIGITS && number.length <= MAX_DIGITS;
  return isNumber || /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(number);
}

/** Whether a number has letters that are not a mask, as some cooperative banks' numbers do. */
function hasLetters(number: string): boolean {
  const plain = number.replaceAll("-", "");
  return /\d{3}/.test(plain) && /[A-WYZ]/i.test(plain) && plain.length <= MAX_DIGITS;
}

/** A year is not an account number. */
function isShortNumber(number: string): boolean {
  return /^[\dX*]*\d{3,}$/i.test(number) && number.length <= MAX_DIGITS && !/^(?:19|20)\d\d$/.test(number);
}
