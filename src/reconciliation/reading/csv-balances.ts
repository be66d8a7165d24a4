// Opening and closing balances among the rows of a table.

type Balance = { readonly paise: bigint; readonly after: number; readonly isNamed: boolean };

/** Gathers the balances of a table. Those at a page break are not those of the file. */
export class BalancesOfTable {
  readonly #openings: Balance[] = [];
  readonly #closings: Balance[] = [];

  /** All opening balances, those of pages too. */
  get openings(): readonly bigint[] {
    return this.#openings.map(({ paise }) => paise);
  }

  /** Takes a balance behind `after` lines. `isNamed` says that it is called the opening or closing one, not brought or carried forward. */
  add(kind: "opening" | "closing", balance: Balance): void {
    (kind === "opening" ? this.#openings : this.#closings).push(balance);
  }

  /** The balance before the first of `count` lines, which is the last of the file if the newest is first. */
  opening(count: number, isNewestFirst: boolean): bigint | null {
    const found = atEnd(this.#openings, isNewestFirst ? [count, 0] : [0, count]);
    return (isNewestFirst ? found.at(-1) : found[0]) ?? null;
  }

  /** The balance behind the last of `count` lines. */
  closing(count: number, isNewestFirst: boolean): bigint | null {
    const found = atEnd(this.#closings, isNewestFirst ? [0, count] : [count, 0]);
    return (isNewestFirst ? found[0] : found.at(-1)) ?? null;
  }
}

/** The balances at their own end of the lines; else those at the other end, if they are named: a summary has both. */
function atEnd(balances: readonly Balance[], [own, other]: readonly [number, number]): bigint[] {
  const here = balances.filter(({ after }) => after === own);
  const found = here.length > 0 ? here : balances.filter(({ after, isNamed }) => after === other && isNamed);
  return found.map(({ paise }) => paise);
}
