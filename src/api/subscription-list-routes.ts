// Routes of the list of subscriptions: pages and CSV file.
import { franchiseOf } from "../merchants/index.ts";
import { findCustomersByCode } from "../customers/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import { validationError } from "../platform/errors.ts";
import { oneOf, optional, optionalText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatInstant, formatTimestamp, type WriteInstant } from "../platform/time.ts";
import {
  browseSubscriptions,
  describeSubscriptions,
  draftOccurrences,
  findMatchingSubscriptions,
  SUBSCRIPTION_STATES,
  type Subscription,
  type SubscriptionFilter,
  type SubscriptionObject,
  type SubscriptionOrder,
  type SubscriptionPlace,
} from "../subscriptions/index.ts";
import type { DashboardScope, MerchantCall, Values } from "./guarded-routes.ts";
import { cutPage, listFileRoute, listRoute, unknownPosition, placeField } from "./list-routes.ts";

const EXPORT_PAGE = 500;
const permission = "subscriptions.view";

const FILTER_FIELDS = {
  search: optionalText(100),
  status: optional(oneOf([...SUBSCRIPTION_STATES, "Parked"])),
  customer: optionalText(45),
  sort: optional(oneOf(["created", "-created", "next_invoice_date", "-next_invoice_date"])),
};
type Filters = Values<typeof FILTER_FIELDS>;

/** An id after the date of the sort order, as in `next`. */
const pageKey = placeField(30, /^(2[01]\d\d-[01]\d-[0-3]\d_)?\d{1,16}$/);

const list = {
  url: "/subscriptions",
  summary: "List subscriptions",
  permission,
  narrowsToFranchise: true,
  filters: FILTER_FIELDS,
} as const;

/** Adds the list of subscriptions. */
export function registerSubscriptionListRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      ...list,
      paging: { after: pageKey },
      rowsIn: "subscriptions",
      read: async (call, asked) => {
        const { db, merchant, query } = call;
        const filter = await readFilter(call, query);
        const order = readOrder(query);
        const after = asked.after === null ? null : readPlace(asked.after, order);
        const found = await browseSubscriptions(db, merchant, filter, order, after, asked.limit + 1);
        const page = cutPage(found, asked, (subscription) => writePlace(subscription, order));
        const more = { is_cut: filter.found?.isCut ?? false };
        return { ...page, rows: (await describe(call, page.rows, formatInstant)).map(toListed), more };
      },
    }),
    listFileRoute(scope, {
      ...list,
      read: async (call) => {
        const filter = await readFilter(call, call.query);
        return { columns: COLUMNS, rows: allRows(call, filter, readOrder(call.query)) };
      },
    }),
  ];
}

async function readFilter({ db, merchant, caller }: MerchantCall, query: Filters): Promise<SubscriptionFilter> {
  const { status, customer: code, search } = query;
  return {
    state: status,
    // No customer has the id 0, so an unknown code finds nothing.
    customerId: code === null ? null : ((await findCustomersByCode(db, merchant, [code])).get(code)?.customerId ?? 0n),
    franchiseId: franchiseOf(caller),
    found: search === null ? null : await findMatchingSubscriptions(db, merchant, search),
  };
}

/** @throws NodalError `validation_failed` for sorting by next date if the status has none */
function readOrder({ sort, status }: Filters): SubscriptionOrder {
  if (sort === null) return { by: "created", descending: true };
  const by = sort.replace("-", "") as SubscriptionOrder["by"];
  if (by === "next_invoice_date" && status !== "Active") {
    const problem = ": the order of next invoices is for status Active only.";
    throw validationError([{ field: "sort", code: "invalid", problem }]);
  }
  return { by, descending: sort.startsWith("-") };
}

/** @throws NodalError `validation_failed` for a position that does not belong to this order */
function readPlace(key: string, { by }: SubscriptionOrder): SubscriptionPlace {
  const [id = "0", day] = key.split("_").toReversed();
  try {
    if ((day !== undefined) !== (by === "next_invoice_date")) throw new RangeError("of another order");
    const nextBillDate = day === undefined ? null : Temporal.PlainDate.from(day, { overflow: "reject" });
    return { subscriptionId: BigInt(id), nextBillDate };
  } catch {
    throw unknownPosition();
  }
}

function writePlace({ subscriptionId, nextBillDate }: Subscription, { by }: SubscriptionOrder): string {
  return by === "created" ? String(subscriptionId) : `${String(nextBillDate)}_${subscriptionId}`;
}

/** `amount` is empty where the invoice could not be made as things are. */
type Row = { readonly object: SubscriptionObject; readonly amount: string };

async function describe(
  { db, merchant }: MerchantCall,
  subscriptions: readonly Subscription[],
  write: WriteInstant,
): Promise<Row[]> {
  const [objects, drafts] = await Promise.all([
    describeSubscriptions(db, merchant, subscriptions, write),
    draftOccurrences(db, merchant, subscriptions),
  ]);
  return subscriptions.map(({ subscriptionId }) => {
    const draft = drafts.get(subscriptionId);
    return { object: objects.get(subscriptionId)!, amount: draft ? formatPaise(draft.amountPaise) : "" };
  });
}

/** Leaves out details that only a single subscription shows. */
function toListed({ object, amount }: Row) {
  return { ...object, invoice: undefined, recent_occurrences: undefined, next_invoice_dates: undefined, amount };
}

const ofObject =
  (name: Exclude<keyof SubscriptionObject, "parked" | "recent_occurrences" | "next_invoice_dates" | "invoice">) =>
  ({ object }: Row): CsvCell =>
    object[name];
const COLUMNS: Readonly<Record<string, (row: Row) => CsvCell>> = {
  subscription_id: ofObject("subscription_id"),
  status: ofObject("status"),
  customer_code: ofObject("customer_code"),
  customer_name: ofObject("customer_name"),
  mode: ofObject("mode"),
  repeat_every: ofObject("repeat_every"),
  start_date: ofObject("start_date"),
  end_mode: ofObject("end_mode"),
  occurences: ofObject("occurences"),
  end_date: ofObject("end_date"),
  carry_forword_dues: ofObject("carry_forword_dues"),
  next_invoice_date: ofObject("next_invoice_date"),
  amount: ({ amount }) => amount,
  parked: ({ object }) => object.parked?.reason ?? "",
  created_at: ofObject("created_at"),
};

/** The whole list, streamed page by page. */
async function* allRows(call: MerchantCall, filter: SubscriptionFilter, order: SubscriptionOrder): AsyncGenerator<Row> {
  let after: SubscriptionPlace | null = null;
  for (;;) {
    const page: Subscription[] = await browseSubscriptions(call.db, call.merchant, filter, order, after, EXPORT_PAGE);
    yield* await describe(call, page, formatTimestamp);
    if (page.length < EXPORT_PAGE) return;
    after = page.at(-1)!;
  }
}
