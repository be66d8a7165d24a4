// A migrated database of its own for tests that talk to the ledger directly, with merchants and the three things that
// move money: accepting, claiming, reporting. No assertion.
import { profileRecord, createMerchants, type Merchant, type MerchantKey } from "../../src/merchants/index.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import type { Claim } from "../../src/payouts/claim-store.ts";
import { claimTransfers } from "../../src/payouts/dispatch/claim-transfers.ts";
import type { PaymentStatus } from "../../src/payouts/rails/rail.ts";
import { contactRecord, UNVERIFIED, type Beneficiary } from "../../src/payouts/beneficiaries/beneficiary.ts";
import { insertBeneficiaries } from "../../src/payouts/beneficiaries/beneficiary-store.ts";
import { writePayouts } from "../../src/payouts/batch/write-payouts.ts";
import type { AcceptOutcome, NewTransfer, Report, TransferStatus } from "../../src/payouts/transfer-store.ts";
import type { TransferIdentity } from "../../src/payouts/transfer.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { createPool, type Connection, type Pool } from "../../src/platform/database/pool.ts";
import { makePreparedDatabase } from "./prepared-data.ts";
import { TEST_ACTOR, withTestSecrets } from "./secrets.ts";
import { changeMerchants } from "./reprove.ts";

