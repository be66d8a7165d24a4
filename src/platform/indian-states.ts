// The states and union territories of India with their GST codes, and how to read one from people's text.
// docs/rules/invoicing.md#reading-a-state

/** `code` is the two digits that begin a GSTIN. */
export type State = { readonly code: string; readonly name: string };

/**
 * The names of each code, separated by commas, first the one to print: English, former and Hindi names, abbreviations,
 * and misspellings that are short or far from the name. Other misspellings are found by edit distance.
 */
const NAMES: Readonly<Record<string, string>> = {
  "01": "Jammu and Kashmir, JK, जम्मू और कश्मीर",
  "02": "Himachal Pradesh, Himachal, HP, हिमाचल प्रदेश",
  "03": "Punjab, Panjab, PB, पंजाब",
  "04": "Chandigarh, CH, चंडीगढ़",
  "05": "Uttarakhand, Uttaranchal, UK, UA, UT, उत्तराखंड, उत्तरांचल",
  "06": "Haryana, HR, हरियाणा",
  "07": "Delhi, New Delhi, National Capital Territory of Delhi, Dehli, DL, दिल्ली, नई दिल्ली",
  "08": "Rajasthan, RJ, राजस्थान",
  "09": "Uttar Pradesh, UP, उत्तर प्रदेश",
  "10": "Bihar, Behar, BR, बिहार",
  "11": "Sikkim, Sikim, SK, सिक्किम",
  "12": "Arunachal Pradesh, Arunachal, AR, अरुणाचल प्रदेश",
  "13": "Nagaland, NL, नागालैंड, नगालैंड",
  "14": "Manipur, MN, मणिपुर",
  "15": "Mizoram, MZ, मिज़ोरम",
  "16": "Tripura, TR, त्रिपुरा",
  "17": "Meghalaya, ML, मेघालय",
  "18": "Assam, Asam, AS, असम, आसाम",
  "19": "West Bengal, WB, पश्चिम बंगाल",
  "20": "Jharkhand, JH, झारखंड",
  "21": "Odisha, Orissa, Odissa, Orisa, Orrisa, OD, OR, ओडिशा, उड़ीसा",
  "22": "Chhattisgarh, Chattisghar, CG, CT, छत्तीसगढ़",
  "23": "Madhya Pradesh, MP, मध्य प्रदेश",
  "24": "Gujarat, Gujrat, GJ, गुजरात",
  "26":
    "Dadra and Nagar Haveli and Daman and Diu, Dadra and Nagar Haveli, Daman and Diu, DNHDD, DNH, DN, DH, " +
    "DD, दादरा और नगर हवेली और दमन और दीव, दादरा और नगर हवेली, दमन और दीव",
  "27": "Maharashtra, MH, महाराष्ट्र",
  "29": "Karnataka, KA, कर्नाटक",
  "30": "Goa, GA, गोवा",
  "31": "Lakshadweep, Laccadive Islands, LD, लक्षद्वीप",
  "32": "Kerala, Keralam, Kerela, KL, केरल",
  "33": "Tamil Nadu, TN, तमिलनाडु",
  "34": "Puducherry, Pondicherry, PY, पुदुचेरी, पुडुचेरी, पांडिचेरी",
  "35":
    "Andaman and Nicobar Islands, Andaman and Nicobar, A and N Islands, AN, अंडमान और निकोबार द्वीप समूह, " +
    "अंडमान और निकोबार",
  "36": "Telangana, TG, TS, तेलंगाना, तेलंगाणा",
  "37":
    "Andhra Pradesh, Andhra, AP, आंध्र प्रदेश, Andhra Pradesh (New), Andhra Pradesh (Old), " +
    "Andhra Pradesh (Before Division)",
  "38": "Ladakh, Laddakh, Ladak, LA, लद्दाख",
  "96":
    "Other country, Other countries, Foreign country, Foreign, Abroad, Overseas, Outside India, " +
    "Outside of India, अन्य देश, विदेश",
  "97": "Other Territory, अन्य क्षेत्र",
  "99": "Centre Jurisdiction",
};

/** Codes in older GSTINs, and their current codes. */
const SUCCESSORS: ReadonlyMap<string, string> = new Map([
  ["25", "26"],
  ["28", "37"],
]);

