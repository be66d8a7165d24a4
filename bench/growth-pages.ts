// The pages that the benchmark of growth asks for, and asking for one. When they are asked for, and what they may cost,
// is growth.ts.
import type { Browser } from "../test/support/dashboard.ts";
import type { GrownMerchant } from "./growth-seed.ts";
import { invoiceListKinds } from "./invoice-list-kinds.ts";
import type { WireClient } from "./wire-client.ts";

const PAGE = 100;

/** One kind of request: of the API with a token or keys, or of the dashboard. `rowsIn` names what must not be empty. */
export type Kind = {
  readonly kind: string;
  /** Over what: `api` is a POST with keys; `token` and `dashboard` are GETs. */
  readonly over: "api" | "token" | "dashboard";
  readonly path: (of: GrownMerchant) => string;
  readonly body?: (of: GrownMerchant) => object;
  readonly rowsIn: string | null;
};
/** A merchant, and its owner who is signed in. */
export type Side = { readonly merchant: GrownMerchant; readonly owner: Browser };

const INVOICES = "/api/v1/merchant/invoice/getlist";
const invoicePages = (kind: string, pageOf: (of: GrownMerchant) => number): Kind => ({
  kind: `API: invoices, ${kind}`,
  over: "api",
  path: () => INVOICES,
  body: (of) => ({ limit: PAGE, page: Math.max(1, pageOf(of)) }),
  rowsIn: null,
});
const dashboard = (kind: string, path: string | ((of: GrownMerchant) => string), rowsIn: string | null): Kind => ({
  kind,
  over: "dashboard",
  path: typeof path === "string" ? () => path : path,
  rowsIn,
});
const middleOf = ({ firstEntryNo, lastEntryNo }: GrownMerchant): bigint => (firstEntryNo + lastEntryNo) / 2n;
const today = (): string => Temporal.Now.plainDateISO("Asia/Kolkata").toString();

/** The kinds of pages. */
export const KINDS: readonly Kind[] = [
  invoicePages("first page", () => 1),
  invoicePages("middle page", (of) => Math.floor(of.invoices / 2 / PAGE)),
  invoicePages("last page", (of) => Math.floor(of.invoices / PAGE)),
  {
    kind: "API: a transfer by its reference",
    over: "token",
    path: (of) => `/api/v1/payout/transferstatus/referenceid/copy-${of.transfers / 2}`,
    rowsIn: null,
  },
  { kind: "API: balance", over: "token", path: () => "/api/v1/payout/balance", rowsIn: null },
  dashboard("transfers, first page", "/transfers", "transfers"),
  dashboard("transfers, middle page", (of) => `/transfers?after=${middleOf(of)}`, "transfers"),
  dashboard("transfers, last page", (of) => `/transfers?after=${of.firstEntryNo + 200n}`, "transfers"),
  dashboard("transfers, oldest first", "/transfers?sort=added_at", "transfers"),
  dashboard("transfers, of today", `/transfers?from=${today()}&to=${today()}`, "transfers"),
  dashboard("transfers, SUCCESS", "/transfers?status=SUCCESS", "transfers"),
  dashboard("transfers, FAILED", "/transfers?status=FAILED", "transfers"),
  dashboard("transfers, of a payee", (of) => `/transfers?beneficiary_id=${of.beneficiaryId}`, "transfers"),
  dashboard("transfers, amounts in a range", "/transfers?amount_from=500.00&amount_to=520.00", "transfers"),
  dashboard("transfers, search: a reference", (of) => `/transfers?search=copy-${of.transfers / 2}`, "transfers"),
  dashboard("transfers, search: a payee's name", "/transfers?search=Payee%207", "transfers"),
  dashboard("transfers, search: what nothing matches", "/transfers?search=nobody-has-this", null),
  dashboard("statement, first page", "/statement", "lines"),
  dashboard("statement, middle page", (of) => `/statement?after=${middleOf(of)}`, "lines"),
  dashboard("statement, last page", (of) => `/statement?after=${of.firstEntryNo + 200n}`, "lines"),
  dashboard("statement, of today", `/statement?from=${today()}&to=${today()}`, "lines"),
  dashboard("log, first page", "/audit", "entries"),
  dashboard("log, middle page", (of) => `/audit?after=${middleOf(of)}`, "entries"),
  dashboard("log, last page", (of) => `/audit?after=${of.firstEntryNo + 200n}`, "entries"),
  ...invoiceListKinds().map(([kind, query]) =>
    dashboard(`invoices, ${kind}`, (of) => `/invoices?${query(of)}`, "invoices"),
  ),
  dashboard("invoices, amounts in a range", "/invoices?amount_from=5310.00&amount_to=5320.00", "invoices"),
  dashboard("invoices, an amount that none has", "/invoices?amount_from=1.00&amount_to=1.00", null),
  dashboard("payments, first page", "/payments", "payments"),
  dashboard("customers, first page", "/customers", "customers"),
  dashboard("customers, search: a name", (of) => `/customers?search=Customer%20${of.customers / 2}`, "customers"),
  dashboard("search of everything: a reference", (of) => `/search?text=copy-${of.transfers / 2}`, "payouts"),
  dashboard("search of everything: a customer", (of) => `/search?text=Customer%20${of.customers / 2}`, "customers"),
  dashboard("search of everything: an invoice", "/search?text=INV-2627-00007", "invoices"),
];

/** Returns how long the answer took, in milliseconds. @throws Error where it is not what it should be */
export async function ask(
  client: WireClient,
  { merchant, owner }: Side,
  { kind, over, path, body, rowsIn }: Kind,
): Promise<number> {
  const startedAtMs = performance.now();
  const answer = over === "dashboard" ? await owner.get(path(merchant)) : await askApi();
  const latencyMs = performance.now() - startedAtMs;
  const rows = rowsIn === null ? 1 : ((answer.body as Record<string, readonly unknown[]>)[rowsIn]?.length ?? 0);
  // A search that goes through rows ends after so many, and says how far it came: among very many the first may lie further back.
  const found = rows > 0 || ((answer.body as { searched_to?: string | null }).searched_to ?? null) !== null;
  if (answer.status === 200 && found) return latencyMs;
  throw new Error(`${kind}: ${answer.status}, ${rows} rows, ${JSON.stringify(answer.body).slice(0, 300)}`);

  async function askApi(): Promise<{ status: number; body: unknown }> {
    const given = body ? JSON.stringify({ ...merchant.keys, ...body(merchant) }) : null;
    const { status, bytes } = await client.send({
      method: given === null ? "GET" : "POST",
      path: path(merchant),
      ...(given === null ? { token: merchant.token } : { body: given }),
    });
    return { status, body: JSON.parse(bytes.toString()) };
  }
}
