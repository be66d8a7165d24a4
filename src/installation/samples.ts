// Use cases: sample merchants with a beneficiary each, for the demo of the first start and for benchmarks. All people are
// fictitious.
import type { InstallationDatabase } from "../database.ts";
import { auditValues, fundMerchant, insertFundings, recordEventsOfMany } from "../ledger/index.ts";
import {
  hasMerchantNamed,
  hasMerchants,
  profileRecord,
  type Context,
  type MerchantKey,
  type MerchantProfile,
  type NewMerchant,
} from "../merchants/index.ts";
import { beneficiaryRecord, insertBeneficiaries, type Beneficiary, UNVERIFIED } from "../payouts/index.ts";
import { IdSource } from "../platform/database/ids.ts";
import { createPool, type Connection } from "../platform/database/pool.ts";
import type { Origin } from "../platform/origin.ts";
import { withSecrets } from "../platform/secrets/index.ts";
import { createMerchantsWithTemplate, createMerchantWithOwner, type FirstUser } from "./create-merchants.ts";

const DEMO_FUNDS_PAISE = 10_000_000n;
const DEMO_NAME = "Demo Traders";
const DEMO_EMAIL = "demo@example.com";
/** Enough to run every guide and the whole request collection without a pause. */
const DEMO_RATE_LIMIT_PER_MINUTE = 600;
/** Without one, its first invoice would have no tax. */
const DEMO_GSTIN = "29AAACI1234K1ZN";
/** Merchants per transaction: larger ones gain nothing and use more memory. */
const BATCH_SIZE = 1000;

/** The profile of a sample merchant, complete with a bank account for withdrawals. */
export function sampleProfile(name: string, email: string): MerchantProfile {
  return {
    ...profileRecord.blank,
    name,
    email,
    mobile: "9876543210",
    address: "12 Brigade Road",
    city: "Bengaluru",
    state: "Karnataka",
    zipcode: "560001",
    bankAccount: "00011020001772",
    ifsc: "HDFC0000001",
    bankHolder: name,
    timeZone: "Asia/Kolkata",
  };
}

/** A beneficiary whose account and UPI handle the simulated bank pays. */
function sampleBeneficiary(owner: MerchantKey, beneficiaryId: bigint): Beneficiary {
  return {
    bucket: owner.bucket,
    merchantId: owner.merchantId,
    beneficiaryId,
    type: "Vendor",
    approval: "approved",
    ...beneficiaryRecord.blank,
    name: "Asha Rao",
    emailId: "asha@example.com",
    mobile: "9876500000",
    accountNumber: "026291800001191",
    ifsc: "YESB0000262",
    upi: "success@upi",
    city: "Mysuru",
    state: "Karnataka",
    zipcode: "570001",
    createdAt: Temporal.Now.instant(),
    verification: UNVERIFIED,
  };
}

/** Saves sample beneficiaries of merchants that are made in the same transaction, with their events. */
async function saveSampleBeneficiaries(connection: Connection, beneficiaries: readonly Beneficiary[]): Promise<void> {
  await insertBeneficiaries(connection, beneficiaries);
  await recordEventsOfMany(
    connection,
    beneficiaries.map((beneficiary) => ({
      bucket: beneficiary.bucket,
      merchantId: beneficiary.merchantId,
      type: "beneficiary.created",
      subjectId: beneficiary.beneficiaryId,
      after: auditValues(beneficiary),
    })),
  );
}

export type Demo = {
  readonly merchant: NewMerchant;
  readonly user: FirstUser;
  readonly beneficiaryId: bigint;
};

/** Creates a sandbox merchant with 1,00,000.00 rupees and one beneficiary; `null` if there are merchants already. */
export async function createDemo(
  { url, secrets }: InstallationDatabase,
  origin: Pick<Origin, "actor" | "address">,
): Promise<Demo | null> {
  const pool = withSecrets(createPool({ url, size: 2, role: "nodal_server", ...origin }), secrets);
  try {
    if (await hasMerchants(pool)) return null;
    const ids = new IdSource(pool);
    const beneficiaryId = await ids.next();
    const { user, ...merchant } = await createMerchantWithOwner(
      { pool, ids },
      {
        profile: {
          ...sampleProfile(DEMO_NAME, DEMO_EMAIL),
          gstin: DEMO_GSTIN,
          rateLimitPerMinute: DEMO_RATE_LIMIT_PER_MINUTE,
        },
        userEmail: null,
        kycRequired: false,
        alsoDo: (connection, owner) => saveSampleBeneficiaries(connection, [sampleBeneficiary(owner, beneficiaryId)]),
      },
    );
    const { bucket, merchantId } = merchant.merchant;
    await fundMerchant(pool, ids, { bucket, merchantId, amountPaise: DEMO_FUNDS_PAISE, reference: "demo" });
    return { merchant, user, beneficiaryId };
  } finally {
    await pool.end();
  }
}

/** Whether the database has the demo merchant, whose keys were printed publicly. */
export async function hasDemo({ url }: Pick<InstallationDatabase, "url">): Promise<boolean> {
  const pool = createPool({ url, size: 1, role: "nodal_server" });
  try {
    return await hasMerchantNamed(pool, DEMO_NAME, DEMO_EMAIL);
  } finally {
    await pool.end();
  }
}

export type SampleMerchant = NewMerchant & { readonly beneficiaryId: bigint };

/** Makes `count` funded merchants with one beneficiary each. */
export async function createSamples(
  context: Pick<Context, "pool" | "ids">,
  { count, amountPaise }: { readonly count: number; readonly amountPaise: bigint },
): Promise<SampleMerchant[]> {
  const made: SampleMerchant[] = [];
  while (made.length < count) {
    const numbers = Array.from({ length: Math.min(BATCH_SIZE, count - made.length) }, (_, at) => made.length + at + 1);
    made.push(...(await createBatch(context, numbers, amountPaise)));
  }
  return made;
}

/** Creates merchants in one transaction. Nobody else can see their books yet, so they need no lock. */
async function createBatch(
  context: Pick<Context, "pool" | "ids">,
  numbers: readonly number[],
  amountPaise: bigint,
): Promise<SampleMerchant[]> {
  const profiles = numbers.map((number) => sampleProfile(`Sample Traders ${number}`, `sample${number}@example.com`));
  const fundingIds: bigint[] = [];
  const beneficiaryIds: bigint[] = [];
  for (const _ of numbers) {
    fundingIds.push(await context.ids.next());
    beneficiaryIds.push(await context.ids.next());
  }
  const created = await createMerchantsWithTemplate(context, profiles, async (connection, merchants) => {
    const fundings = merchants.map(({ bucket, merchantId }, index) => {
      return { bucket, merchantId, fundingId: fundingIds[index]!, amountPaise, reference: "seed" };
    });
    await insertFundings(connection, Temporal.Now.instant(), fundings);
    const beneficiaries = merchants.map((merchant, index) => sampleBeneficiary(merchant, beneficiaryIds[index]!));
    await saveSampleBeneficiaries(connection, beneficiaries);
  });
  return created.map((merchant, index) => ({ ...merchant, beneficiaryId: beneficiaryIds[index]! }));
}
