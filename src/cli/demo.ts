// The first start: a demo merchant to try Nodal with, and what the server prints when it is up.
// What belongs here: words for a person at a terminal.
import { fundMerchant } from "../ledger/index.ts";
import type { InstallationDatabase } from "../database.ts";
import { hasMerchantNamed, hasMerchants, signInLink, type NewMerchant } from "../merchants/index.ts";
import type { Config } from "../platform/config.ts";
import { IdSource } from "../platform/database/ids.ts";
import { createPool } from "../platform/database/pool.ts";
import { withSecrets } from "../platform/secrets/index.ts";
import { commandOrigin } from "./command-origin.ts";
import { createMerchantWithOwner, type FirstUser } from "./new-merchants.ts";
import { sampleBeneficiary, sampleProfile, saveSampleBeneficiaries } from "./samples.ts";

const DEMO_FUNDS_PAISE = 10_000_000n;
const DEMO_NAME = "Demo Traders";
const DEMO_EMAIL = "demo@example.com";

export type Demo = {
  readonly merchant: NewMerchant;
  readonly user: FirstUser;
  readonly beneficiaryId: bigint;
};

/** Makes a merchant with 1,00,000.00 rupees and one beneficiary, in the sandbox; `null` where there are merchants. */
export async function createDemo({ url, secrets }: InstallationDatabase): Promise<Demo | null> {
  const pool = withSecrets(createPool({ url, size: 2, role: "nodal_server", ...commandOrigin() }), secrets);
  try {
    if (await hasMerchants(pool)) return null;
    const ids = new IdSource(pool);
    const beneficiaryId = await ids.next();
    const profile = sampleProfile(DEMO_NAME, DEMO_EMAIL);
    const { user, ...merchant } = await createMerchantWithOwner(pool, ids, profile, null, async (connection, owner) => {
      await saveSampleBeneficiaries(connection, [sampleBeneficiary(owner, beneficiaryId)]);
    });
    const { bucket, merchantId } = merchant.merchant;
    await fundMerchant(pool, ids, { bucket, merchantId, amountPaise: DEMO_FUNDS_PAISE, reference: "demo" });
    return { merchant, user, beneficiaryId };
  } finally {
    await pool.end();
  }
}

/** Whether the database has the demo merchant, whose keys were printed for anybody to see. */
export async function hasDemo({ url }: InstallationDatabase): Promise<boolean> {
  const pool = createPool({ url, size: 1, role: "nodal_server" });
  try {
    return await hasMerchantNamed(pool, DEMO_NAME, DEMO_EMAIL);
  } finally {
    await pool.end();
  }
}

/** Prints, as one JSON value, where the server is and, after the first start, the demo merchant's keys. */
export function printWelcomeJson(address: string, config: Config, dataDir: string | null, demo: Demo | null): void {
  const url = config.PUBLIC_URL ?? address;
  const demoMerchant = demo && {
    merchant_id: String(demo.merchant.merchant.merchantId),
    access_key_id: demo.merchant.accessKeyId,
    secret_access_key: demo.merchant.secret,
    user_email: demo.user.email,
    user_password: demo.user.password,
    sign_in_url: signInLink(url, demo.merchant.merchant),
    beneficiary_id: String(demo.beneficiaryId),
  };
  console.log(JSON.stringify({ url, data_dir: dataDir, demo_merchant: demoMerchant }));
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

Sign in to the dashboard as ${demo.user.email} with the password ${demo.user.password} at
${signInLink(url, demo.merchant.merchant)}

Paste these lines into another terminal: get a token, read the balance, make a transfer.

TOKEN=$(curl -s ${url}/api/token -F access_key_id=${accessKeyId} -F secret_access_key=${secret} | sed 's/.*"token":"\\([^"]*\\)".*/\\1/'); echo "$TOKEN"
curl -s ${url}/api/v1/payout/balance -H "Authorization: Bearer $TOKEN"; echo
curl -s ${url}/api/v1/beneficiary/transfer -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"beneficiary_id":"${demo.beneficiaryId}","amount":"100.50","reference_id":"first-transfer","narrative":"Hello"}'; echo
`);
}
