// Merchants with invoices for the benchmark: made as the command line makes them, and what they ask over the API.
// Making very many invoices is in invoice-seed.ts.
import { profileRecord } from "../src/merchants/index.ts";
import { createMerchantsWithTemplate } from "../src/installation/index.ts";
import { contactRecord } from "../src/franchises/franchise.ts";
import { saveFranchise } from "../src/franchises/save-franchise.ts";
import type { Merchant, MerchantProfile } from "../src/merchants/index.ts";
import type { IdSource } from "../src/platform/database/ids.ts";
import type { Pool } from "../src/platform/database/pool.ts";
import type { TimedAnswer, WireClient, WireRequest } from "./wire-client.ts";

/** A merchant and the keys that its requests carry. */
export type BenchMerchant = {
  readonly merchant: Merchant;
  readonly keys: { readonly access_key_id: string; readonly secret_access_key: string };
};

const SAVE_PATH = "/api/v3/merchant/invoice/save";
const SETTLE_PATH = "/api/v2/merchant/invoice/settle";
const CUSTOMER_SAVE_PATH = "/api/v1/merchant/customer/save";
/** Who every saved invoice is for. */
const FIRST_CUSTOMER = "C1";

const PROFILE: MerchantProfile = {
  ...profileRecord.blank,
  name: "Invoice Traders",
  email: "traders@example.com",
  mobile: "9876543210",
  address: "12 Brigade Road",
  city: "Bengaluru",
  state: "Karnataka",
  zipcode: "560001",
  gstin: "29AAACI1234K1Z5",
  pan: "",
  bankHolder: "",
  bankAccount: "",
  ifsc: "",
  timeZone: "Asia/Kolkata",
};

/** Makes merchants, each with the customer C1. */
export async function makeMerchants(
  pool: Pool,
  ids: IdSource,
  client: WireClient,
  count: number,
): Promise<BenchMerchant[]> {
  const profiles = Array.from({ length: count }, () => PROFILE);
  const created = await createMerchantsWithTemplate({ pool, ids }, profiles);
  const made = created.map(({ merchant, accessKeyId, secret }): BenchMerchant => {
    return { merchant, keys: { access_key_id: accessKeyId, secret_access_key: secret } };
  });
  for (const { keys } of made) {
    const customer = { customer_code: FIRST_CUSTOMER, customer_name: "Asha Rao", city: "Mysuru", state: "Karnataka" };
    await must(client, CUSTOMER_SAVE_PATH, JSON.stringify({ ...keys, customer: [customer] }));
  }
  return made;
}

/** Gives a merchant franchises. Returns their ids. */
export async function makeFranchises(
  pool: Pool,
  ids: IdSource,
  { merchant }: BenchMerchant,
  count: number,
): Promise<string[]> {
  const contact = contactRecord.read({
    contact_person_name: "Meera Shah",
    email_id: "branch@example.com",
    mobile: "9876543210",
    city: "Pune",
    state: "Maharashtra",
  });
  const franchiseIds: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const { answer } = await saveFranchise(
      { pool, ids, merchant, idempotency: null },
      {
        code: `F${number}`,
        contact: { ...contact, name: `Branch ${number}` },
        terms: {
          onlineSettlement: false,
          commissionType: "Percentage",
          // The copies' payments are never settled, so that they can't earn anything.
          commissionHundredths: 0n,
          settlementType: "Manual",
        },
        account: { holderName: "", accountNumber: "", bankName: "", accountType: "", ifsc: "" },
        login: null,
      },
    );
    franchiseIds.push(answer.franchiseId);
  }
  return franchiseIds;
}

/** A request that saves `batch` new invoices of two rows with GST, dated today. */
export function saveRequest({ keys }: Pick<BenchMerchant, "keys">, batch: number): WireRequest {
  const billDate = Temporal.Now.plainDateISO(PROFILE.timeZone);
  const invoice = Array.from({ length: batch }, (_, index) => ({
    customer_code: FIRST_CUSTOMER,
    bill_date: billDate.toString(),
    due_date: billDate.add({ days: 15 }).toString(),
    bill_cycle_name: "Monthly",
    particular_rows: [
      { item: "Leased line, 200 Mbps", sac_code: "998422", gst: "18", total_amount: `${4000 + index}.00` },
      { item: "Router rental", sac_code: "997315", gst: "18", total_amount: "499.00" },
    ],
  }));
  return {
    method: "POST",
    path: SAVE_PATH,
    body: JSON.stringify({ ...keys, template_id: "", invoice }),
    isGood: ({ status, bytes }) => status === 200 && bytes.includes('"errcode":0'),
  };
}

type SavedInvoice = { readonly invoice_id: string; readonly short_url: string };

async function saveBatch(client: WireClient, merchant: BenchMerchant, batch: number): Promise<SavedInvoice[]> {
  const { path, body } = saveRequest(merchant, batch);
  const answer = await must(client, path, body!);
  return (JSON.parse(answer.bytes.toString()) as { srvrsp: SavedInvoice[] }).srvrsp;
}

/** Saves a batch and returns the paths of its invoices' PDFs. */
export async function savePdfPaths(client: WireClient, merchant: BenchMerchant, batch: number): Promise<string[]> {
  return (await saveBatch(client, merchant, batch)).map(({ short_url: url }) => `${new URL(url).pathname}/pdf`);
}

/** Saves a batch and returns requests that pay one rupee of each of its invoices, which are never paid up. */
export async function settleRequests(
  client: WireClient,
  merchant: BenchMerchant,
  batch: number,
): Promise<WireRequest[]> {
  const paidDate = Temporal.Now.plainDateISO(PROFILE.timeZone).toString();
  return (await saveBatch(client, merchant, batch)).map(({ invoice_id }) => ({
    method: "POST",
    path: SETTLE_PATH,
    body: JSON.stringify({ ...merchant.keys, invoice_id, paid_date: paidDate, amount: "1.00", mode: "UPI" }),
    isGood: ({ status, bytes }) => status === 200 && bytes.includes('"errcode":0'),
  }));
}

async function must(client: WireClient, path: string, body: string): Promise<TimedAnswer> {
  const answer = await client.send({ method: "POST", path, body });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.bytes.toString()}`);
  return answer;
}
