/** What an excerpt keeps of the end of a text: a sentence that quotes something says behind it what is wrong. */
const END_LENGTH = 100;

/** A text of at most `maxLength` characters, above 200: of a longer one its beginning and its end. */
export function excerpt(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.slice(-END_LENGTH);
  return `${text.slice(0, maxLength - END_LENGTH - 3)} … ${end}`.toWellFormed();
}
