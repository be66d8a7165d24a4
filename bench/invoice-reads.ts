// What a page costs: lists and details of a merchant with some invoices and of one with many, in turns. Nothing else
// may be under way meanwhile.
import { Latencies } from "./latencies.ts";
import type { BenchMerchant } from "./invoice-merchants.ts";
import type { WireClient, WireRequest } from "./wire-client.ts";

/** A merchant whose invoices were seeded. */
export type SeededMerchant = BenchMerchant & {
  readonly invoices: number;
  readonly customers: number;
  readonly franchiseIds: readonly string[];
  /** Of an invoice in the midst of them. */
  readonly invoiceId: string;
};

type Spread = { readonly p50Ms: number; readonly p99Ms: number };
/** What one kind of page cost both merchants; `ratio` is of the medians. */
export type PageCost = { readonly kind: string; readonly few: Spread; readonly many: Spread; readonly ratio: number };
export type Reads = { readonly pages: readonly PageCost[]; readonly failures: readonly string[] };

const LIMIT = 100;
/** PostgreSQL settles on a plan for a prepared statement at its sixth run. */
const WARM_UP_ROUNDS = 8;
const LIST_PATH = "/api/v1/merchant/invoice/getlist";
const CUSTOMER_LIST_PATH = "/api/v1/merchant/customer/getlist";
const DETAIL_PATH = "/api/v1/merchant/invoice/detail";

type Kind = readonly [kind: string, path: string, body: (of: SeededMerchant) => object];

/** A year, which ends a month ago. */
function year(): { from_date: string; to_date: string } {
  const to = Temporal.Now.plainDateISO().subtract({ months: 1 });
  return { from_date: to.subtract({ years: 1 }).toString(), to_date: to.toString() };
}

const KINDS: readonly Kind[] = [
  ["list, newest", LIST_PATH, () => ({ limit: LIMIT })],
  ["list, a year by bill_date", LIST_PATH, () => ({ limit: LIMIT, filter_by: "bill_date", ...year() })],
  ["list, a year by due_date", LIST_PATH, () => ({ limit: LIMIT, filter_by: "due_date", ...year() })],
  ["list, a year by paid_date", LIST_PATH, () => ({ limit: LIMIT, filter_by: "paid_date", ...year() })],
  ["list, page 2", LIST_PATH, () => ({ limit: LIMIT, page: 2 })],
  ["list, page at 60 %", LIST_PATH, (of) => ({ limit: LIMIT, page: Math.floor((of.invoices * 0.6) / LIMIT) })],
  ["list, Paid offline", LIST_PATH, () => ({ limit: LIMIT, invoice_status: "Paid offline" })],
  ["list, Cancelled in a year", LIST_PATH, () => ({ limit: LIMIT, invoice_status: "Cancelled", ...year() })],
  ["list, Overdue", LIST_PATH, () => ({ limit: LIMIT, invoice_status: "Overdue" })],
  ["list, Overdue by due_date", LIST_PATH, () => ({ limit: LIMIT, invoice_status: "Overdue", filter_by: "due_date" })],
  ["list, franchise", LIST_PATH, (of) => ({ limit: LIMIT, franchise_id: of.franchiseIds[1] })],
  ["list, customer_code", LIST_PATH, (of) => ({ limit: LIMIT, customer_code: `C${Math.floor(of.customers / 2)}` })],
  [
    "customers, by code",
    CUSTOMER_LIST_PATH,
    (of) => ({ limit: LIMIT, searchby: "customer_code", keyword: `C${Math.floor(of.customers / 2)}` }),
  ],
  ["detail", DETAIL_PATH, (of) => ({ invoice_id: of.invoiceId })],
];

/** Asks for every kind of page in turns, `rounds` times of each merchant. */
export async function measureReads(
  client: WireClient,
  few: SeededMerchant,
  many: SeededMerchant,
  rounds: number,
): Promise<Reads> {
  const failures: string[] = [];
  const timed = KINDS.map(([kind, path, body]) => ({
    kind,
    sides: [few, many].map((of) => ({ request: requestOf(path, body(of), of), latencies: new Latencies() })),
  }));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const { kind, sides } of timed) {
      for (const { request, latencies } of round % 2 === 0 ? sides : sides.toReversed()) {
        const answer = await client.send(request);
        if (!request.isGood(answer))
          failures.push(`${kind}: ${answer.status} ${answer.bytes.toString("utf8", 0, 300)}`);
        else if (round >= 0) latencies.record(answer.latencyMs);
      }
    }
  }
  const pages = timed.map(({ kind, sides }): PageCost => {
    const [spreadOfFew, spreadOfMany] = sides.map(({ latencies }): Spread => {
      return { p50Ms: latencies.percentileMs(50), p99Ms: latencies.percentileMs(99) };
    });
    return { kind, few: spreadOfFew!, many: spreadOfMany!, ratio: spreadOfMany!.p50Ms / spreadOfFew!.p50Ms };
  });
  return { pages, failures };
}

function requestOf(path: string, body: object, { keys }: SeededMerchant): WireRequest {
  return {
    method: "POST",
    path,
    body: JSON.stringify({ ...keys, ...body }),
    isGood: ({ status, bytes }) => status === 200 && bytes.includes('"invoice_id":"R'),
  };
}
