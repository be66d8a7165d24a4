// Labels with their values, as the detail of a record shows them.
// What belongs here: the layout of such a list.
import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** A label and its value; a value that is empty is shown as a dash. */
export type Fact = { readonly label: string; readonly value: ReactNode };

/** Facts in as many columns as there is room for. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={classes["facts"]}>
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value === "" || value === null || value === undefined ? "–" : value}</dd>
        </div>
      ))}
    </dl>
  );
}
