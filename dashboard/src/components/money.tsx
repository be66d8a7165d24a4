// Amounts on a page: Indian grouping, digits of one width, minus amounts told by more than colour.
// What belongs here: showing. Reading and writing amounts is format/money.ts.
import { indianAmount, rupees } from "../format/money.ts";
import classes from "./money.module.css";

type Props = {
  /** A wire amount: `"590.00"`. */
  readonly amount: string;
  /** Without the rupee sign, for a column whose heading has it. */
  readonly plain?: boolean;
};

/** An amount of rupees. */
export function Money({ amount, plain = false }: Props) {
  return <span className={classes["money"]}>{plain ? indianAmount(amount) : rupees(amount)}</span>;
}
