// `nodal verify`: recomputes every balance from the entries and checks every invariant.
// What belongs here: options and what is printed. The checks are in the domains; payouts/ runs them.
import type { Command } from "commander";
import { INVOICE_CHECKS } from "../invoices/index.ts";
import { requireMerchant } from "../merchants/index.ts";
import { NOTIFICATION_CHECKS } from "../notifications/index.ts";
import { verify, type Verification } from "../payouts/index.ts";
import { optional } from "../platform/http/fields.ts";
import { SUBSCRIPTION_CHECKS } from "../subscriptions/index.ts";
import { WEBHOOK_CHECKS } from "../webhooks/index.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type Values } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

const FIELDS = { merchant: optional(merchantId()) };

/** Adds `verify`. */
export function registerVerify(program: Command): void {
  program
    .command("verify")
    .description("recompute every balance from the entries and check every invariant; exit 1 where one is broken")
    .option("--merchant <id>", "look at one merchant only")
    .addHelpText("after", example("nodal verify"))
    .action(onInstallation(optionsOf(FIELDS), verifyBooks));
}

/** Runs every check for one merchant or for all, and says what was found. */
export async function verifyBooks(
  { ownerPool }: Pick<Installation, "ownerPool">,
  options: Values<typeof FIELDS>,
): Promise<Answer> {
  const merchant = options.merchant === null ? null : await requireMerchant(ownerPool, options.merchant);
  const verification = await verify(ownerPool, merchant, [
    ...INVOICE_CHECKS,
    ...SUBSCRIPTION_CHECKS,
    ...NOTIFICATION_CHECKS,
    ...WEBHOOK_CHECKS,
  ]);
  const { summary, violations } = toJson(verification);
  const listed = violations.length > 0 ? `\n\n${formatTable(violations, "")}` : "";
  return {
    json: { ...summary, violations },
    text: `${formatRecord(summary)}${listed}`,
    exitCode: summary.ok ? 0 : 1,
  };
}

function toJson(verification: Verification) {
  const summary = {
    ok: verification.violationCount === 0,
    merchants: verification.merchants,
    postings: verification.postings,
    transfers: verification.transfers,
    pending_transfers: verification.pendingTransfers,
    stale_transfers: verification.staleTransfers,
    violation_count: verification.violationCount,
  };
  const violations = verification.violations.map(
    ({ check, merchantId: merchant, subjectId, what, expected, found }) => ({
      check,
      merchant_id: String(merchant),
      subject_id: subjectId === null ? null : String(subjectId),
      message: `${what}: expected ${expected}, found ${found}`,
    }),
  );
  return { summary, violations };
}
