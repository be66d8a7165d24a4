// Finding by words, in the language of the page or in English.
import { englishOf } from "../strings/put-in-place.ts";

/** Whether each word of a text is part of these texts, or of their English originals. */
export function hasWords(texts: readonly string[], text: string): boolean {
  const all = texts
    .flatMap((each) => [each, ...englishOf(each)])
    .join(" ")
    .toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