/** Codes that a misspelling can never mean, since no address has them. */
const NO_STATES: ReadonlySet<string> = new Set(["96", "97", "99"]);
const CONNECTIVES: ReadonlySet<string> = new Set(["and", "n", "और", "एवं", "तथा", "व"]);
const FILLERS: ReadonlySet<string> = new Set([
  "state",
  "union",
  "territory",
  "ut",
  "nct",
  "of",
  "the",
  "code",
  "in",
  "india",
  "राज्य",
  "भारत",
]);

/** Accepted edits by the least length of the name. Shorter names are too similar to each other. */
const LEAST_LETTERS = 7;
const LETTERS_FOR_TWO_EDITS = 9;
/** By how many more edits every other state must differ. */
const MARGIN = 2;
/** Names that are further away are not even suggested. */
const MAX_EDITS = 4;
const MAX_SUGGESTIONS = 3;
/** Longer texts are not compared, so that a large request stays cheap. */
const LONGEST_COMPARED = 30;
/** Texts of at least this length are also searched within names: Kashmir, Nicobar. */
const LEAST_PART = 5;

/**
 * The words and numbers of a text, normalized for comparison: without case, accents, punctuation or nuktas, with one
 * nasal sign for all of Devanagari, and "&" as "and".
 */
function wordsOf(text: string): string[] {
  const folded = text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f\u093c\p{Cf}]/gu, "")
    .replaceAll(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - "०".charCodeAt(0)))
    .replaceAll("ँ", "ं")
    .replaceAll(/[ङञणनम]्(?=[क-ह])/g, "ं")
    .replaceAll(/[&+]/g, " and ")
    // Initials: M.P., U. P.
    .replaceAll(/(?<!\p{L})(\p{L})\.\s*(?=\p{L}(?:\.|$))/gu, "$1");
  return folded.match(/[\p{L}\p{M}]+|[0-9]+/gu) ?? [];
}

function keyOf(words: readonly string[], ...leftOut: ReadonlySet<string>[]): string {
  return words.filter((word) => !leftOut.some((each) => each.has(word))).join("");
}

const NAMES_OF_CODE: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(NAMES).map(([code, names]) => [code, names.split(", ")]),
);
/** The states of addresses, by name. Codes of the Centre's own registrations are left out. */
export const STATES: readonly State[] = [...NAMES_OF_CODE]
  .map(([code, [name]]) => ({ code, name: name! }))
  .filter(({ code }) => code !== "99")
  .toSorted(
    (one, other) =>
      Number(NO_STATES.has(one.code)) - Number(NO_STATES.has(other.code)) || (one.name < other.name ? -1 : 1),
  );
const CODE_OF_KEY: ReadonlyMap<string, string> = new Map(
  [...NAMES_OF_CODE].flatMap(([code, names]) =>
    names.flatMap((name) => {
      const words = wordsOf(name);
      return [[keyOf(words), code] as const, [keyOf(words, CONNECTIVES), code] as const];
    }),
  ),
);
const COMPARED = [...CODE_OF_KEY].filter(([key, code]) => key.length >= 3 && !NO_STATES.has(code));

function stateOfCode(code: string): State | null {
  const current = SUCCESSORS.get(code) ?? code;
  const names = NAMES_OF_CODE.get(current);
  return names ? { code: current, name: names[0]! } : null;
}

/** The state of a GSTIN; `null` without a GSTIN, or if it has no state. */
export function stateOfGstin(gstin: string): State | null {
  return stateOfCode(gstin.slice(0, 2));
}

/**
 * The state that a text means: a name, an abbreviation, a code, or a code with its name. A misspelling is accepted if
 * it can only mean one state. `null` otherwise, also for an empty text.
 */
export function readState(text: string): State | null {
  const words = wordsOf(text);
  const numbers = words.filter(isNumber);
  const named = words.filter((word) => !isNumber(word));
  const byName = codeOfWords(named);
  const [number] = numbers;
  if (number === undefined) return byName === null ? null : stateOfCode(byName);
  if (numbers.length > 1 || number.length > 2) return null;
  const state = stateOfCode(number.padStart(2, "0"));
  const isAlone = keyOf(named, CONNECTIVES, FILLERS) === "";
  return state !== null && (isAlone || byName === state.code) ? state : null;
}

