// What the invoices of the list come to, all pages of it: asked for beside the list, which does not wait for it.
// What belongs here: the totals of the list as its filters are.
import { SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, type ApiError } from "../../api/client.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Money } from "../../components/money.tsx";
import { invoices } from "../../strings/invoices.ts";

type Totals = { readonly invoices: number; readonly billed: string; readonly paid: string; readonly due: string };
type Answer = { readonly totals: Totals | null };

/** The totals for a query of the list. */
export function ListTotals({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const { data, error, refetch } = useQuery<Answer, ApiError>({
    queryKey: ["/invoices", "totals", query],
    queryFn: ({ signal }) => api<Answer>("GET", "/invoices/totals", { query, signal }),
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data && !data.totals) {
    return (
      <Text size="sm" c="dimmed">
        {invoices.totals.tooMany}
      </Text>
    );
  }
  const totals = data?.totals;
  const shown = [
    { label: invoices.totals.invoices, value: totals && totals.invoices.toLocaleString("en-IN") },
    { label: invoices.totals.billed, value: totals && <Money amount={totals.billed} /> },
    { label: invoices.totals.paid, value: totals && <Money amount={totals.paid} /> },
    { label: invoices.totals.due, value: totals && <Money amount={totals.due} /> },
  ];
  return (
    <SimpleGrid
      component="dl"
      cols={{ base: 2, sm: 4 }}
      m={0}
      w="100%"
      title={invoices.totals.hint}
      aria-busy={!totals}
    >
      {shown.map(({ label, value }) => (
        <div key={label}>
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} fw={600}>
            {value ?? <Skeleton component="span" display="block" height="1.55em" width="6em" />}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
