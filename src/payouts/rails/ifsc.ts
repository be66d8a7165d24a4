// The bank of an IFSC, and whether the code is in the current list (`npm run ifsc:refresh`). An unknown code may be new, and is
// accepted: docs/rules/payouts.md#ifsc
import { readFileSync } from "node:fs";

/** The known facts of an IFSC. */
export type DescribedIfsc = {
  /** The bank, or the smaller bank if the code is a sub-member's at a bigger bank; `null` if unknown. */
  readonly bank: string | null;
  readonly isListed: boolean;
};

type Bank = { readonly name: string; readonly digits: string; readonly others: string };
/** The first and the last of each stretch of numbers that follow one another, in order. */
type Stretches = readonly (readonly [number, number])[];
type IfscList = {
  readonly banks: ReadonlyMap<string, Bank>;
  /** Smaller banks, by a whole code or by its beginning. */
  readonly tenants: ReadonlyMap<string, string>;
};

const FILE = new URL("ifsc-list.txt", import.meta.url);
const TENANT_PREFIX_LENGTHS = [11, 10, 9, 8, 7, 6];

let loaded: IfscList | null = null;
const stretchesOf = new Map<string, Stretches>();

/** Describes an IFSC of the right form, in capitals. */
export function describeIfsc(code: string): DescribedIfsc {
  loaded ??= readIfscList(readFileSync(FILE, "utf8"));
  const { banks, tenants } = loaded;
  const bank = banks.get(code.slice(0, 4));
  const prefix = TENANT_PREFIX_LENGTHS.map((length) => code.slice(0, length)).find((each) => tenants.has(each));
  const owner = prefix === undefined ? bank : (banks.get(tenants.get(prefix)!) ?? bank);
  const branch = code.slice(5);
  const isListed = bank !== undefined && (isWritten(bank, branch) || prefix?.length === code.length);
  return { bank: owner?.name ?? null, isListed };
}

function isWritten({ digits, others }: Bank, branch: string): boolean {
  const [list, wanted] = /^[0-9]+$/.test(branch) ? [digits, Number(branch)] : [others, parseInt(branch, 36)];
  const stretches = stretchesOf.get(list) ?? readNumbers(list);
  stretchesOf.set(list, stretches);
  return stretches.some(([first, last]) => wanted >= first && wanted <= last);
}

/**
 * Reads the file. After lines of comment, a line is a bank (`HDFC|HDFC Bank|numbers|numbers`: branches of digits alone,
 * and the others as numbers to the base 36) or a smaller bank's code (`>|YESB0ABC|ABCX`).
 */
export function readIfscList(text: string): IfscList {
  const banks = new Map<string, Bank>();
  const tenants = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [head = "", second = "", third = "", fourth = ""] = line.split("|");
    if (head === ">") tenants.set(second, third);
    else banks.set(head, { name: second, digits: third, others: fourth });
  }
  return { banks, tenants };
}

/**
 * Reads a list as `writeNumbers` makes it: stretches of numbers that follow one another, each by its distance from the end of
 * the one before and, behind a dot, how many more there are, to the base 36.
 */
export function readNumbers(list: string): Stretches {
  let last = -1;
  return (list === "" ? [] : list.split(",")).map((stretch) => {
    const [gap = "", more = "0"] = stretch.split(".");
    const first = last + parseInt(gap, 36);
    last = first + parseInt(more, 36);
    return [first, last];
  });
}
