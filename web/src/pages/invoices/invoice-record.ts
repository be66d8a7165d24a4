// One invoice, as its route answers with it.
import { useParams } from "@tanstack/react-router";
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

function isOnItsWay({ messages, credit_notes: notes }: InvoiceRecord): boolean {
  return (
    messages.some(({ state }) => ON_ITS_WAY.includes(state)) ||
    notes.some(({ under_way: underWay }) => toPaise(underWay) !== 0n)
  );
}
