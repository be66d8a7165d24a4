// Whether the name that a bank has for an account is the payee's. One rule for all providers, whose own scores differ.
// docs/rules/payouts.md#verified-accounts has the rule in words.

/** How people and firms are addressed, which is no part of the name. */
const TITLES = new Set(["MR", "MRS", "MS", "MISS", "DR", "SHRI", "SHREE", "SRI", "SMT", "KUM", "MESSRS"]);
/** Words that are written in several ways. */
const SAME: Readonly<Record<string, string>> = {
  PVT: "PRIVATE",
  LTD: "LIMITED",
  CO: "COMPANY",
  CORP: "CORPORATION",
  BROS: "BROTHERS",
  ENTERPRISE: "ENTERPRISES",
  AND: "",
};
/** Banks cut names off, at the earliest here. */
const SHORTEST_CUT = 18;

/**
 * Whether two names are the same but for case, accents, punctuation, titles, the order of words, ways to write a firm's form,
 * initials in place of words, and an end that the bank has cut off.
 */
export function isSameName(given: string, atBank: string): boolean {
  const [ours, theirs] = [wordsOf(given), wordsOf(atBank)];
  if (ours.length === 0 || theirs.length === 0) return false;
  const [oursJoined, theirsJoined] = [ours.join(""), theirs.join("")];
  if (oursJoined === theirsJoined) return true;
  if (theirsJoined.length >= SHORTEST_CUT && oursJoined.startsWith(theirsJoined)) return true;
  return hasSameWords(ours, theirs);
}

function wordsOf(name: string): string[] {
  const plain = name
    .normalize("NFKD")
    // Accents of Latin letters; the vowel signs of other scripts are part of the word.
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toUpperCase()
    .replaceAll(/\bM\s*\/\s*S\b\.?/g, " ")
    .replaceAll(/\(\s*P\s*\)/g, " PRIVATE ")
    .replaceAll(/['’]/g, "");
  return plain
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .map((word) => SAME[word] ?? word)
    .filter((word) => word !== "" && !TITLES.has(word));
}

/** The same words in any order, where one letter stands for any word that begins with it; one whole word at least. */
function hasSameWords(ours: readonly string[], theirs: readonly string[]): boolean {
  if (ours.length !== theirs.length) return false;
  const left = [...theirs];
  const take = (isIt: (word: string) => boolean): boolean => {
    const place = left.findIndex(isIt);
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  };
  const others = ours.filter((word) => !take((each) => each === word));
  const hasWhole = ours.some((word) => word.length > 1 && !others.includes(word));
  const isInitial = (word: string, of: string): boolean => word.length === 1 && of.startsWith(word);
  return hasWhole && others.every((word) => take((each) => isInitial(word, each) || isInitial(each, word)));
}
