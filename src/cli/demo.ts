// The first start: a demo merchant to try Nodal with, and what the server prints when it is up.
// What belongs here: words for a person at a terminal.
import { fundMerchant } from "../ledger/index.ts";
import { createMerchants, type NewMerchant } from "../merchants/index.ts";
import { insertBeneficiaries, type Beneficiary } from "../payouts/index.ts";
import type { Config } from "../platform/config.ts";
import { IdSource } from "../platform/database/ids.ts";
import { createPool } from "../platform/database/pool.ts";

const DEMO_FUNDS_PAISE = 10_000_000n;

const DEMO_PROFILE = {
  name: "Demo Traders",
  email: "demo@example.com",
  mobile: "9876543210",
  address: "12 Brigade Road",
  city: "Bengaluru",
  state: "Karnataka",
  zipcode: "560001",
  gstin: "",
  pan: "",
  bankAccount: "00011020001772",
  ifsc: "HDFC0000001",
  bankHolder: "Demo Traders",
  timeZone: "Asia/Kolkata",
};

export type Demo = { readonly merchant: NewMerchant; readonly beneficiaryId: bigint };

/** Makes a merchant with 1,00,000.00 rupees and one beneficiary, in the sandbox. */
export async function createDemo(databaseUrl: string): Promise<Demo> {
  const pool = createPool({ url: databaseUrl, size: 2, role: "nodal_server" });
  try {
    const ids = new IdSource(pool);
    const beneficiaryId = await ids.next();
    const [merchant] = await createMerchants(pool, ids, [DEMO_PROFILE], async (connection, [owner]) => {
      await insertBeneficiaries(connection, [demoBeneficiary(owner!, beneficiaryId)]);
    });
    const { bucket, merchantId } = merchant!.merchant;
    await fundMerchant(pool, ids, { bucket, merchantId, amountPaise: DEMO_FUNDS_PAISE, reference: "demo" });
    return { merchant: merchant!, beneficiaryId };
  } finally {
    await pool.end();
  }
}

function demoBeneficiary(owner: { bucket: number; merchantId: bigint }, beneficiaryId: bigint): Beneficiary {
  return {
    bucket: owner.bucket,
    merchantId: owner.merchantId,
    beneficiaryId,
    type: "Vendor",
    name: "Asha Rao",
    emailId: "asha@example.com",
    mobile: "9876500000",
    accountNumber: "026291800001191",
    ifsc: "YESB0000262",
    upi: "success@upi",
    address: "",
    city: "Mysuru",
    state: "Karnataka",
    zipcode: "570001",
    createdAt: Temporal.Now.instant(),
  };
}

/** Prints where the server is and, after the first start, the demo merchant's keys with three lines to try. */
export function printWelcome(address: string, config: Config, dataDir: string | null, demo: Demo | null): void {
  const url = config.PUBLIC_URL ?? address;
  console.log(`\nNodal is ready at ${url}`);
  if (dataDir !== null) console.log(`Its data is in ${dataDir}`);
  if (demo === null) return console.log("");
  const { accessKeyId, secret } = demo.merchant;
  console.log(`
A demo merchant has been made, with a balance of ₹1,00,000.00. Its keys are shown only now:

  access_key_id      ${accessKeyId}
  secret_access_key  ${secret}

Paste these lines into another terminal: get a token, read the balance, make a transfer.

TOKEN=$(curl -s ${url}/api/token -F access_key_id=${accessKeyId} -F secret_access_key=${secret} | sed 's/.*"token":"\\([^"]*\\)".*/\\1/'); echo "$TOKEN"
curl -s ${url}/api/v1/payout/balance -H "Authorization: Bearer $TOKEN"; echo
curl -s ${url}/api/v1/beneficiary/transfer -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"beneficiary_id":"${demo.beneficiaryId}","amount":"100.50","reference_id":"first-transfer","narrative":"Hello"}'; echo
`);
}