function isNumber(word: string): boolean {
  return /^[0-9]/.test(word);
}

function codeOfWords(words: readonly string[]): string | null {
  const bare = keyOf(words, CONNECTIVES, FILLERS);
  const keys = [keyOf(words), keyOf(words, CONNECTIVES), bare];
  for (const key of keys) {
    const code = CODE_OF_KEY.get(key);
    if (code !== undefined) return code;
  }
  return codeOfMisspelling(bare);
}

/** Towns and foreign places must never pass: Manipal is not Manipur, and East Bengal is abroad. */
function codeOfMisspelling(key: string): string | null {
  if (key.length < LEAST_LETTERS - 1) return null;
  const [first, second] = statesNear(key, MAX_EDITS);
  if (!first || first.key.length < LEAST_LETTERS || first.key[0] !== key[0]) return null;
  if (first.edits > (first.key.length >= LETTERS_FOR_TWO_EDITS ? 2 : 1)) return null;
  return second && second.edits < first.edits + MARGIN ? null : first.code;
}

/** The names of up to three states that contain the text or are similar to it, nearest first. */
export function nearestStates(text: string): string[] {
  const key = keyOf(wordsOf(text), CONNECTIVES, FILLERS);
  const partOf = key.length < LEAST_PART ? [] : COMPARED.filter(([name]) => name.includes(key)).map(([, code]) => code);
  const near = statesNear(key, Math.min(MAX_EDITS, Math.ceil(key.length / 2))).map(({ code }) => code);
  return [...new Set([...partOf, ...near])].slice(0, MAX_SUGGESTIONS).map((code) => NAMES_OF_CODE.get(code)![0]!);
}

type Near = { readonly code: string; readonly key: string; readonly edits: number };

/** The states within so many edits, each once with its nearest name; nearest first. */
function statesNear(key: string, mostEdits: number): Near[] {
  if (key.length > LONGEST_COMPARED) return [];
  const nearest = new Map<string, Near>();
  for (const [name, code] of COMPARED) {
    if (Math.abs(name.length - key.length) > mostEdits) continue;
    const edits = editsBetween(key, name, mostEdits);
    if (edits < (nearest.get(code)?.edits ?? Infinity)) nearest.set(code, { code, key: name, edits });
  }
  return [...nearest.values()].sort((one, other) => one.edits - other.edits);
}

/** One more than the longest name's length. The rows are reused: only one comparison runs at a time. */
const WIDTH = 1 + Math.max(...COMPARED.map(([name]) => name.length));
const TABLE = new Uint8Array((LONGEST_COMPARED + 1) * WIDTH);

/**
 * The edit distance of two texts, counting insertions, deletions, replacements and swaps of neighbours; infinite if
 * above `most`.
 */
function editsBetween(one: string, other: string, most: number): number {
  for (let column = 0; column <= other.length; column += 1) TABLE[column] = column;
  for (let row = 1; row <= one.length; row += 1) {
    const at = row * WIDTH;
    TABLE[at] = row;
    let least = row;
    const letter = one.charCodeAt(row - 1);
    const before = row > 1 ? one.charCodeAt(row - 2) : -1;
    for (let column = 1; column <= other.length; column += 1) {
      const place = at + column;
      const isSame = letter === other.charCodeAt(column - 1);
      let edits = TABLE[place - WIDTH - 1]! + (isSame ? 0 : 1);
      edits = Math.min(edits, TABLE[place - WIDTH]! + 1, TABLE[place - 1]! + 1);
      const isSwapped =
        column > 1 && letter === other.charCodeAt(column - 2) && before === other.charCodeAt(column - 1);
      if (isSwapped) edits = Math.min(edits, TABLE[place - 2 * WIDTH - 2]! + 1);
      TABLE[place] = edits;
      if (edits < least) least = edits;
    }
    if (least > most) return Infinity;
  }
  const edits = TABLE[one.length * WIDTH + other.length]!;
  return edits > most ? Infinity : edits;
}
