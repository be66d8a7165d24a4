// One invoice, as its route answers with it.
// What belongs here: the shape, and reading it.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { toPaise } from "../../format/money.ts";

export type HeaderField = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly value: string;
};

export type Payment = {
  readonly transaction_id: string;
  readonly paid_date: string;
  readonly amount: string;
  readonly mode: string;
  readonly bank_name: string;
  readonly bank_ref_no: string;
  readonly cheque_no: string;
  readonly cash_paid_to: string;
  readonly via_transaction_id: string;
  readonly status: "Recorded" | "Reversed";
  readonly reversal_reason: string;
};

export type CreditNote = InvoiceRecord["credit_notes"][number];

export type InvoiceRecord = {
  readonly invoice_id: string;
  readonly invoice_number: string;
  readonly bill_date: string;
  readonly due_date: string;
  readonly sent_date: string;
  readonly created_at: string;
  readonly customer: {
    readonly customer_code: string;
    readonly customer_name: string;
    readonly email: string;
    readonly mobile: string;
    readonly city: string;
    readonly state: string;
  };
  readonly amount: string;
  readonly paid_amount: string;
  readonly previous_dues: string;
  /** Of the previous dues: what came from earlier invoices. */
  readonly carried: string;
  readonly due_amount: string;
  readonly status: string;
  readonly bill_cycle_name: string;
  readonly franchise_id: string;
  readonly franchise_name: string | null;
  readonly commission: string;
  readonly custom_header_fields: readonly HeaderField[];
  readonly particular_rows: readonly {
    readonly item: string;
    readonly sac_code: string;
    readonly description: string;
    readonly gst: string;
    readonly total_amount: string;
  }[];
  readonly tax_rows: readonly {
    readonly name: string;
    readonly percentage: string;
    readonly applicable_on: string;
    readonly amount: string;
  }[];
  readonly own_taxes: boolean;
  readonly sub_total: string;
  readonly tax_total: string;
  readonly carried_to: string;
  readonly settlements: readonly Payment[];
  readonly credit_notes: readonly {
    readonly credit_note_id: string;
    readonly credit_note_number: string;
    readonly credit_note_date: string;
    readonly amount: string;
    readonly reduces_due: string;
    readonly refund: string;
    readonly refunded: string;
    readonly reason: string;
    /** Not paid out yet, and not under way. */
    readonly owed: string;
    readonly under_way: string;
    readonly attempts: number;
    /** To whom the last attempt went, masked; empty before the first. */
    readonly payee: string;
    /** Of the last attempt; empty before the first. */
    readonly transfer_id: string;
  }[];
  readonly messages: readonly {
    readonly message_id: string;
    readonly kind: "invoice" | "receipt" | "reminder";
    readonly channel: "mail" | "sms" | "whatsapp";
    readonly state: string;
    readonly recipient: string;
    readonly reason: string;
    readonly at: string;
  }[];
  readonly revisions: readonly {
    readonly revision: number;
    readonly replaced_at: string;
    readonly bill_date: string;
    readonly due_date: string;
    readonly amount: string;
  }[];
  /** Empty for an invoice that no subscription has made. */
  readonly subscription_id: string;
  readonly template_id: string;
  readonly short_url: string;
  readonly pdf_url: string;
};

/** A message or a refund that is still on its way is looked at again after this long. */
const ON_ITS_WAY_MS = 3000;
const ON_ITS_WAY = ["Queued", "Sending"];

/** The invoice that the address names. */
export function useInvoice(): InvoiceRecord {
  const { invoiceId = "" }: { invoiceId?: string } = useParams({ strict: false });
  const { data } = useSuspenseQuery({
    queryKey: ["/invoices", invoiceId],
    queryFn: ({ signal }) => api<InvoiceRecord>("GET", `/invoices/${invoiceId}`, { signal }),
    refetchInterval: ({ state }) => (state.data && isOnItsWay(state.data) ? ON_ITS_WAY_MS : false),
  });
  return data;
}

function isOnItsWay({ messages, credit_notes: notes }: InvoiceRecord): boolean {
  return (
    messages.some(({ state }) => ON_ITS_WAY.includes(state)) ||
    notes.some(({ under_way: underWay }) => toPaise(underWay) !== 0n)
  );
}
