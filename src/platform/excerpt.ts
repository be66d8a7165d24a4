/** Characters that an excerpt keeps of the end: messages have the problem after the quotation. */
const END_LENGTH = 100;

/** At most `maxLength` characters (above 200) of a text: the beginning and the end of a longer one. */
export function excerpt(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.slice(-END_LENGTH);
  return `${text.slice(0, maxLength - END_LENGTH - 3)} … ${end}`.toWellFormed();
}
