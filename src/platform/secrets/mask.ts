// Masks account numbers, identity numbers and handles.

const HIDDEN = "XXXX";
const SHOWN = 4;

/**
 * The last 4 characters after `XXXX`, or only `XXXX` if too little would stay hidden. For a handle such as `asha@upi`,
 * the part after the @. An empty text stays empty.
 */
export function mask(text: string): string {
  if (text === "") return "";
  const at = text.lastIndexOf("@");
  if (at >= 0) return HIDDEN + text.slice(at);
  return text.length < 2 * SHOWN ? HIDDEN : HIDDEN + text.slice(-SHOWN);
}
