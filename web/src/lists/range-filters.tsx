// Filters that many lists have: a period, and amounts from one to another.
// What belongs here: the fields. Their names are `from` and `to`, `amount_from` and `amount_to`, in every list.
import { NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { useState, type ReactNode } from "react";
import { useMerchant } from "../api/session.ts";
import { Action } from "../components/actions.tsx";
import { toPaise } from "../format/money.ts";
import { periodsAround } from "../format/periods.ts";
import { DateField } from "../forms/date-field.tsx";
import { lists } from "../strings/lists.ts";
import type { List } from "./use-list.ts";

export const DATE_FILTERS = ["from", "to"];
export const AMOUNT_FILTERS = ["amount_from", "amount_to"];

type Props = { readonly list: Pick<List<unknown>, "filters" | "setFilters"> };

type MoreProps = Props & {
  /** Which filters of the list they are: they are shown from the beginning where one of them is set. */
  readonly names: readonly string[];
  readonly children: ReactNode;
};

/** Filters that are shown on demand. */
export function MoreFilters({ list, names, children }: MoreProps) {
  const [isOpen, { toggle }] = useDisclosure(names.some((name) => list.filters[name]));
  return (
    <>
      <Action label={isOpen ? lists.fewerFilters : lists.moreFilters} onClick={toggle} aria-expanded={isOpen} />
      {isOpen && children}
    </>
  );
}

/** A period by its name, or from one day to another. */
export function DateRange({ list: { filters, setFilters } }: Props) {
  const { today } = useMerchant();
  const { from = "", to = "" } = filters;
  const periods = periodsAround(today);
  const chosen = periods.find((period) => period.from === from && period.to === to);
  const isOther = chosen === undefined && (from !== "" || to !== "");
  return (
    <>
      <NativeSelect
        label={lists.period}
        value={chosen?.name ?? (isOther ? "other" : "")}
        onChange={({ currentTarget: { value } }) => {
          const period = periods.find(({ name }) => name === value);
          if (value !== "other") setFilters({ from: period?.from ?? "", to: period?.to ?? "" });
        }}
        data={[
          { value: "", label: lists.anyDate },
          ...periods.map(({ name }) => ({ value: name, label: lists.periods[name] })),
          ...(isOther ? [{ value: "other", label: lists.otherPeriod }] : []),
        ]}
      />
      <DateField
        label={lists.from}
        w={150}
        value={from}
        max={to || undefined}
        onChange={(day) => setFilters({ from: day })}
        onlyDates
      />
      <DateField
        label={lists.to}
        w={150}
        value={to}
        min={from || undefined}
        onChange={(day) => setFilters({ to: day })}
        onlyDates
      />
    </>
  );
}

/** Amounts of rupees, both ends included. */
export function AmountRange({ list: { filters, setFilters } }: Props) {
  return (
    <>
      <AmountFilter
        label={lists.amountFrom}
        value={filters["amount_from"] ?? ""}
        onChange={(amount) => setFilters({ amount_from: amount })}
      />
      <AmountFilter
        label={lists.amountTo}
        value={filters["amount_to"] ?? ""}
        onChange={(amount) => setFilters({ amount_to: amount })}
      />
    </>
  );
}

const TYPING_MS = 400;

type AmountProps = { readonly label: string; readonly value: string; readonly onChange: (amount: string) => void };

/** An amount of rupees, or nothing. */
function AmountFilter({ label, value, onChange }: AmountProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const changeLater = useDebouncedCallback(onChange, TYPING_MS);
  if (value !== known) {
    setKnown(value);
    if (value !== plain(typed)) setTyped(value);
  }
  const isWrong = typed.trim() !== "" && (toPaise(typed) ?? 0n) <= 0n;
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      leftSection="₹"
      w={140}
      value={typed}
      error={isWrong && lists.amountInvalid}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        const amount = plain(currentTarget.value);
        if (amount === "" || (toPaise(amount) ?? 0n) > 0n) changeLater(amount);
      }}
    />
  );
}

function plain(typed: string): string {
  return typed.trim().replaceAll(",", "").replace(/^₹\s*/, "");
}
