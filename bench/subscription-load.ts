// The light load of the API while subscriptions are billed: transfers, invoice details and balances, so many a second.
// They are sent on time, whether or not answers lag.
import { fundMerchant } from "../src/ledger/index.ts";
import type { IdSource } from "../src/platform/database/ids.ts";
import type { Pool } from "../src/platform/database/pool.ts";
import { saveRequest, type BenchMerchant } from "./invoice-merchants.ts";
import { Phase, type LoadResult } from "./load.ts";
import type { WireClient, WireRequest } from "./wire-client.ts";

const FUNDS_PAISE = 1_000_000_00n;
const ACCOUNT = { name: "Asha Rao", account_number: "026291800001191", ifsc: "YESB0000262" };

/** A merchant whose requests are in the load. */
export type Caller = BenchMerchant & {
  readonly token: string;
  readonly beneficiaryId: string;
  readonly invoiceId: string;
};

/** Makes merchants ready to call: with money, a token, a beneficiary and an invoice. */
export async function makeCallers(
  pool: Pool,
  ids: IdSource,
  client: WireClient,
  merchants: readonly BenchMerchant[],
): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (const made of merchants) {
    const { bucket, merchantId } = made.merchant;
    await fundMerchant(pool, ids, { bucket, merchantId, amountPaise: FUNDS_PAISE, reference: "opening" });
    const signedIn = await post<{ success: { token: string } }>(client, "/api/token", made.keys);
    const { token } = signedIn.success;
    const payee = await post<{ beneficiary_id: string }>(client, "/api/v1/beneficiary/save", ACCOUNT, token);
    const { path, body } = saveRequest(made, 1);
    const saved = await post<{ srvrsp: { invoice_id: string }[] }>(client, path, JSON.parse(body!) as object);
    const invoiceId = saved.srvrsp[0]!.invoice_id;
    callers.push({ ...made, token, beneficiaryId: payee.beneficiary_id, invoiceId });
  }
  return callers;
}

/** Sends a body that must be accepted. */
export async function post<T>(client: WireClient, path: string, body: object, token?: string): Promise<T> {
  const answer = await client.send({
    method: "POST",
    path,
    body: JSON.stringify(body),
    ...(token === undefined ? {} : { token }),
  });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.bytes.toString()}`);
  return JSON.parse(answer.bytes.toString()) as T;
}

/** Sends so many requests a second until `isOver` resolves. */
export async function runPaced(
  client: WireClient,
  callers: readonly Caller[],
  perSecond: number,
  isOver: Promise<unknown>,
): Promise<LoadResult> {
  const phase = new Phase(Infinity);
  const underWay = new Set<Promise<unknown>>();
  const startedAtMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const wanted = ((performance.now() - startedAtMs) / 1000) * perSecond;
    for (; sent < wanted; sent += 1) {
      const asked = client.record(phase, requestOf(callers[sent % callers.length]!, sent));
      underWay.add(asked.finally(() => underWay.delete(asked)));
    }
  }, 5);
  try {
    await isOver;
  } finally {
    clearInterval(timer);
  }
  await Promise.all(underWay);
  return phase.finish();
}

/** Two transfers, then two details, then a balance. The references differ from run to run of the load. */
function requestOf({ keys, token, beneficiaryId, invoiceId }: Caller, number: number): WireRequest {
  const isGood: WireRequest["isGood"] = ({ status }) => status === 200;
  if (number % 5 < 2) {
    const transfer = { beneficiary_id: beneficiaryId, amount: "1.00", reference_id: `${performance.now()}-${number}` };
    const body = JSON.stringify(transfer);
    return { method: "POST", path: "/api/v1/beneficiary/transfer", body, token, isGood };
  }
  if (number % 5 < 4) {
    const body = JSON.stringify({ ...keys, invoice_id: invoiceId });
    return { method: "POST", path: "/api/v1/merchant/invoice/detail", body, isGood };
  }
  return { method: "GET", path: "/api/v1/payout/balance", token, isGood };
}
