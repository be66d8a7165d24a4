// `nodal transfer list --stuck|--resolved` and `resolve`: stuck transfers and their outcomes.
import { requireMerchant } from "../merchants/index.ts";
import {
  listResolvedTransfers,
  listStuckTransfers,
  readResolution,
  requestResolution,
  type ResolvedTransfer,
  type StuckTransfer,
} from "../payouts/index.ts";
import { fail } from "../platform/http/field.ts";
import { oneOf, optionalText, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { flag, id, ifGiven, installationCommand, MERCHANT, merchantCommand, option } from "./command.ts";
import { listAnswer, recordAnswer } from "./output.ts";

const TRANSFER = id("a transfer's id");
const LONGEST_UTR = 30;
const LONGEST_REASON = 200;
const TIME_ZONE = "Asia/Kolkata";
const COLUMNS = [
  "merchant_id",
  "transfer_id",
  "amount",
  "rail",
  "mode",
  "state",
  "added_at",
  "attempts",
  "next_at",
] as const;

const RESOLVED_COLUMNS = [
  "merchant_id",
  "transfer_id",
  "amount",
  "resolved_as",
  "resolved_at",
  "resolved_by",
  "state",
  "utr",
  "contradicts",
] as const;

export const listStuck = installationCommand({
  description: "list stuck transfers: pending for three working days, or unanswered for an hour",
  example: "nodal transfer list --stuck",
  options: {
    stuck: flag("stuck transfers"),
    resolved: flag("transfers resolved by hand, with any later report from the provider"),
    merchant: ifGiven(MERCHANT),
  },
  check({ stuck, resolved }, errors) {
    if (stuck !== resolved) return;
    const problem = "Give --stuck or --resolved.";
    fail(errors, "stuck", "required", problem);
  },
  async run({ pool }, { resolved, merchant }) {
    const whose = merchant === null ? null : await requireMerchant(pool, merchant);
    if (resolved) {
      const listed = (await listResolvedTransfers(pool, whose)).map(describeResolved);
      return listAnswer(listed, "No transfers were resolved by hand.", RESOLVED_COLUMNS);
    }
    const records = (await listStuckTransfers(pool, whose)).map(describe);
    return listAnswer(records, "No stuck transfers.", COLUMNS);
  },
});

export const resolveStuck = merchantCommand({
  description: "record the outcome of a stuck transfer; the provider is asked now and again on approval",
  example: '--transfer 1000412 --as success --utr 412345678901 --reason "Seen in the statement of the 21st"',
  options: {
    transfer: TRANSFER,
    as: option("<outcome>", "success, or failed (the amount is returned)", oneOf(["success", "failed"])),
    utr: option("<utr>", "the bank's reference, for a success", optionalText(LONGEST_UTR)),
    reason: option("<text>", "how you know, for the audit log", requiredText(LONGEST_REASON)),
    evidence: option(
      "<text>",
      "what the bank statement shows (a debit, or none); required to fail a transfer that the provider calls pending or can't be asked about",
      optionalText(LONGEST_REASON),
    ),
  },
  async run(scope, { transfer: transferId, as, utr, reason, evidence }) {
    const given = { transferId, ...readResolution({ as, utr: utr ?? "", reason, evidence: evidence ?? "" }) };
    const approvalId = await requestResolution({ ...scope, accounts: scope.pool }, given);
    return recordAnswer(
      { transfer_id: String(transferId), resolve_as: as, approval_id: String(approvalId) },
      "Sent for approval: decide it with `nodal approval` or in the dashboard.",
    );
  },
});

function describeResolved(resolved: ResolvedTransfer) {
  return {
    merchant_id: String(resolved.merchantId),
    transfer_id: String(resolved.transferId),
    reference_id: resolved.referenceId ?? "",
    amount: formatPaise(resolved.amountPaise),
    rail: resolved.rail,
    resolved_as: resolved.resolvedAs,
    resolved_at: formatTimestamp(resolved.resolvedAt, TIME_ZONE),
    resolved_by: resolved.resolvedBy,
    resolved_utr: resolved.resolvedUtr ?? "",
    state: resolved.state,
    utr: resolved.utr ?? "",
    contradicts: resolved.contradicts ?? "",
  };
}

function describe(stuck: StuckTransfer) {
  const { dueAt, attempts } = stuck;
  return {
    merchant_id: String(stuck.merchantId),
    transfer_id: String(stuck.transferId),
    kind: stuck.kind,
    reference_id: stuck.referenceId ?? "",
    amount: formatPaise(stuck.amountPaise),
    rail: stuck.rail,
    mode: stuck.railMode,
    state: stuck.state,
    reason: stuck.reason ?? "",
    added_at: formatTimestamp(stuck.addedAt, TIME_ZONE),
    attempts: attempts === null ? "" : String(attempts),
    next_at: dueAt === null ? "now" : formatTimestamp(dueAt, TIME_ZONE),
  };
}
