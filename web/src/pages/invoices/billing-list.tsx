// Shared parts of the lists of payments, credit notes and refunds: filters, the progress of a search, and totals.
import { Alert, NativeSelect, Stack } from "@mantine/core";
import { useGet } from "../../api/queries.ts";
import { Totals } from "../../components/data-page.tsx";
import { Money } from "../../components/values.tsx";
import { FilterTabs } from "../../components/view-tabs.tsx";
import { day } from "../../format/time.ts";
import { AMOUNT_FILTERS, AmountRange, DATE_FILTERS, DateRange, MoreFilters } from "../../lists/filters.tsx";
import type { List } from "../../lists/use-list.ts";
import { billingLists as words } from "../../strings/billing-lists.ts";
import { lists } from "../../strings/lists.ts";

export const BILLING_FILTERS = ["search", "kind", "mode", ...DATE_FILTERS, ...AMOUNT_FILTERS];
const MORE_FILTERS = [...DATE_FILTERS, ...AMOUNT_FILTERS];

type Choices = { readonly label: string; readonly of: Readonly<Record<string, string>> };
type FilterProps = {
  readonly list: Pick<List<unknown>, "filters" | "filter" | "setFilters">;
  readonly modes?: Choices;
};

type TabProps = {
  readonly list: Pick<List<unknown>, "path" | "filters">;
  readonly label: string;
  /** By their names on the wire. */
  readonly kinds: Readonly<Record<string, string>>;
};

/** What the rows are. */
export function BillingTabs({ kinds, ...props }: TabProps) {
  return <FilterTabs {...props} filter="kind" choices={choicesOf(kinds)} />;
}

/** The mode of payment where there is one; days and amounts where they are asked for. */
export function BillingFilters({ list, modes }: FilterProps) {
  return (
    <>
      {modes && <Choice list={list} name="mode" choices={modes} />}
      <MoreFilters list={list} names={MORE_FILTERS}>
        <DateRange list={list} />
        <AmountRange list={list} />
      </MoreFilters>
    </>
  );
}

type ChoiceProps = Pick<FilterProps, "list"> & { readonly name: string; readonly choices: Choices };

function Choice({ list, name, choices: { label, of } }: ChoiceProps) {
  return <NativeSelect {...list.filter(name, label)} data={choicesOf(of)} />;
}

function choicesOf(names: Choices["of"]) {
  return [{ value: "", label: words.all }, ...Object.entries(names).map(([value, label]) => ({ value, label }))];
}

type SummaryProps = {
  readonly path: "/payments" | "/credit-notes" | "/refunds";
  readonly list: Pick<
    List<unknown, { readonly searched_to: string | null }>,
    "answer" | "query" | "rows" | "isFiltered"
  >;
  /** The label of the rows' number. */
  readonly label: string;
  /** The sums by their names on the wire. */
  readonly sums: Readonly<Record<string, string>>;
};

/** The progress of a search, and the totals of all matches. */
export function BillingSummary({ path, label, list, sums }: SummaryProps) {
  if (list.answer && list.rows.length === 0 && !list.isFiltered) return null;
  const searchedTo = list.answer?.searched_to ?? null;
  return (
    <Stack px="md" pb="md" gap="sm">
      {searchedTo !== null && (
        <Alert variant="light" role="status">
          {lists.searchedTo(placeOf(searchedTo))}
        </Alert>
      )}
      <Sums path={path} label={label} query={list.query} sums={sums} />
    </Stack>
  );
}

/** The day that a search has reached, from the key of a list, if the key has one. */
function placeOf(key: string): string {
  const [first = "", id] = key.split("_");
  return id === undefined ? words.refundNumber(first) : day(first);
}

function Sums({ path, label, query, sums }: Omit<SummaryProps, "list"> & { readonly query: Record<string, string> }) {
  return (
    <Totals
      of={useGet(`${path}/totals`, { query })}
      tooMany={words.tooMany}
      sums={(totals) => [
        { label, value: totals?.count.toLocaleString("en-IN") },
        ...Object.entries(sums).map(([name, sum]) => ({
          label: sum,
          value: totals && <Money amount={totals.sums[name] ?? "0.00"} />,
        })),
      ]}
    />
  );
}
