// Franchises for tests: requests to save them, and, directly on the database, what their invoices' payments earn them.
// No assertion.
import {
  adjustCommission,
  findFranchise,
  readCommission,
  type AdjustCommission,
  type CommissionState,
  type Franchise,
  type FranchiseKey,
} from "../../src/franchises/index.ts";
import { contactRecord } from "../../src/franchises/franchise.ts";
import { keepFirstPassword } from "./dashboard.ts";
import { saveFranchise, type FranchiseDraft } from "../../src/franchises/save-franchise.ts";
import { lockBook } from "../../src/ledger/index.ts";
import type { Merchant } from "../../src/merchants/index.ts";
import type { IdSource } from "../../src/platform/database/ids.ts";
import { inTransaction, type Pool } from "../../src/platform/database/pool.ts";
import type { Installation, TestMerchant } from "./installation.ts";

/** What tests need of a database. */
export type Stage = { readonly server: Pool; readonly ids: IdSource };

/** A franchise with a tenth of what is received, paid out automatically to an account that the simulated bank pays. */
export const DRAFT: FranchiseDraft = {
  code: "F1",
  contact: contactRecord.read({
    franchise_name: "Pune Branch",
    contact_person_name: "Meera Shah",
    email_id: "pune@example.com",
    mobile: "9876543210",
    city: "Pune",
    state: "Maharashtra",
  }),
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
  const { answer } = await saveFranchise({ pool, ids, merchant, idempotency: null }, draft);
  const { bucket, merchantId } = merchant;
  return (await findFranchise(pool, { bucket, merchantId, franchiseId: BigInt(answer.franchiseId) }))!;
}

/** A payment of an invoice of a franchise, and what the invoice comes to. */
export type Accrual = FranchiseKey & {
  readonly invoiceId: bigint;
  readonly settlementId: bigint;
  readonly receivedPaise: bigint;
  readonly taxablePaise: bigint;
  readonly totalPaise: bigint;
};

/** The payments that stand on each invoice, by settlement; of each database, since ids begin anew in each. */
const payments = new WeakMap<Stage["ids"], Map<bigint, Map<bigint, bigint>>>();

function paymentsOf({ ids }: Stage, invoiceId: bigint): Map<bigint, bigint> {
  const ofDatabase = payments.get(ids) ?? new Map<bigint, Map<bigint, bigint>>();
  payments.set(ids, ofDatabase);
  const ofInvoice = ofDatabase.get(invoiceId) ?? new Map<bigint, bigint>();
  ofDatabase.set(invoiceId, ofInvoice);
  return ofInvoice;
}

/** A payment of an invoice of 1000.00 without tax; of an invoice of its own unless one is given. */
export async function receive(
  stage: Stage,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  receivedPaise: bigint,
  changes: Partial<Accrual> = {},
): Promise<{ accrual: Accrual; earnedPaise: bigint }> {
  const totalPaise = changes.totalPaise ?? 100_000n;
  const [invoiceId, settlementId] = [await stage.ids.next(), await stage.ids.next()];
  const ids = { bucket, merchantId, franchiseId, invoiceId, settlementId };
  const accrual: Accrual = { ...ids, receivedPaise, taxablePaise: totalPaise, totalPaise, ...changes };
  paymentsOf(stage, accrual.invoiceId).set(settlementId, receivedPaise);
  return { accrual, earnedPaise: await adjust(stage, accrual) };
}

/** Reverses a payment. Returns how much commission was reversed with it. */
export async function takeBack(stage: Stage, accrual: Accrual): Promise<bigint> {
  paymentsOf(stage, accrual.invoiceId).delete(accrual.settlementId);
  return -(await adjust(stage, accrual));
}

/** Brings the commission to what the payments of the accrual's invoice earn, and returns the difference. */
export function adjust(
  stage: Stage,
  { bucket, merchantId, settlementId: subjectId, ...accrual }: Accrual,
  changes: Partial<AdjustCommission> = {},
): Promise<bigint> {
  const paidPaise = [...paymentsOf(stage, accrual.invoiceId).values()].reduce((sum, paise) => sum + paise, 0n);
  const nothing = { previousDuesPaise: 0n, creditedPaise: 0n, givenBackPaise: 0n };
  return inTransaction(stage.server, async (connection) => {
    await lockBook(connection, bucket, merchantId);
    const merchant = { bucket, merchantId };
    return adjustCommission({ connection, merchant }, { ...accrual, ...nothing, paidPaise, ...changes, subjectId });
  });
}

/** The franchise's earned, paid and owed commission. */
export async function commissionOf({ server }: Stage, franchise: FranchiseKey): Promise<CommissionState> {
  return (await readCommission({ pool: server, merchant: franchise }, [franchise.franchiseId])).get(
    franchise.franchiseId,
  )!;
}

/** A request with every field. */
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

/** Saves a franchise with a tenth of what is received, that signs in and need not change its password. Returns its id. */
export async function saveFranchiseWithLogin(
  { pool }: Pick<Installation, "pool">,
  merchant: Pick<TestMerchant, "post">,
  { email, password }: { readonly email: string; readonly password: string },
  names: { readonly franchise_code: string; readonly franchise_name: string },
): Promise<string> {
  const { body } = await merchant.post("/api/v1/franchise/save", {
    ...names,
    contact_person_name: "Ravi",
    email_id: "ravi@example.com",
    mobile: "9876543210",
    commission_type: "Percentage",
    commission: "10",
    settlement_type: "Manual",
    enable_franchise_login: "1",
    login_email: email,
    password,
    role_name: "Franchise",
  });
  const franchiseId = String((body as { franchise_id: string }).franchise_id);
  await keepFirstPassword(pool, franchiseId);
  return franchiseId;
}
