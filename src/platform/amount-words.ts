// Amounts in words, in the Indian system: Rupees One Lakh Twenty-Three Thousand and Forty-Five Paise Only. Digits and
// grouping are indian-format.ts.

const BELOW_TWENTY = (
  "Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen " +
  "Sixteen Seventeen Eighteen Nineteen"
).split(" ");
const TENS = "_ _ Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety".split(" ");

/** From the largest down. Above a crore the count of crores is itself put in words: One Lakh Crore. */
const SCALES = [
  { value: 1_00_00_000n, name: "Crore" },
  { value: 1_00_000n, name: "Lakh" },
  { value: 1_000n, name: "Thousand" },
  { value: 100n, name: "Hundred" },
] as const;

/** The words printed under a total. Takes paise of any size and sign; below one rupee only the paise are named. */
export function amountInWords(paise: bigint): string {
  const size = paise < 0n ? -paise : paise;
  const rupees = size / 100n;
  const fraction = size % 100n;
  const parts: string[] = [];
  if (rupees > 0n || fraction === 0n) parts.push(`Rupees ${numberInWords(rupees)}`);
  if (fraction > 0n) parts.push(`${numberInWords(fraction)} ${fraction === 1n ? "Paisa" : "Paise"}`);
  return `${paise < 0n ? "Minus " : ""}${parts.join(" and ")} Only`;
}

/** A whole number from zero up, in words. */
function numberInWords(number: bigint): string {
  for (const scale of SCALES) {
    if (number < scale.value) continue;
    const rest = number % scale.value;
    const head = `${numberInWords(number / scale.value)} ${scale.name}`;
    return rest === 0n ? head : `${head} ${numberInWords(rest)}`;
  }
  if (number < 20n) return BELOW_TWENTY[Number(number)]!;
  const unit = number % 10n;
  const tens = TENS[Number(number / 10n)]!;
  return unit === 0n ? tens : `${tens}-${BELOW_TWENTY[Number(unit)]!}`;
}
