// A period that is always chosen, for reports and statements; the address keeps it.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMerchant } from "../api/session.ts";
import { periodsAround } from "../format/periods.ts";
import { DateRange } from "./filters.tsx";

/** The days that a report is asked for with. */
export type PeriodQuery = { readonly from_date: string; readonly to_date: string };

type Search = Readonly<Record<string, string | undefined>>;

/** The period of the address, or this month. */
export function usePeriod(): PeriodQuery {
  const { today } = useMerchant();
  const { from, to }: Search = useSearch({ strict: false });
  const thisMonth = periodsAround(today).find(({ name }) => name === "thisMonth")!;
  return { from_date: from ?? thisMonth.from, to_date: to ?? thisMonth.to };
}

/** The fields that change it. */
export function PeriodFields() {
  const { from_date: from, to_date: to } = usePeriod();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const setFilters = (changes: Readonly<Record<string, string>>): void => {
    // Another period has other pages: it begins with its first.
    const next = { ...search, from, to, ...changes, after: "" };
    void navigate({ to: ".", search: next, replace: true, resetScroll: false });
  };
  return <DateRange list={{ filters: { from, to }, setFilters }} isRequired />;
}
