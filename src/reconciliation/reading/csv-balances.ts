// Opening and closing balances among the rows of a table.
import { formatRupees } from "../../platform/indian-format.ts";
import { isNewestFirst, signed, type Problems, type ReadLine } from "./statement.ts";

type Balance = { readonly paise: bigint; readonly after: number; readonly isNamed: boolean; readonly fileLine: number };
type Kind = "opening" | "closing";

/** Collects the balances of a table. Balances at a page break are not those of the file. */
export class BalancesOfTable {
  readonly #openings: Balance[] = [];
  readonly #closings: Balance[] = [];

  /** All opening balances, including those of pages. */
  get openings(): readonly bigint[] {
    return this.#openings.map(({ paise }) => paise);
  }

  /** Adds a balance after `after` lines. `isNamed`: it is called opening or closing, not brought or carried forward. */
  add(kind: Kind, balance: Balance): void {
    (kind === "opening" ? this.#openings : this.#closings).push(balance);
  }

  /**
   * Adds a problem for a balance between lines that doesn't follow from the balance before it, as one of another account would not.
   * A page may repeat the balances of the whole file.
   */
  check(lines: readonly ReadLine[], charges: ReadonlyMap<ReadLine, readonly ReadLine[]>, problems: Problems): void {
    const count = lines.length;
    const moved = lines.map((line) =>
      [line, ...(charges.get(line) ?? [])].reduce((sum, each) => sum + signed(each), 0n),
    );
    const days = lines.length > 1 && !lines[0]!.bookedOn.equals(lines.at(-1)!.bookedOn);
    const orders = days ? [isNewestFirst(lines)] : [false, true];
    const wrong = orders.map((isBackward) => {
      const whole = [this.opening(count, isBackward), this.closing(count, isBackward)];
      const between = [...this.#openings, ...this.#closings]
        .filter(({ after, paise }) => after > 0 && after < count && !whole.includes(paise))
        .toSorted((one, other) => (isBackward ? other.after - one.after : one.after - other.after));
      let running = whole[0] ?? null;
      let at = isBackward ? count : 0;
      for (const balance of between) {
        for (; at !== balance.after; at += isBackward ? -1 : 1) {
          const index = isBackward ? at - 1 : at;
          running = lines[index]!.balancePaise ?? (running === null ? null : running + moved[index]!);
        }
        if (running !== null && running !== balance.paise && running !== -balance.paise) return { balance, running };
        running ??= balance.paise;
      }
      return null;
    });
    const [found] = wrong;
    if (!found || wrong.includes(null)) return;
    const problem = `it is ${formatRupees(found.balance.paise)} here, but the balance before it and the lines add up to ${formatRupees(found.running)}. Another account seems to begin here, or a line is missing. Import a whole file for each account.`;
    problems.add(found.balance.fileLine, "balance", problem);
  }

  /** The balance before the first of `count` lines. If the newest line comes first, it is the last balance in the file. */
  opening(count: number, isNewestFirst: boolean): bigint | null {
    const found = atEnd(this.#openings, isNewestFirst ? [count, 0] : [0, count]);
    return (isNewestFirst ? found.at(-1) : found[0]) ?? null;
  }

  /** The balance after the last of `count` lines. */
  closing(count: number, isNewestFirst: boolean): bigint | null {
    const found = atEnd(this.#closings, isNewestFirst ? [0, count] : [count, 0]);
    return (isNewestFirst ? found[0] : found.at(-1)) ?? null;
  }
}

/** The balances at the expected end of the lines, else named ones at the other end: a summary has both. */
function atEnd(balances: readonly Balance[], [own, other]: readonly [number, number]): bigint[] {
  const here = balances.filter(({ after }) => after === own);
  const found = here.length > 0 ? here : balances.filter(({ after, isNamed }) => after === other && isNamed);
  return found.map(({ paise }) => paise);
}
