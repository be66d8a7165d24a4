// `nodal transfer list --stuck|--resolved` and `resolve`: transfers that are stuck, and what becomes of them.
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
  description:
    "list transfers that wait for their provider for too long: three working days, or an hour without any answer",
  example: "nodal transfer list --stuck",
  options: {
    stuck: flag("those that are stuck"),
    resolved: flag("those that people have resolved, and what the provider has said against it since"),
    merchant: ifGiven(MERCHANT),
  },
  check({ stuck, resolved }, errors) {
    if (stuck !== resolved) return;
    const problem = "Stuck or resolved transfers are listed here: say either --stuck or --resolved.";
    fail(errors, "stuck", "required", problem);
  },
  async run({ pool }, { resolved, merchant }) {
    const whose = merchant === null ? null : await requireMerchant(pool, merchant);
    if (resolved) {
      const listed = (await listResolvedTransfers(pool, whose)).map(describeResolved);
      return listAnswer(listed, "No transfer was resolved by people.", RESOLVED_COLUMNS);
    }
    const records = (await listStuckTransfers(pool, whose)).map(describe);
    return listAnswer(records, "No transfer is stuck.", COLUMNS);
  },
});

export const resolveStuck = merchantCommand({
  description: "record how a stuck transfer ended; the provider is asked now and when a second person approves",
  example: '--transfer 1000412 --as success --utr 412345678901 --reason "Seen in the statement of the 21st"',
  options: {
    transfer: TRANSFER,
    as: option("<outcome>", "success, or failed: the money is given back", oneOf(["success", "failed"])),
    utr: option("<utr>", "the bank's reference, which a success has", optionalText(LONGEST_UTR)),
    reason: option("<text>", "how you know, for the audit log", requiredText(LONGEST_REASON)),
    evidence: option(
      "<text>",
      "what the bank's statement shows, the debit or that there is none; needed for a failure that the provider calls pending, and where it can't be asked",
      optionalText(LONGEST_REASON),
    ),
  },
  async run(scope, { transfer: transferId, as, utr, reason, evidence }) {
    const given = { transferId, ...readResolution({ as, utr: utr ?? "", reason, evidence: evidence ?? "" }) };
    const approvalId = await requestResolution({ ...scope, accounts: scope.pool }, given);
    return recordAnswer(
      { transfer_id: String(transferId), resolve_as: as, approval_id: String(approvalId) },
      "It waits for a second person: `nodal approval`, or the dashboard.",
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
