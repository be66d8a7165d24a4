// The dates of the invoices that the schedule in the form would make, as the server counts them.
// What belongs here: asking for them a moment after somebody typed, and showing them.
import { Alert, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { AlertIcon } from "../../components/icons.tsx";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { day } from "../../format/time.ts";
import { newSubscription as words } from "../../strings/subscriptions.ts";
import { toSchedule, type SubscriptionValues } from "./subscription-values.ts";

type Dates = { readonly bill_date: string; readonly due_date: string; readonly is_due: boolean };
type Answer = {
  readonly dates: readonly Dates[];
  readonly goes_on: boolean;
  readonly due: number;
  readonly is_too_many: boolean;
};

const TYPING_MS = 350;

const COLUMNS: readonly Column<Dates & { readonly number: number }>[] = [
  { key: "number", title: words.number, render: ({ number }) => number },
  { key: "bill", title: words.billDate, render: ({ bill_date }) => day(bill_date) },
  { key: "due", title: words.dueDate, render: ({ due_date }) => day(due_date) },
  {
    key: "when",
    title: words.made,
    hideBelow: "sm",
    render: ({ is_due }) =>
      is_due ? <StatusBadge status={words.madeAtOnce} tone="info" /> : <span>{words.madeThen}</span>,
  },
];

/** The panel of coming dates. */
export function DatesPreview({ values }: { readonly values: SubscriptionValues }) {
  const [asked] = useDebouncedValue(JSON.stringify(toSchedule(values)), TYPING_MS);
  const { data, error, isFetching } = useQuery({
    queryKey: ["/subscriptions/dates", asked],
    queryFn: ({ signal }) => api<Answer>("POST", "/subscriptions/dates", { body: JSON.parse(asked) as object, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (error || !data) {
    return (
      <Panel title={words.dates}>
        <Text c="dimmed">{error ? words.datesIncomplete : words.counting}</Text>
      </Panel>
    );
  }
  const rows = data.dates.map((date, index) => ({ ...date, number: index + 1 }));
  return (
    <Panel title={words.dates} flush>
      <Notice {...data} />
      <DataTable
        caption={words.dates}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ number }) => String(number)}
        isOutdated={isFetching}
      />
      <Text size="sm" c="dimmed" p="md">
        {data.goes_on ? words.goesOn : words.allOfThem(rows.length)}
      </Text>
    </Panel>
  );
}

/** What saving does at once, which may surprise. */
function Notice({ due, is_too_many: isTooMany }: Answer) {
  if (due === 0) return null;
  return (
    <Alert
      color={isTooMany ? "red" : "yellow"}
      variant="outline"
      icon={<AlertIcon />}
      mx="md"
      mb="md"
      role="status"
      data-testid="due-at-once"
    >
      {isTooMany ? words.tooMany : words.dueAtOnce(due)}
    </Alert>
  );
}
