// The requests of the benchmark of the number of merchants: an operator's over all of them, and a merchant's own.
// What belongs here: their addresses, which answers are good, and asking. When, and what they may cost, is in merchants.ts.
import type { Browser } from "../test/support/dashboard.ts";
import type { Installation, SeededMerchant } from "./installation.ts";
import type { ActiveMerchant } from "./merchants-seed.ts";
import type { WireClient } from "./wire-client.ts";

/** An installation with its merchants, and who is signed in to it. */
export type Side = {
  readonly installation: Installation;
  readonly client: WireClient;
  readonly all: readonly SeededMerchant[];
  /** Those that ask: as many in each installation, spread over all of them. */
  readonly callers: readonly (ActiveMerchant & { readonly owner: Browser })[];
  readonly operator: Browser;
};
type Caller = Side["callers"][number];

/** One kind of request. `rowsIn` names the list in a dashboard's answer that must not be empty, where there is one. */
export type Kind = {
  readonly kind: string;
  readonly rowsIn: string | null;
  readonly send: (side: Side, caller: Caller) => Promise<{ readonly status: number; readonly body: unknown }>;
};

const operator = (kind: string, path: string | ((side: Side) => string), rowsIn: string | null): Kind => ({
  kind: `operator: ${kind}`,
  rowsIn,
  send: (side) => side.operator.get(typeof path === "string" ? path : path(side)),
});
const ofChosen = (kind: string, path: string, rowsIn: string | null): Kind => ({
  kind: `operator at a merchant: ${kind}`,
  rowsIn,
  send: ({ operator: person }, { merchantId }) => person.get(`/merchants/${merchantId}${path}`),
});
const owner = (kind: string, path: string, rowsIn: string | null): Kind => ({
  kind: `owner: ${kind}`,
  rowsIn,
  send: (_side, caller) => caller.owner.get(path),
});
const overApi = (kind: string, path: string, body: object | null): Kind => ({
  kind: `API: ${kind}`,
  rowsIn: null,
  send: async ({ client }, { keys, token }) => {
    const { status, bytes } = await client.send({
      path,
      ...(body === null ? { method: "GET", token } : { method: "POST", body: JSON.stringify({ ...keys, ...body }) }),
    });
    return { status, body: bytes.toString() };
  },
});
/** After the merchant at this place, of those in the order of ids. */
const pageAfter = ({ all }: Side, place: number): string => `/merchants?after=${all[place]!.merchant_id}`;
const LIST = { limit: 20, page: 1 };

/** The kinds of requests. */
export const KINDS: readonly Kind[] = [
  operator("merchants, first page", "/merchants", "merchants"),
  operator("merchants, middle page", (side) => pageAfter(side, side.all.length >> 1), "merchants"),
  operator("merchants, last page", (side) => pageAfter(side, 20), "merchants"),
  operator("search: what all have", "/merchants?search=traders", "merchants"),
  operator("search: a name that few have", "/merchants?search=Traders%2077", "merchants"),
  operator("search: an e-mail address", "/merchants?search=sample1@example.com", "merchants"),
  operator("search: what one of the newest has, and many of the oldest", "/merchants?search=raders%201", "merchants"),
  operator("search: an id", ({ all }) => `/merchants?search=${all[0]!.merchant_id}`, "merchants"),
  operator("search: two letters that nobody has", "/merchants?search=qz", null),
  operator("search: what nobody has", "/merchants?search=nobody-has-this", null),
  operator("jobs", "/jobs", "queues"),
  operator("check of the books", "/ledger-check", null),
  ofChosen("its state", "/operator-view", null),
  ofChosen("balances", "/home/balances", null),
  ofChosen("what waits", "/home/waiting", null),
  ofChosen("search of everything", "/search?text=order-1", "payouts"),
  owner("balances", "/home/balances", null),
  owner("billing", "/home/billing", null),
  owner("payout chart", "/home/payout-chart", null),
  owner("what waits", "/home/waiting", null),
  owner("transfers", "/transfers", "transfers"),
  owner("invoices", "/invoices", "invoices"),
  owner("customers, search", "/customers?search=Customer%203", "customers"),
  owner("search of everything", "/search?text=Customer%203", "customers"),
  owner("log", "/audit", "entries"),
  overApi("token", "/api/token", {}),
  overApi("balance", "/api/v1/payout/balance", null),
  overApi("a transfer by its reference", "/api/v1/payout/transferstatus/referenceid/order-2", null),
  overApi("invoices", "/api/v1/merchant/invoice/getlist", LIST),
  overApi("customers", "/api/v1/merchant/customer/getlist", { searchby: "name", keyword: "", ...LIST }),
];

/** Returns how long the answer took, in milliseconds. @throws Error where it is not what it should be */
export async function ask(side: Side, turn: number, { kind, rowsIn, send }: Kind): Promise<number> {
  const startedAtMs = performance.now();
  const { status, body } = await send(side, side.callers[turn % side.callers.length]!);
  const latencyMs = performance.now() - startedAtMs;
  const rows = rowsIn === null ? 1 : ((body as Record<string, readonly unknown[]>)[rowsIn]?.length ?? 0);
  if (status === 200 && rows > 0) return latencyMs;
  throw new Error(`${kind}: ${status}, ${rows} rows, ${JSON.stringify(body).slice(0, 300)}`);
}
