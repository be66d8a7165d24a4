// Franchises for tests: requests to save them, and, directly on the database, what their invoices' payments earn them.
// What belongs here: setting the stage. No assertion.
import {
  accrueCommission,
  findFranchise,
  readCommission,
  reverseCommission,
  type Accrual,
  type CommissionState,
  type Franchise,
  type FranchiseKey,
} from "../../src/franchises/index.ts";
import { saveFranchise, type FranchiseDraft } from "../../src/franchises/save-franchise.ts";
import { lockBook } from "../../src/ledger/index.ts";
import type { Merchant } from "../../src/merchants/index.ts";
import { saveFranchiseAccount } from "../../src/payouts/index.ts";
import type { IdSource } from "../../src/platform/database/ids.ts";
import { inTransaction, type Pool } from "../../src/platform/database/pool.ts";

/** What tests need of a database. */
export type Stage = { readonly server: Pool; readonly ids: IdSource };

/** A franchise with a tenth of what is received, paid out automatically to an account that the simulated bank pays. */
export const DRAFT: FranchiseDraft = {
  code: "F1",
  contact: {
    name: "Pune Branch",
    contactPersonName: "Meera Shah",
    emailId: "pune@example.com",
    mobile: "9876543210",
    panNumber: "",
    aadharNumber: "",
    gstNumber: "",
    address: "",
    city: "Pune",
    state: "Maharashtra",
    zipcode: "",
  },
  terms: { onlineSettlement: true, commissionType: "Percentage", commissionHundredths: 1000n, settlementType: "Auto" },
  account: {
    holderName: "Meera Shah",
    accountNumber: "026291800001191",
    bankName: "Yes Bank",
    accountType: "Current",
    ifsc: "YESB0000262",
  },
  login: null,
};

/** Saves a franchise, each with a code of its own. */
export async function makeFranchise(
  { server: pool, ids }: Stage,
  merchant: Merchant,
  changes: Partial<Pick<FranchiseDraft, "terms" | "account">> = {},
): Promise<Franchise> {
  const draft = { ...DRAFT, code: `F${await ids.next()}`, ...changes };
  const { answer } = await saveFranchise({ pool, ids, savePayee: saveFranchiseAccount }, merchant, draft, null);
  const { bucket, merchantId } = merchant;
  return (await findFranchise(pool, { bucket, merchantId, franchiseId: BigInt(answer.franchiseId) }))!;
}

/** A payment of an invoice without tax, on which more is due; of an invoice of its own unless one is given. */
export async function receive(
  { server, ids }: Stage,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  receivedPaise: bigint,
  changes: Partial<Accrual> = {},
): Promise<{ accrual: Accrual; earnedPaise: bigint }> {
  const accrual: Accrual = {
    bucket,
    merchantId,
    franchiseId,
    invoiceId: await ids.next(),
    settlementId: await ids.next(),
    receivedPaise,
    taxablePaise: 100_000n,
    totalPaise: 100_000n,
    becameFullyPaid: false,
    ...changes,
  };
  const earnedPaise = await inTransaction(server, async (connection) => {
    await lockBook(connection, bucket, merchantId);
    return accrueCommission(connection, accrual);
  });
  return { accrual, earnedPaise };
}

/** Takes a payment back. Answers how much commission went with it. */
export function takeBack({ server }: Stage, accrual: Accrual): Promise<bigint> {
  return inTransaction(server, async (connection) => {
    await lockBook(connection, accrual.bucket, accrual.merchantId);
    return reverseCommission(connection, accrual);
  });
}

/** What the franchise has earned, was paid and is owed. */
export async function commissionOf({ server }: Stage, franchise: FranchiseKey): Promise<CommissionState> {
  return (await readCommission(server, franchise, [franchise.franchiseId])).get(franchise.franchiseId)!;
}

/** A request with every field of the specification. */
export const FRANCHISE_SAMPLE = {
  franchise_code: "FR-PUNE-01",
  franchise_name: "Pune Branch",
  contact_person_name: "Meera Shah",
  email_id: "pune@example.com",
  mobile: "9730946150",
  pan_number: "AAACI1234K",
  aadhar_number: "123412341234",
  gst_number: "33BRSPP2039T1ZU",
  address: "123, Main Street",
  city: "Pune",
  state: "Maharashtra",
  zipcode: "411038",
  enable_online_settlement: 1,
  commission_type: "Percentage",
  commission: 12.5,
  settlement_type: "Auto",
  bank_holder_name: "Meera Shah",
  account_number: "00789101112",
  bank_name: "HDFC Bank",
  account_type: "Current",
  ifsc: "HDFC0000789",
  enable_franchise_login: "1",
  login_email: "pune.login@example.com",
  password: "correct horse",
  role_name: "Franchise",
};
/** The least that is required. */
export const FRANCHISE_LEAST = {
  franchise_code: "LEAST",
  franchise_name: "Least",
  contact_person_name: "Somebody",
  email_id: "least@example.com",
  mobile: "9730946150",
  commission_type: "Fixed",
  commission: "50",
  settlement_type: "Manual",
};
