// Amounts on the first page, each with its label and a link to the list that it sums.
import { Paper, Skeleton, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { WEIGHT } from "../../app/tokens.ts";
import { Money } from "../../components/values.tsx";
import classes from "./home.module.css";

export type Target = {
  /** The list; `null` for people who may not see it. */
  readonly to: string | null;
  readonly search?: Readonly<Record<string, string>>;
};

/** An amount that leads to a list. */
export function MoneyLink({ amount, to, search = {} }: Target & { readonly amount: string }) {
  if (to === null) return <Money amount={amount} />;
  return (
    <Link to={to} search={search} className={classes["plain"]}>
      <Money amount={amount} />
    </Link>
  );
}

/** The one large amount of a panel; `undefined` while it loads. */
export function BigMoney({ amount, ...target }: Target & { readonly amount: string | undefined }) {
  return (
    <div className={classes["figure"]}>
      {amount === undefined ? <Skeleton height="1lh" width="10rem" /> : <MoneyLink amount={amount} {...target} />}
    </div>
  );
}

export type Sum = Target & {
  readonly label: ReactNode;
  /** `undefined` while it is on its way. */
  readonly amount: string | undefined;
  /** After the amount: the number of summed items. */
  readonly count?: string | undefined;
  /** Its colour in the chart. */
  readonly series?: number;
};

/** Amounts beside each other. */
export function Sums({ sums, below = false }: { readonly sums: readonly Sum[]; readonly below?: boolean }) {
  return (
    <dl className={classes["sums"]} data-below={below || undefined}>
      {sums.map(({ label, amount, count, series, ...target }, place) => (
        <div key={place}>
          <dt>
            {series !== undefined && <span className={classes["swatch"]} data-series={series} />}
            {label}
          </dt>
          <dd>
            {amount === undefined ? (
              <Skeleton height="1.5rem" width="7rem" />
            ) : (
              <MoneyLink amount={amount} {...target} />
            )}
            {count !== undefined && <small> {count}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type Props = {
  readonly label: string;
  readonly amount: string;
  readonly hint: ReactNode;
};

/** An amount with its label, in a panel of its own. */
export function Figure({ label, amount, hint }: Props) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={WEIGHT.strong}>
        <Money amount={amount} />
      </Text>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
    </Paper>
  );
}
