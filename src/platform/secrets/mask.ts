// How account numbers, identity numbers and handles are shown where not everybody may see them.

const HIDDEN = "XXXX";
const SHOWN = 4;
/** Characters of a name before the @ that are shown: the first two and the last. */
const SHOWN_OF_NAME = 3;

/**
 * The last 4 characters behind `XXXX`, or `XXXX` alone where too little would stay hidden. Of a handle such as
 * `asha@upi`, what follows the @; of a longer one, also its first two characters and the last before the @: `ra`, `XXXX`, `r@upi`. An
 * empty text stays empty.
 */
export function mask(text: string): string {
  if (text === "") return "";
  const at = text.lastIndexOf("@");
  if (at >= 2 * SHOWN_OF_NAME) return text.slice(0, 2) + HIDDEN + text.slice(at - 1);
  if (at >= 0) return HIDDEN + text.slice(at);
  return text.length < 2 * SHOWN ? HIDDEN : HIDDEN + text.slice(-SHOWN);
}
