// The merchants of the benchmark of their number: most have a key, a balance and a beneficiary, one in twenty does business.
// What belongs here: making them, by commands, requests and use cases, so that their books are as the product leaves them.
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { sealBooks } from "../src/audit/seal-books.ts";
import { readContact } from "../src/franchises/franchise.ts";
import { saveFranchise } from "../src/franchises/save-franchise.ts";
import { changeMerchant, requireMerchant, todayOf } from "../src/merchants/index.ts";
import { changeSetting } from "../src/notifications/index.ts";
import type { IdSource } from "../src/platform/database/ids.ts";
import type { Pool } from "../src/platform/database/pool.ts";
import { createEndpoint } from "../src/webhooks/index.ts";
import type { Installation, SeededMerchant } from "./installation.ts";
import { saveRequest } from "./invoice-merchants.ts";
import { post } from "./subscription-load.ts";
import { WireClient } from "./wire-client.ts";

/** One merchant in so many does business. */
const ACTIVE_EVERY = 20;
/** One of those in so many has moved its clock. */
const MOVED_EVERY = 5;
const CLOCK_AHEAD_DAYS = 3;
const AT_ONCE = 8;
const CUSTOMERS = 5;
const INVOICES = 5;
const TRANSFERS = 3;
const DELIVERY_TIMEOUT_MS = 600_000;
const POLL_MS = 500;

/** A merchant that does business, with what its requests carry. */
export type ActiveMerchant = {
  readonly merchantId: string;
  readonly keys: { readonly access_key_id: string; readonly secret_access_key: string };
  readonly token: string;
};

export type Stage = { readonly pool: Pool; readonly ids: IdSource; readonly installation: Installation };

/** All merchants in the order of their ids, and those of them that do business. */
export type Seeded = { readonly all: readonly SeededMerchant[]; readonly active: readonly ActiveMerchant[] };

/** A server that takes every webhook. */
export async function receiveWebhooks(): Promise<Server> {
  const server = createServer((request, answer) => {
    request.resume().on("end", () => answer.writeHead(204).end());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Makes so many merchants. Webhooks of those that do business go to `receiver`. */
export async function seedMerchants(stage: Stage, merchants: number, receiver: Server): Promise<Seeded> {
  const { installation, pool } = stage;
  const all = await installation.seedMerchants(merchants);
  const chosen = all.filter((_, index) => index % ACTIVE_EVERY === 0);
  const active: ActiveMerchant[] = [];
  const client = new WireClient(installation.baseUrl, AT_ONCE);
  const { port } = receiver.address() as AddressInfo;
  const waiting = [...chosen.entries()];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, merchant] = next;
      active[index] = await doBusiness(client, merchant);
      await setUp(stage, merchant, `http://127.0.0.1:${port}/`, index % MOVED_EVERY === 0);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  client.close();
  await installation.drain();
  await untilDelivered(pool);
  await sealBooks(pool);
  // As autovacuum leaves the tables a while later.
  await pool.query("vacuum (analyze)");
  await pool.query("checkpoint");
  return { all, active };
}

/** Waits until every webhook was taken. */
async function untilDelivered(pool: Pool): Promise<void> {
  const deadline = performance.now() + DELIVERY_TIMEOUT_MS;
  for (;;) {
    const { rows } = await pool.query<{ waiting: bigint }>(
      `select count(*) as waiting from webhook_endpoint join ledger_book using (bucket, merchant_id)
       where cursor_event_no < last_entry_no`,
    );
    if (rows[0]!.waiting === 0n) return;
    if (performance.now() > deadline) throw new Error(`${rows[0]!.waiting} endpoints were not sent all in time`);
    await sleep(POLL_MS);
  }
}

/** What the merchant's own programs ask for. */
async function doBusiness(client: WireClient, merchant: SeededMerchant): Promise<ActiveMerchant> {
  const { access_key_id, secret_access_key, beneficiary_id } = merchant;
  const keys = { access_key_id, secret_access_key };
  const { success } = await post<{ success: { token: string } }>(client, "/api/token", keys);
  const customer = Array.from({ length: CUSTOMERS }, (_, index) => ({
    customer_code: `C${index + 1}`,
    customer_name: `Customer ${index + 1}`,
    city: "Mysuru",
    state: "Karnataka",
  }));
  await post(client, "/api/v1/merchant/customer/save", { ...keys, customer });
  const { path, body } = saveRequest({ keys }, INVOICES);
  await post(client, path, JSON.parse(body!) as object);
  for (let number = 1; number <= TRANSFERS; number += 1) {
    const transfer = { beneficiary_id, amount: "100.00", reference_id: `order-${number}`, narrative: "Order" };
    await post(client, "/api/v1/beneficiary/transfer", transfer, success.token);
  }
  // Nothing is billed while the benchmark runs.
  const start = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 30 });
  await post(client, "/api/v1/merchant/subscription/save", {
    ...keys,
    mode: "Monthly",
    repeat_every: "1",
    start_date: start.toString(),
    due_date: start.add({ days: 15 }).toString(),
    end_mode: "Never",
    carry_forword_dues: "1",
    invoice: {
      customer_code: "C1",
      bill_cycle_name: "Monthly",
      invoice_properties: { notify_patron: "0" },
      particular_rows: [{ item: "Leased line", sac_code: "998422", gst: "18", total_amount: "4000.00" }],
    },
  });
  return { merchantId: merchant.merchant_id, keys, token: success.token };
}

/** What its people have set up: reminders, a franchise that is paid by itself, webhooks, and for some another day. */
async function setUp(
  { pool, ids }: Stage,
  { merchant_id }: SeededMerchant,
  url: string,
  movesClock: boolean,
): Promise<void> {
  const merchant = await requireMerchant(pool, BigInt(merchant_id));
  const context = { pool, ids, merchant, idempotency: null };
  await changeSetting(context, { reminderDays: [-3, 0, 7], channels: null });
  const contact = readContact({
    contact_person_name: "Meera Shah",
    email_id: "branch@example.com",
    mobile: "9876543210",
    city: "Pune",
    state: "Maharashtra",
  });
  await saveFranchise(context, {
    code: "F1",
    contact: { ...contact, name: "Branch 1" },
    terms: {
      onlineSettlement: true,
      commissionType: "Percentage",
      commissionHundredths: 500n,
      settlementType: "Auto",
    },
    account: {
      holderName: "Meera Shah",
      accountNumber: "026291800001191",
      bankName: "Yes Bank",
      accountType: "Current",
      ifsc: "YESB0000262",
    },
    login: null,
  });
  if (movesClock) {
    const clockDate = todayOf(merchant).add({ days: CLOCK_AHEAD_DAYS });
    await changeMerchant(context, { clockDate });
  }
  await createEndpoint(context, { url, description: "", eventTypes: null });
}
