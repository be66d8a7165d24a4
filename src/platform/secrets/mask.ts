// How account numbers, identity numbers and handles are shown where not everybody may see them.

const HIDDEN = "XXXX";
const SHOWN = 4;

/**
 * The last 4 characters behind `XXXX`, or `XXXX` alone where too little would stay hidden. Of a handle such as
 * `asha@upi`, what follows the @. An empty text stays empty.
 */
export function mask(text: string): string {
  if (text === "") return "";
  const at = text.lastIndexOf("@");
  if (at >= 0) return HIDDEN + text.slice(at);
  return text.length < 2 * SHOWN ? HIDDEN : HIDDEN + text.slice(-SHOWN);
}
