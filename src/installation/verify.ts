// Use case: run every check of every domain, over one merchant or all, and return the violations. Each domain has its checks.
import { findForgedApprovals } from "../approvals/index.ts";
import { verifySeals, type SealFindings } from "../audit/index.ts";
import { BOOK_CHECKS } from "../books/index.ts";
import { COMMISSION_CHECKS, findForgedCommission } from "../franchises/index.ts";
import { findForgedCreditNotes, INVOICE_CHECKS } from "../invoices/index.ts";
import { findUnproved, type Violation } from "../ledger/index.ts";
import { requireMerchant, type MerchantKey } from "../merchants/index.ts";
import { NOTIFICATION_CHECKS } from "../notifications/index.ts";
import {
  findDoubledAccounts,
  findForgedBatches,
  findForgedBeneficiaries,
  findForgedUtrs,
  verify,
} from "../payouts/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { analyzeUnknown } from "../platform/database/statistics-store.ts";
import { checkSecrets, SecretsError } from "../platform/secrets/index.ts";
import { SECRET_TABLES } from "../secret-tables.ts";
import { findForgedStatements, RECONCILIATION_CHECKS } from "../reconciliation/index.ts";
import { SUBSCRIPTION_CHECKS } from "../subscriptions/index.ts";
import { WEBHOOK_CHECKS } from "../webhooks/index.ts";

const DOMAIN_CHECKS = [
  ...COMMISSION_CHECKS,
  ...INVOICE_CHECKS,
  ...BOOK_CHECKS,
  ...SUBSCRIPTION_CHECKS,
  ...NOTIFICATION_CHECKS,
  ...WEBHOOK_CHECKS,
  ...RECONCILIATION_CHECKS,
];

export type VerifyInstallation = {
  /** `null` for all. */
  readonly merchant?: bigint | null;
  /** Decrypts every encrypted value, instead of the latest of each table. */
  readonly deep?: boolean;
  /** The head of the chain of seals, as recorded elsewhere. */
  readonly expectedHead?: Buffer | null;
};

export type Finding = {
  readonly check: string;
  readonly merchant_id: string | null;
  readonly subject_id: string | null;
  readonly message: string;
};

export type Findings = Awaited<ReturnType<typeof verifyInstallation>>;

/** Runs every check, as the database's owner, who alone can read the simulated bank's book. Lists 1000 violations. */
export async function verifyInstallation(
  ownerPool: Pool,
  { merchant: merchantId = null, deep = false, expectedHead = null }: VerifyInstallation = {},
) {
  const merchant = merchantId === null ? null : await requireMerchant(ownerPool, merchantId);
  await analyzeUnknown(ownerPool);
  const verification = await verify(ownerPool, merchant, DOMAIN_CHECKS);
  const secrets = await findSecretViolations(ownerPool, merchant, deep);
  const seals = await findSealViolations(ownerPool, merchant, expectedHead);
  const violationCount = verification.violationCount + seals.violations.length + secrets.length;
  const summary = {
    ok: violationCount === 0,
    merchants: verification.merchants,
    postings: verification.postings,
    transfers: verification.transfers,
    pending_transfers: verification.pendingTransfers,
    stale_transfers: verification.staleTransfers,
    sealed_events: Number(seals.sealedEvents),
    unsealed_events: Number(seals.unsealedEvents),
    seal_links: Number(seals.chain?.linkNo ?? 0n),
    seal_head: seals.chain?.head.toString("hex") ?? "",
    violation_count: violationCount,
  };
  const violations = [...seals.violations, ...verification.violations].map(
    ({ check, merchantId: owner, subjectId, what, expected, found }): Finding => ({
      check,
      // The chain over the seals of all merchants belongs to no merchant.
      merchant_id: owner === 0n ? null : String(owner),
      subject_id: subjectId === null ? null : String(subjectId),
      message: `${what}: expected ${expected}, found ${found}`,
    }),
  );
  return { summary, violations: [...violations, ...secrets] };
}

/** The errors of encrypted values; a single violation if the master key is missing. */
async function findSecretViolations(ownerPool: Pool, merchant: MerchantKey | null, deep: boolean): Promise<Finding[]> {
  const scope = merchant && ([merchant.bucket, merchant.merchantId] as const);
  try {
    const faults = await checkSecrets(ownerPool, SECRET_TABLES, scope, deep);
    return faults.map(({ table, owner, rowId, what }) => ({
      check: "encrypted_values",
      merchant_id: String(owner),
      subject_id: String(rowId),
      message: `${table}: ${what}`,
    }));
  } catch (error) {
    if (!(error instanceof SecretsError)) throw error;
    return [{ check: "master_key", merchant_id: null, subject_id: null, message: error.message }];
  }
}

/** Rows with an invalid proof. */
async function findForged(ownerPool: Pool, scope: MerchantKey | null): Promise<Violation[]> {
  return [
    ...(await findForgedApprovals(ownerPool, scope)),
    ...(await findForgedBatches(ownerPool, scope)),
    ...(await findForgedBeneficiaries(ownerPool, scope)),
    ...(await findForgedCommission(ownerPool, scope)),
    ...(await findForgedCreditNotes(ownerPool, scope)),
    ...(await findForgedUtrs(ownerPool, scope)),
    ...(await findDoubledAccounts(ownerPool, scope)),
    ...(await findForgedStatements(ownerPool, scope)),
  ];
}

/** Without the master key no seal can be computed: that it is missing is reported separately. */
async function findSealViolations(
  ownerPool: Pool,
  scope: MerchantKey | null,
  expectedHead: Buffer | null,
): Promise<SealFindings> {
  try {
    const seals = await verifySeals(ownerPool, scope, expectedHead);
    return {
      ...seals,
      violations: [
        ...(await findUnproved(ownerPool, scope)),
        ...(await findForged(ownerPool, scope)),
        ...seals.violations,
      ],
    };
  } catch (error) {
    if (!(error instanceof SecretsError)) throw error;
    return { sealedEvents: 0n, unsealedEvents: 0n, chain: null, violations: [] };
  }
}
