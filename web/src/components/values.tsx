// Displays values: amounts, statuses, labelled facts, and totals.
import { Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { hasWrongCheckDigit } from "../format/check-digits.ts";
import { indianAmount, rupees } from "../format/money.ts";
import { gstinAndState } from "../strings/customers.ts";
import { statuses, type Tone } from "../strings/statuses.ts";
import classes from "./values.module.css";
import { shell } from "../strings/shell.ts";
import { WEIGHT } from "../app/tokens.ts";

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

type StatusBadgeProps = {
  /** The wire's value. */
  readonly status: string;
  /** Instead of the listed ones. */
  readonly tone?: Tone;
  readonly word?: string;
};

/** A status of the API, in words. */
export function StatusBadge({ status, tone, word }: StatusBadgeProps) {
  const known = statuses[status];
  return (
    <span className={classes["badge"]} data-tone={tone ?? known?.tone ?? "neutral"}>
      {word ?? known?.word ?? status}
    </span>
  );
}

/** A GSTIN as it is saved, with a warning beside it if its check digit is wrong. */
export function Gstin({ gstin }: { readonly gstin: string }) {
  if (!hasWrongCheckDigit(gstin)) return gstin || "–";
  return (
    <>
      {gstin} <StatusBadge status={gstinAndState.wrongDigit} tone="warning" />
    </>
  );
}

/** A label and its value; an empty value is shown as a dash. */
export type Fact = { readonly label: string; readonly value: ReactNode };

type FactsProps = {
  readonly facts: readonly Fact[];
  /** Each in a row with its label, for a narrow panel. */
  readonly inRows?: boolean;
};

/** Facts in as many columns as there is room for; on a phone, in rows. */
export function Facts({ facts, inRows = false }: FactsProps) {
  return (
    <dl className={classes["facts"]} data-rows={inRows || undefined}>
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value === "" || value === null || value === undefined ? "–" : value}</dd>
        </div>
      ))}
    </dl>
  );
}

type TotalsLine = { readonly label: string; readonly amount: string };

/** Lines and total. `label` names the table. */
export function TotalsTable({
  label,
  lines,
  total,
}: {
  readonly label: string;
  readonly lines: readonly TotalsLine[];
  readonly total: TotalsLine;
}) {
  return (
    <Table aria-label={label}>
      <Table.Tbody>
        {[...lines, total].map((line) => (
          <Table.Tr key={line.label}>
            <Table.Th scope="row" fw={line === total ? WEIGHT.strong : WEIGHT.regular} ta="right">
              {line.label}
            </Table.Th>
            <Table.Td ta="right" fw={line === total ? WEIGHT.strong : WEIGHT.regular} w="11rem">
              <Money amount={line.amount} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The item of an invoice's row, with its description below it. */
export function ItemCell({ item, description }: { readonly item: string; readonly description: string }) {
  return (
    <>
      {item}
      {description !== "" && (
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      )}
    </>
  );
}

/** The word, in the colours that the frame has for it. */
export function ModeBadge({ live }: { readonly live: boolean }) {
  return <StatusBadge status={live ? shell.live : shell.sandbox} tone={live ? "success" : "warning"} />;
}

/** A line below the first one of a cell; with `onPhones`, only where there are no columns for it. */
export function Below({ children, onPhones = false }: { readonly children: ReactNode; readonly onPhones?: boolean }) {
  return (
    <Text
      component="div"
      size="sm"
      c="dimmed"
      style={{ overflowWrap: "anywhere" }}
      {...(onPhones ? { hiddenFrom: "sm" } : {})}
    >
      {children}
    </Text>
  );
}
