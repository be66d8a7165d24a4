// `nodal verify`: recomputes every balance from the entries and checks every invariant.
// What belongs here: options and what is printed. The checks are in the domains; payouts/ runs them.
import type { Command } from "commander";
import { verifySeals, type SealFindings } from "../audit/index.ts";
import { INVOICE_CHECKS } from "../invoices/index.ts";
import { findUnproved } from "../ledger/index.ts";
import { requireMerchant, type MerchantKey } from "../merchants/index.ts";
import { NOTIFICATION_CHECKS } from "../notifications/index.ts";
import { verify, type Verification } from "../payouts/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { optional, optionalText } from "../platform/http/fields.ts";
import { checkSecrets, SecretsError } from "../platform/secrets/index.ts";
import { SECRET_TABLES } from "../secret-tables.ts";
import { SUBSCRIPTION_CHECKS } from "../subscriptions/index.ts";
import { WEBHOOK_CHECKS } from "../webhooks/index.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { head, readHeadFile, writeHeadFile } from "./kept-head.ts";
import { flag, merchantId, optionsOf, type GivenOptions, type Values } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

const FIELDS = {
  merchant: optional(merchantId()),
  deep: flag(),
  expectHead: optional(head()),
  headFile: optionalText(4096),
};
type Options = Values<typeof FIELDS>;

/** Adds `verify`. */
export function registerVerify(program: Command): void {
  program
    .command("verify")
    .description("recompute every balance from the entries and check every invariant; exit 1 where one is broken")
    .option("--merchant <id>", "look at one merchant only")
    .option("--deep", "open every encrypted value, instead of the latest of each table")
    .option("--expect-head <hex>", "a seal_head that was printed before: it has to be in the chain of seals")
    .option(
      "--head-file <file>",
      "the same out of a file, which gets the new head where all is well; made where there is none",
    )
    .addHelpText("after", example("nodal verify --head-file /mnt/elsewhere/nodal-head"))
    .action(onInstallation(optionsOf(FIELDS, refuseTogether), verifyWithHead));
}

/** The chain is over all merchants, and there is one head to expect. */
function refuseTogether(given: GivenOptions, errors: FieldError[]): void {
  const names = (["merchant", "expectHead", "headFile"] as const).filter((name) => given[name] !== undefined);
  if (names.length < 2) return;
  fail(
    errors,
    "--merchant, --expect-head and --head-file",
    "not_allowed",
    "can't be given together: leave all but one out.",
  );
}

async function verifyWithHead(installation: Installation, options: Options): Promise<Answer> {
  const expectedHead = options.headFile === null ? options.expectHead : await readHeadFile(options.headFile);
  const answer = await verifyBooks(installation, { ...options, expectedHead });
  const { seal_head: found, ok } = answer.json as { readonly seal_head: string; readonly ok: boolean };
  if (options.headFile !== null && ok && found !== "") await writeHeadFile(options.headFile, found);
  return answer;
}

/** Runs every check for one merchant or for all, and says what was found. `expectedHead`: of the chain of seals, as kept. */
export async function verifyBooks(
  { ownerPool }: Pick<Installation, "ownerPool">,
  options: Pick<Options, "merchant" | "deep"> & { readonly expectedHead?: Buffer | null },
): Promise<Answer> {
  const merchant = options.merchant === null ? null : await requireMerchant(ownerPool, options.merchant);
  const verification = await verify(ownerPool, merchant, [
    ...INVOICE_CHECKS,
    ...SUBSCRIPTION_CHECKS,
    ...NOTIFICATION_CHECKS,
    ...WEBHOOK_CHECKS,
  ]);
  const scope = merchant && ([merchant.bucket, merchant.merchantId] as const);
  const secretViolations = await findSecretViolations(ownerPool, scope, options.deep);
  const seals = await findSealViolations(ownerPool, merchant, options.expectedHead ?? null);
  const { summary, violations } = toJson(verification, seals, secretViolations);
  const listed = violations.length > 0 ? `\n\n${formatTable(violations, "")}` : "";
  return {
    json: { ...summary, violations },
    text: `${formatRecord(summary)}${listed}`,
    exitCode: summary.ok ? 0 : 1,
  };
}

type ToldViolation = {
  readonly check: string;
  readonly merchant_id: string | null;
  readonly subject_id: string | null;
  readonly message: string;
};

/** What is wrong with encrypted values; one violation in all where the master key is not there to open any. */
async function findSecretViolations(
  ownerPool: Pool,
  scope: readonly [number, bigint] | null,
  deep: true | null,
): Promise<ToldViolation[]> {
  try {
    const faults = await checkSecrets(ownerPool, SECRET_TABLES, scope, deep ?? false);
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

/** Without the master key no seal can be computed: that it is missing is a violation by itself. */
async function findSealViolations(
  ownerPool: Pool,
  scope: MerchantKey | null,
  expectedHead: Buffer | null,
): Promise<SealFindings> {
  try {
    const seals = await verifySeals(ownerPool, scope, expectedHead);
    return { ...seals, violations: [...(await findUnproved(ownerPool, scope)), ...seals.violations] };
  } catch (error) {
    if (!(error instanceof SecretsError)) throw error;
    return { sealedEvents: 0n, unsealedEvents: 0n, chain: null, violations: [] };
  }
}

function toJson(verification: Verification, seals: SealFindings, secretViolations: readonly ToldViolation[]) {
  const violationCount = verification.violationCount + seals.violations.length + secretViolations.length;
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
    ({ check, merchantId: merchant, subjectId, what, expected, found }) => ({
      check,
      // The chain over the seals of all merchants belongs to none.
      merchant_id: merchant === 0n ? null : String(merchant),
      subject_id: subjectId === null ? null : String(subjectId),
      message: `${what}: expected ${expected}, found ${found}`,
    }),
  );
  return { summary, violations: [...violations, ...secretViolations] };
}
