// Invoices in memory: the expected answers of lists, computed in the simplest way; and random histories of invoices. The test
// compares them with the server.
import fc from "fast-check";

export const STATUSES = ["Unpaid", "Partially paid", "Paid offline", "Cancelled"] as const;
export const DATES = ["bill_date", "due_date", "paid_date", "sent_date"] as const;
const CUSTOMERS = ["A", "B", "C"] as const;
/** The groups of each customer. */
const GROUPS: Readonly<Record<string, readonly string[]>> = { A: ["Gold"], B: ["Gold", "Silver"], C: [] };

type Day = Temporal.PlainDate;
type Terms = { readonly billDate: Day; readonly dueDate: Day; readonly customer: string; readonly franchise: number };

/** What happens to the invoice at a place of the story; amounts are rupees of 100 that each invoice is for. */
export type Event =
  | { readonly kind: "settle"; readonly place: number; readonly rupees: number; readonly paidDate: Day }
  | { readonly kind: "cancel"; readonly place: number }
  | ({ readonly kind: "update"; readonly place: number } & Terms);

/** A filter of a list; absent members don't filter. */
export type Filter = {
  readonly filter_by: (typeof DATES)[number];
  readonly from?: Day;
  readonly to?: Day;
  readonly status?: (typeof STATUSES)[number] | "Overdue";
  readonly customer?: string;
  readonly group?: string;
  readonly franchise?: number;
};

export type ModelInvoice = {
  readonly invoiceId: string;
  bill_date: Day;
  due_date: Day;
  paid_date: Day | null;
  /** No invoice has been sent yet. */
  readonly sent_date: null;
  customer: string;
  franchise: number;
  status: (typeof STATUSES)[number];
  paidRupees: number;
};

/** A new invoice as the model has it. */
export function newInvoice(invoiceId: string, { billDate, dueDate, customer, franchise }: Terms): ModelInvoice {
  const dates = { bill_date: billDate, due_date: dueDate, paid_date: null, sent_date: null };
  return { invoiceId, ...dates, customer, franchise, status: "Unpaid", paidRupees: 0 };
}

function yearOf({ year, month }: Day): number {
  return month >= 4 ? year : year - 1;
}

/** Applies an event, and returns the HTTP status that the server must give. */
export function happen(invoice: ModelInvoice, event: Event): number {
  if (invoice.status === "Cancelled") return 409;
  if (event.kind === "settle") {
    if (invoice.status === "Paid offline") return 409;
    if (invoice.paidRupees + event.rupees > 100) return 422;
    invoice.paidRupees += event.rupees;
    invoice.status = invoice.paidRupees === 100 ? "Paid offline" : "Partially paid";
    const isLater = !invoice.paid_date || Temporal.PlainDate.compare(event.paidDate, invoice.paid_date) > 0;
    if (isLater) invoice.paid_date = event.paidDate;
    return 200;
  }
  if (invoice.paidRupees > 0) return 409;
  if (event.kind === "cancel") invoice.status = "Cancelled";
  else {
    // Numbers of a series stay in their financial year.
    if (yearOf(event.billDate) !== yearOf(invoice.bill_date)) return 409;
    const { billDate: bill_date, dueDate: due_date, customer, franchise } = event;
    Object.assign(invoice, { bill_date, due_date, customer, franchise });
  }
  return 200;
}

/** The ids of the invoices that match, newest first. */
export function listIds(invoices: readonly ModelInvoice[], filter: Filter, today: Day): string[] {
  const { from, to, status, customer, group, franchise } = filter;
  const isBefore = (one: Day, other: Day): boolean => Temporal.PlainDate.compare(one, other) < 0;
  const matching = invoices.filter((invoice) => {
    const day = invoice[filter.filter_by];
    if (day === null || (from && isBefore(day, from)) || (to && isBefore(to, day))) return false;
    const isOpen = invoice.status === "Unpaid" || invoice.status === "Partially paid";
    if (status === "Overdue" && !(isOpen && isBefore(invoice.due_date, today))) return false;
    if (status && status !== "Overdue" && invoice.status !== status) return false;
    if (customer && invoice.customer !== customer) return false;
    if (group && group !== "All" && !GROUPS[invoice.customer]!.includes(group)) return false;
    return franchise === undefined || invoice.franchise === franchise;
  });
  const idOf = (invoice: ModelInvoice): number => Number(invoice.invoiceId.slice(1));
  const newestFirst = (a: ModelInvoice, b: ModelInvoice): number =>
    Temporal.PlainDate.compare(b[filter.filter_by]!, a[filter.filter_by]!) || idOf(b) - idOf(a);
  return matching.toSorted(newestFirst).map(({ invoiceId }) => invoiceId);
}

export type Story = {
  readonly invoices: readonly Terms[];
  readonly events: readonly Event[];
  readonly filters: readonly Filter[];
};

/** Stories around a day: few days, so that many invoices share one. Franchises are 0 (none), 1 and 2. */
export function story(today: Day, size: { readonly invoices: number; readonly events: number }): fc.Arbitrary<Story> {
  const day = fc.integer({ min: -12, max: 12 }).map((days) => today.add({ days }));
  const customer = fc.constantFrom(...CUSTOMERS);
  const franchise = fc.constantFrom(0, 0, 1, 2);
  const terms = fc.record({ billDate: day, delay: fc.integer({ min: 0, max: 9 }), customer, franchise });
  const dated = terms.map(({ delay, ...rest }) => ({ ...rest, dueDate: rest.billDate.add({ days: delay }) }));
  const place = fc.nat({ max: size.invoices - 1 });
  const event = fc.oneof(
    fc
      .record({ place, rupees: fc.constantFrom(20, 50, 100), paidDate: day })
      .map((e) => ({ kind: "settle" as const, ...e })),
    fc.record({ place }).map((e) => ({ kind: "cancel" as const, ...e })),
    fc.tuple(place, dated).map(([at, changed]) => ({ kind: "update" as const, place: at, ...changed })),
  );
  const filter = fc.record(
    {
      filter_by: fc.constantFrom(...DATES),
      from: day,
      to: day,
      status: fc.constantFrom(...STATUSES, "Overdue" as const),
      customer,
      group: fc.constantFrom("Gold", "Silver", "Bronze", "All"),
      franchise: fc.constantFrom(0, 1, 2),
    },
    { requiredKeys: ["filter_by"] },
  );
  const inOrder = filter.map(({ from, to, ...rest }): Filter => {
    const isSwapped = from && to && Temporal.PlainDate.compare(from, to) > 0;
    return { ...rest, ...(from && { from: isSwapped ? to : from }), ...(to && { to: isSwapped ? from : to }) };
  });
  return fc.record({
    invoices: fc.array(dated, { minLength: size.invoices, maxLength: size.invoices }),
    events: fc.array(event, { minLength: size.events, maxLength: size.events }),
    filters: fc.array(inOrder, { minLength: 60, maxLength: 60 }),
  });
}