export const PROCESS_ID = 1n;
/** The payee of tests' transfers: each merchant that a test creates has this beneficiary. */
export const VENDOR = { name: "Asha Rao", accountNumber: "50100000001191", ifsc: "YESB0000262", upi: null };
export const BENEFICIARY_ID = 1n;
/** Above all ids that a test's database generates. */
let lastClaimId = 2n ** 52n;
/** As the server's own connections for group commits have them. */
const PLANNER_SETTINGS = { enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" };

export type LedgerDatabase = {
  readonly url: string;
  /** The database's owner. */
  readonly owner: Pool;
  /** The role that the server works with. */
  readonly server: Pool;
  readonly ids: IdSource;
  close(): Promise<void>;
};

/** Opens a database that is new and migrated. */
export async function openLedgerDatabase(): Promise<LedgerDatabase> {
  const database = await makePreparedDatabase();
  const owner = withTestSecrets(createPool({ url: database.url, size: 4, actor: TEST_ACTOR }));
  const server = withTestSecrets(
    createPool({ url: database.url, size: 8, role: "nodal_server", actor: TEST_ACTOR, settings: PLANNER_SETTINGS }),
  );
  return {
    url: database.url,
    owner,
    server,
    ids: new IdSource(owner),
    close: async () => {
      await Promise.all([owner.end(), server.end()]);
      await database.release();
    },
  };
}

/** Creates merchants, each with its books, a beneficiary without an audit entry and, if an amount is given, that much money. */
export async function makeMerchants(db: LedgerDatabase, count: number, fundsPaise = 0n): Promise<Merchant[]> {
  const profiles = Array.from({ length: count }, (_, index) => ({
    ...profileRecord.blank,
    name: `Merchant ${index + 1}`,
    email: `merchant${index + 1}@example.com`,
    mobile: "",
    address: "",
    city: "",
    state: "",
    zipcode: "",
    gstin: "",
    pan: "",
    bankAccount: "",
    ifsc: "",
    bankHolder: "",
    timeZone: "Asia/Kolkata",
  }));
  const merchants = (await createMerchants(db.server, db.ids, profiles)).map((created) => created.merchant);
  await addVendor(db, merchants);
  for (const merchant of fundsPaise > 0n ? merchants : []) {
    await fund(db, merchant, fundsPaise, `opening ${merchant.merchantId}`);
  }
  return merchants;
}

/** The same with real money, which needs rails other than the simulator's. */
export async function makeLiveMerchants(db: LedgerDatabase, count: number, fundsPaise = 0n): Promise<Merchant[]> {
  const merchants = await makeMerchants(db, count, fundsPaise);
  await changeMerchants(db.owner, "update merchant set live = true where merchant_id = any ($1)", [
    merchants.map(({ merchantId }) => merchantId),
  ]);
  return merchants.map((merchant) => ({ ...merchant, live: true }));
}

/** The same with empty logs, so that they only contain what a test does. */
export async function makeSilentMerchants(db: LedgerDatabase, count: number): Promise<Merchant[]> {
  const merchants = await makeMerchants(db, count);
  const ids = merchants.map(({ merchantId }) => merchantId);
  await db.owner.query("delete from journal where merchant_id = any ($1)", [ids]);
  await db.owner.query("update ledger_book set last_entry_no = 0 where merchant_id = any ($1)", [ids]);
  return merchants;
}

/** Credits a merchant, as `nodal fund` does. */
export function fund(
  db: LedgerDatabase,
  { bucket, merchantId }: MerchantKey,
  amountPaise: bigint,
  reference: string,
): Promise<{ fundingId: bigint; repeated: boolean }> {
  return fundMerchant(db.server, db.ids, { bucket, merchantId, amountPaise, reference });
}

/** Gives each of these merchants the beneficiary that its transfers go to. */
export async function addVendor(db: LedgerDatabase, merchants: readonly MerchantKey[]): Promise<void> {
  const vendors = merchants.map((merchant) => newBeneficiary(merchant, { ...VENDOR, beneficiaryId: BENEFICIARY_ID }));
  await insertBeneficiaries(db.server, vendors);
}

/** A beneficiary to insert without an audit entry. */
export function newBeneficiary(
  { bucket, merchantId }: MerchantKey,
  payee: Pick<Beneficiary, "beneficiaryId" | "name" | "accountNumber" | "ifsc" | "upi">,
): Beneficiary {
  return {
    bucket,
    merchantId,
    ...payee,
    type: "Vendor",
    approval: "approved",
    ...contactRecord.blank,
    createdAt: Temporal.Now.instant(),
    verification: UNVERIFIED,
  };
}

/** A transfer request. */
export function newTransfer(
  { bucket, merchantId }: MerchantKey,
  transferId: bigint,
  amountPaise: bigint,
  referenceId: string,
): NewTransfer {
  return {
    bucket,
    merchantId,
    transferId,
    kind: "transfer",
    referenceId,
    beneficiaryId: BENEFICIARY_ID,
    payee: VENDOR,
    mode: "banktransfer",
    rail: "simulator",
    railMode: "IMPS",
    amountPaise,
    narrative: "",
    idempotency: null,
    origin: null,
    franchiseId: null,
    payeeSince: null,
  };
}

/** A claim that nobody has made. */
export function newClaim(processId = PROCESS_ID): Claim {
  lastClaimId += 1n;
  return { processId, claimId: lastClaimId };
}

/** Accepts a batch in order of arrival; `claims[i]` says whether the process takes item i on at once. */
export async function acceptTransfers(
  db: Pool,
  now: Temporal.Instant,
  processId: bigint,
  transfers: readonly NewTransfer[],
  claims: readonly boolean[],
): Promise<readonly AcceptOutcome[]> {
  const requests = transfers.map((transfer, index) => ({ transfer, claim: claims[index]! }));
  return (await writePayouts(db, now, newClaim(processId), { requests, reports: [] })).outcomes;
}

/** Applies a batch of reports, at most one for each transfer; `null` where there is no such transfer. */
export async function applyReports(
  db: Pool,
  now: Temporal.Instant,
  reports: readonly Report[],
): Promise<readonly (TransferStatus | null)[]> {
  return (await writePayouts(db, now, null, { requests: [], reports })).statuses;
}

/** Accepts transfers, all left in the queue. Returns them. */
export async function accept(db: Pool, transfers: readonly NewTransfer[]): Promise<readonly NewTransfer[]> {
  const now = Temporal.Now.instant();
  const outcomes = await acceptTransfers(
    db,
    now,
    PROCESS_ID,
    transfers,
    transfers.map(() => false),
  );
  const refused = outcomes.find((outcome) => outcome.outcome !== "created");
  if (refused) throw new Error(`a transfer was not accepted: ${refused.outcome}`);
  return transfers;
}

/** Claims transfers as the dispatcher does before it calls the bank. */
export async function claim(db: Pool, transfers: readonly TransferIdentity[]): Promise<void> {
  await claimTransfers(db, Temporal.Now.instant(), newClaim(), transfers);
}

/** What a bank says of a transfer. */
export function reportOn({ bucket, merchantId, transferId }: TransferIdentity, status: Report["status"]): Report {
  const isPaid = status === "SUCCESS" || status === "REVERSED";
  return {
    bucket,
    merchantId,
    transferId,
    status,
    utr: isPaid ? `UTR${transferId}` : null,
    reason: status === "FAILED" || status === "REJECTED" || status === "REVERSED" ? "declined" : null,
    acknowledged: status === "SUCCESS",
    dueAt: status === "PENDING" || status === "UNKNOWN" ? Temporal.Now.instant() : null,
    attempts: 1,
  };
}

/** Reports one status after another on a transfer. */
export async function report(
  db: Pool,
  transfer: TransferIdentity,
  ...statuses: (PaymentStatus | "UNKNOWN")[]
): Promise<void> {
  for (const status of statuses) await applyReports(db, Temporal.Now.instant(), [reportOn(transfer, status)]);
}

/** Runs `work` in a transaction and rolls it back. */
export async function rolledBack(pool: Pool, work: (connection: Connection) => Promise<void>): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query("begin");
    await work(connection);
  } finally {
    await connection.query("rollback");
    connection.release();
  }
}
