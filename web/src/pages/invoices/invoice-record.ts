// One invoice, as its route answers with it.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { isMessageUnderWay, whileUnderWay } from "../../api/ask-again.ts";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useLoaded } from "../../api/queries.ts";
import { toPaise } from "../../format/money.ts";

export type Payment = InvoiceRecord["settlements"][number];

export type CreditNote = InvoiceRecord["credit_notes"][number];

export type InvoiceRecord = Answer<"GET", "/invoices/:invoice_id">;

/** The invoice that the address names. */
export function useInvoice(): InvoiceRecord {
  const { invoiceId = "" }: { invoiceId?: string } = useParams({ strict: false });
  return useLoaded(`/invoices/${invoiceId}`, {
    refetchInterval: whileUnderWay(isOnItsWay),
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
  return messages.some(isMessageUnderWay) || notes.some(({ under_way: underWay }) => toPaise(underWay) !== 0n);
}

/** Whether nothing more is to be paid on it, nor sent. */
export function isClosed({ status }: InvoiceRecord): boolean {
  return status === "Cancelled" || status === "Carried forward";
}

/** Whether payments or notes refer to it. */
export function isChanged(record: InvoiceRecord): boolean {
  const isDebited = record.debit_notes.some(({ status }) => status !== "Cancelled");
  const isPaid = record.settlements.some(({ status }) => status === "Recorded");
  return isDebited || isPaid || validNotesOf(record).length > 0;
}

/** The credit notes that are not cancelled. */
export function validNotesOf({ credit_notes: notes }: InvoiceRecord) {
  return notes.filter(({ status }) => status !== "Cancelled");
}
