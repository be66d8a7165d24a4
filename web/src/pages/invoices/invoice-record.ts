// One invoice, as its route answers with it.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useLoaded } from "../../api/queries.ts";
import { toPaise } from "../../format/money.ts";

export type Payment = InvoiceRecord["settlements"][number];

export type CreditNote = InvoiceRecord["credit_notes"][number];

export type InvoiceRecord = Answer<"GET", "/invoices/:invoice_id">;

/** A message or a refund that is still on its way is looked at again after this long. */
const ON_ITS_WAY_MS = 3000;
const ON_ITS_WAY = ["Queued", "Sending"];

/** The invoice that the address names. */
export function useInvoice(): InvoiceRecord {
  const { invoiceId = "" }: { invoiceId?: string } = useParams({ strict: false });
  return useLoaded(`/invoices/${invoiceId}`, {
    refetchInterval: ({ state }) => (state.data && isOnItsWay(state.data) ? ON_ITS_WAY_MS : false),
  });
}

/** The invoice whose id is `copy` in the address, which a new one begins with; `null` where there is none. */
export function useCopiedInvoice(): InvoiceRecord | null {
  const { copy = "" }: Readonly<Record<string, string>> = useSearch({ strict: false });
  const { data } = useSuspenseQuery({
    queryKey: ["/invoices", "copy", copy],
    queryFn: async ({ signal }) => (copy === "" ? null : api("GET", `/invoices/${copy}`, { signal })),
  });
  return data;
}

function isOnItsWay({ messages, credit_notes: notes }: InvoiceRecord): boolean {
  return (
    messages.some(({ state }) => ON_ITS_WAY.includes(state)) ||
    notes.some(({ under_way: underWay }) => toPaise(underWay) !== 0n)
  );
}
