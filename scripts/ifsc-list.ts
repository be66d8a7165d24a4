// How the list of IFSC codes is written. How it is read, and its form: src/payouts/rails/ifsc.ts.

/** The data of the npm package `ifsc`. */
export type IfscSource = {
  readonly version: string;
  readonly fetchedOn: string;
  readonly licence: string;
  /** Of banks, by their four letters. */
  readonly names: Readonly<Record<string, string>>;
  /** The six characters after the 0, by bank: digits alone as numbers. */
  readonly branches: Readonly<Record<string, readonly (number | string)[]>>;
  /** Codes, or beginnings of them, that a smaller bank has with a bigger one. */
  readonly tenants: Readonly<Record<string, string>>;
};

/** The whole file. */
export function writeIfscList({ version, fetchedOn, licence, names, branches, tenants }: IfscSource): string {
  const comment = [
    `IFSC codes of the npm package ifsc, version ${version}, fetched on ${fetchedOn}. Made by \`npm run ifsc:refresh\`.`,
    "",
    ...licence.trim().split("\n"),
  ];
  const lines = comment.map((line) => `# ${line}`.trimEnd());
  for (const [bank, name] of Object.entries(names).toSorted(byCode)) {
    const codes = branches[bank] ?? [];
    const digits = codes.filter((code) => typeof code === "number");
    const others = codes.filter((code) => typeof code === "string").map((code) => parseInt(code, 36));
    lines.push([bank, name.replaceAll(/[|\s]+/g, " ").trim(), writeNumbers(digits), writeNumbers(others)].join("|"));
  }
  for (const [code, bank] of Object.entries(tenants).toSorted(byCode)) lines.push(`>|${code}|${bank}`);
  return `${lines.join("\n")}\n`;
}

function byCode([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

/** Whole numbers from 0 on, as `readNumbers` reads them. */
export function writeNumbers(numbers: readonly number[]): string {
  const stretches: { first: number; last: number }[] = [];
  for (const number of [...new Set(numbers)].toSorted((a, b) => a - b)) {
    const current = stretches.at(-1);
    if (current && number === current.last + 1) current.last = number;
    else stretches.push({ first: number, last: number });
  }
  return stretches
    .map(({ first, last }, index) => {
      const gap = (first - (stretches[index - 1]?.last ?? -1)).toString(36);
      return last === first ? gap : `${gap}.${(last - first).toString(36)}`;
    })
    .join(",");
}
