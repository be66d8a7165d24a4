// The names of a deposit: the bank's references in a text, and the text itself, normalized for comparison.
// docs/rules/payouts.md#deposits

/** UTRs of NEFT and RTGS: 16 to 22 capitals and digits, a bank's code first. */
const UTR = /^(?=.{16,22}$)[A-Z][A-Z0-9]{0,8}\d{8,}$/;
const MASKED_ACCOUNT = /^X{2}/;
/** The numbers of IMPS and UPI payments: the last digit of the year, the day of the year, the hour, and a number. */
const RRN = /^(\d)(\d{3})\d{8}$/;
const RRN_LENGTH = 12;
/** Next to these words, 12 digits are a payment's number, whatever date they contain. */
const SAYS_RRN = /\b(?:IMPS|UPI|P2A|P2M|P2P|RRN|UTR)\b/i;
/** Older numbers only count next to such a word, since any text may have 12 digits. */
const MAX_RRN_AGE = 366;
/** The dates of banks and of this clock may differ. */
const DAYS_AHEAD = 5;
/** The lengths of UTRs of NEFT and RTGS, to find the end of a UTR that was typed with spaces. */
const RUN_LENGTHS = [16, 22];
const RUN_UTR = /^[A-Z]{4}(?:[A-Z0-9]\d{11}|[A-Z]\d20\d{14})$/;
const DEVANAGARI_ZERO = 0x966;

/** A reference as deposits are compared: capitals, other letters, and digits, without leading zeros. */
export function plainReference(reference: string): string {
  const folded = reference.normalize("NFKC").toUpperCase();
  const plain = folded
    .replaceAll(/[०-९]/g, (digit) => String(digit.codePointAt(0)! - DEVANAGARI_ZERO))
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "")
    .replace(/^0+(?=.)/, "");
  return plain || folded.trim();
}

/** Is a word in its plain form a UTR? */
export function isUtr(plain: string): boolean {
  return UTR.test(plain) && !MASKED_ACCOUNT.test(plain);
}

/** The day of the year of an IMPS or UPI payment, from its number in plain form; `null` for anything else. */
export function dayOfRrn(plain: string): number | null {
  const day = Number(RRN.exec(plain)?.[2] ?? 0);
  return day >= 1 && day <= 366 ? day : null;
}

/** The names of the deposit of a funding reference: the whole text, and each of the bank's references in it. All are in plain form. */
export function namesOfReference(reference: string, today = Temporal.Now.plainDateISO("Asia/Kolkata")): string[] {
  return [...new Set([plainReference(reference), ...bankReferencesIn(reference, today)])];
}

/** The bank references in a text, in plain form. */
export function bankReferencesIn(reference: string, today = Temporal.Now.plainDateISO("Asia/Kolkata")): string[] {
  const whole = plainReference(reference);
  const words = reference.normalize("NFKC").split(/[^\p{L}\p{M}\p{N}]+/u);
  const runs = [...whole.matchAll(/\d{8,}/g)].map(({ 0: digits, index }) => ({ digits, end: index + digits.length }));
  const saysRrn = SAYS_RRN.test(reference);
  const isRrn = (text: string): boolean =>
    text.length === RRN_LENGTH && (saysRrn ? /^\d+$/.test(text) : isRecent(text, today));
  return [
    ...words.map(plainReference).filter((word) => isUtr(word) || isRrn(word)),
    // People type references with spaces in them, and words before them.
    ...runs.map(({ digits }) => digits).filter(isRrn),
    ...runs
      .flatMap(({ end }) => RUN_LENGTHS.map((length) => whole.slice(Math.max(0, end - length), end)))
      .filter((text) => RUN_UTR.test(text) && !MASKED_ACCOUNT.test(text)),
  ];
}

function isRecent(text: string, today: Temporal.PlainDate): boolean {
  const day = dayOfRrn(text);
  if (day === null) return false;
  const latest = today.add({ days: DAYS_AHEAD });
  // The latest year with this last digit.
  const year = latest.year - ((latest.year - Number(text[0]) + 10) % 10);
  const at = Temporal.PlainDate.from({ year, month: 1, day: 1 }).add({ days: day - 1 });
  const age = at.until(today, { largestUnit: "days" }).days;
  return age >= -DAYS_AHEAD && age <= MAX_RRN_AGE;
}
