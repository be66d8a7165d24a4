// The states and union territories of India and their GST codes. Source: rails.md, "GST invoice".
// What belongs here: the table, and reading a state out of a GSTIN or an address.

export type State = { readonly code: string; readonly name: string };

const NAMES: Readonly<Record<string, readonly string[]>> = {
  "01": ["Jammu and Kashmir", "J&K"],
  "02": ["Himachal Pradesh"],
  "03": ["Punjab"],
  "04": ["Chandigarh"],
  "05": ["Uttarakhand", "Uttaranchal"],
  "06": ["Haryana"],
  "07": ["Delhi", "New Delhi", "NCT of Delhi"],
  "08": ["Rajasthan"],
  "09": ["Uttar Pradesh", "UP"],
  "10": ["Bihar"],
  "11": ["Sikkim"],
  "12": ["Arunachal Pradesh"],
  "13": ["Nagaland"],
  "14": ["Manipur"],
  "15": ["Mizoram"],
  "16": ["Tripura"],
  "17": ["Meghalaya"],
  "18": ["Assam"],
  "19": ["West Bengal"],
  "20": ["Jharkhand"],
  "21": ["Odisha", "Orissa"],
  "22": ["Chhattisgarh"],
  "23": ["Madhya Pradesh", "MP"],
  "24": ["Gujarat"],
  "26": ["Dadra and Nagar Haveli and Daman and Diu", "Dadra and Nagar Haveli", "Daman and Diu"],
  "27": ["Maharashtra"],
  "29": ["Karnataka"],
  "30": ["Goa"],
  "31": ["Lakshadweep"],
  "32": ["Kerala"],
  "33": ["Tamil Nadu", "TN"],
  "34": ["Puducherry", "Pondicherry"],
  "35": ["Andaman and Nicobar Islands", "Andaman and Nicobar"],
  "36": ["Telangana"],
  "37": ["Andhra Pradesh", "AP"],
  "38": ["Ladakh"],
  "97": ["Other Territory"],
  "99": ["Centre Jurisdiction"],
};

/** Codes that GSTINs of earlier years still carry, and what they are now. */
const SUCCESSORS: ReadonlyMap<string, string> = new Map([
  ["25", "26"],
  ["28", "37"],
]);

/** Spelling, spaces and "&" make no difference. */
function fold(name: string): string {
  return name
    .toLowerCase()
    .replaceAll("&", "and")
    .replaceAll(/[^a-z]/g, "");
}

const NAMES_OF_CODE: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(NAMES));
const CODE_OF_NAME = new Map(
  Object.entries(NAMES).flatMap(([code, names]) => names.map((name) => [fold(name), code] as const)),
);

function stateOfCode(code: string): State | null {
  const current = SUCCESSORS.get(code) ?? code;
  const names = NAMES_OF_CODE.get(current);
  return names ? { code: current, name: names[0]! } : null;
}

/** The state of a party: its GSTIN's first two digits, else the state of its address; `null` where neither says. */
export function stateOf(gstin: string, addressState: string): State | null {
  return stateOfCode(gstin.slice(0, 2)) ?? stateOfCode(CODE_OF_NAME.get(fold(addressState)) ?? addressState.trim());
}
