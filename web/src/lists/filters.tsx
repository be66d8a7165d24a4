// Filters that many lists have: what is searched for, a period, and amounts from one to another. Their names are `from`
// and `to`, `amount_from` and `amount_to`, in every list.
import { Kbd, NativeSelect, TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback, useDisclosure, useHotkeys } from "@mantine/hooks";
import { useRef, useState, type ReactNode } from "react";
import { useMerchant } from "../api/session.ts";
import { Action } from "../components/actions.tsx";
import { useSingleKeys } from "../components/keys.ts";
import { SearchIcon } from "../components/icons.tsx";
import { typedAmount } from "../../../src/platform/as-typed.ts";
import { toPaise } from "../format/money.ts";
import { periodsAround } from "../format/periods.ts";
import { DateField } from "../forms/date-field.tsx";
import { lists } from "../strings/lists.ts";
import { parts } from "../strings/shell.ts";
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

/** Two are beside each other on a phone. */
const DATE_WIDTH = { base: 141, sm: 150 };

type DateProps = Props & {
  /** Whether there is always a period. */
  readonly isRequired?: boolean;
};

/** A period by its name, or from one day to another. */
export function DateRange({ list: { filters, setFilters }, isRequired = false }: DateProps) {
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
          ...(isRequired ? [] : [{ value: "", label: lists.anyDate }]),
          ...periods.map(({ name }) => ({ value: name, label: lists.periods[name] })),
          ...(isOther ? [{ value: "other", label: lists.otherPeriod }] : []),
        ]}
      />
      <DateField
        label={lists.from}
        w={DATE_WIDTH}
        value={from}
        max={to || undefined}
        onChange={(day) => setFilters({ from: day })}
        onlyDates
      />
      <DateField
        label={lists.to}
        w={DATE_WIDTH}
        value={to}
        error={from !== "" && to !== "" && to < from ? lists.toBeforeFrom : undefined}
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

/** How long after the last key what is typed counts. */
const TYPING_MS = { text: 300, amount: 400 };

/** What stands in a field. A value that comes from elsewhere replaces it, unless it is what was typed, as `read` reads it. */
function useTyped(value: string, read: (typed: string) => string) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    if (value !== read(typed)) setTyped(value);
  }
  return [typed, setTyped] as const;
}

type AmountProps = { readonly label: string; readonly value: string; readonly onChange: (amount: string) => void };

/** An amount of rupees, or nothing. */
function AmountFilter({ label, value, onChange }: AmountProps) {
  const [typed, setTyped] = useTyped(value, typedAmount);
  const changeLater = useDebouncedCallback(onChange, TYPING_MS.amount);
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
        const amount = typedAmount(currentTarget.value);
        if (amount === "" || (toPaise(amount) ?? 0n) > 0n) changeLater(amount);
      }}
    />
  );
}

type SearchProps = Pick<TextInputProps, "maw" | "flex"> & {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
};

/** The field that `/` leads to. It searches a moment after the last key, or at once with Enter. */
export function SearchField({ label, value, onSearch, ...size }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  // "Back" and "clear" change the field; the answer to what was typed leaves a space at its end alone.
  const [typed, setTyped] = useTyped(value, (text) => text.trim());
  const searchLater = useDebouncedCallback(onSearch, TYPING_MS.text);
  const [singleKeys] = useSingleKeys();
  useHotkeys(singleKeys ? [["/", () => field.current?.focus()]] : []);
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label={label}
      {...(singleKeys ? { "aria-keyshortcuts": "/", title: parts.searchShortcut } : {})}
      placeholder={label}
      leftSection={<SearchIcon size={16} />}
      rightSection={
        // There is no such key on a phone.
        singleKeys && (
          <Kbd size="xs" visibleFrom="sm">
            /
          </Kbd>
        )
      }
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        searchLater(currentTarget.value.trim());
      }}
      onKeyDown={({ key }) => {
        if (key === "Enter") searchLater.flush();
        if (key === "Escape") field.current?.blur();
      }}
      {...size}
    />
  );
}
