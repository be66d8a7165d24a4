// Currencies that a bank's table names.

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
/** Currencies in which Indian banks keep accounts, by codes that occur in no other text. */
const CODE = "USD|EUR|GBP|AED|SGD|AUD|CAD|JPY|CHF|CNY|HKD|NZD|SAR|QAR|OMR|KWD|BHD";
const NAMED = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${CODE})(?![\p{L}\p{N}])|\b(?:dollars?|euros?|pounds?(?: sterling)?|dirhams?|riyals?|yen)\b|[$€£¥]`,
  "iu",
);
const RUPEES = /(?<!\p{L})(?:INR|Rs\.?|rupees?)(?!\p{L})|₹/iu;
/** A label with its value, in one cell or two: `Currency: USD`, `Account CCY`. Any code counts there. */
const CURRENCY = /^(?:(?:account|a\/?c|statement)\s+)?(?:currency|ccy)\b(?:\s+code)?[\s.:-]*(.*)$/i;
/** Texts about the currency of everything below: `Currency of account: USD`, `All amounts in USD`, `Account Type: EEFC - USD`. */
const OF_ALL = /\b(?:currency|ccy|EEFC)\b|\b(?:amounts?|figures|values)\b.{0,60}\bin\b/i;
/** A label whose value is in the next cell: `Currency (ISO)`. */
const LABEL = /(?:currency|ccy)(?:\W{0,9}\p{L}{1,20}){0,2}\W{0,9}$/iu;
/** In a longer text, only the beginning and the end are searched for a currency. */
const MAX_TEXT = 400;
/** `000205001234 ( USD )`, and a number after a code. */
const BESIDE_NUMBER = new RegExp(
  String.raw`\d{4}[^\p{L}]{0,20}\(\s{0,5}(?:${CODE})\s{0,5}\)|^(?:${CODE}|[$€£¥])\s*[\d,]+(?:\.\d+)?\b`,
  "u",
);

/** Whether a text begins with a currency code other than the rupee's: `USD`, `EUR - Euro`. */
export function isForeignCurrency(written: string): boolean {
  const [code = ""] = written.toUpperCase().split(/[^A-Z]/);
  return code !== "INR" && CURRENCIES.has(code);
}

/** Whether a text names a currency other than the rupee, and not the rupee: `US Dollar`, `$`, `Amount (USD)`. */
export function namesForeignCurrency(text: string): boolean {
  return NAMED.test(text) && !RUPEES.test(text);
}

/**
 * The foreign currency that a text gives for the lines, as in the file; `null` for none.
 * @param next the text after it in its row
 * @param isInLine whether it is part of a narration, in which only a label with its value counts
 */
export function otherCurrencyIn(text: string, next: string, isInLine: boolean): string | null {
  const parts = text.length > MAX_TEXT ? [text.slice(0, MAX_TEXT), text.slice(-MAX_TEXT)] : [text];
  const label = CURRENCY.exec(parts[0]!);
  const value = (label?.[1] || next.slice(0, MAX_TEXT)).replace(/^[\s:]+/, "");
  if (label && isForeignCurrency(value)) return value;
  return !isInLine && parts.some((part) => isOfOtherCurrency(part, next.slice(0, MAX_TEXT))) ? text : null;
}

function isOfOtherCurrency(text: string, next: string): boolean {
  if (BESIDE_NUMBER.test(text)) return true;
  if (!OF_ALL.test(text) || RUPEES.test(text)) return false;
  return namesForeignCurrency(text) || (LABEL.test(text) && namesForeignCurrency(next));
}
