// Routes of transfers that need attention: stuck ones, and those resolved by hand, with later reports of their provider.
import { listApprovals, readActorNames } from "../merchants/index.ts";
import {
  isInstallations,
  listResolvedTransfers,
  listStuckTransfers,
  readResolution,
  requestResolution,
  type ResolvedTransfer,
  type StuckTransfer,
} from "../payouts/index.ts";
import { digitsOrNumber, oneOf, optionalText, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

const LONGEST_UTR = 30;
const LONGEST_REASON = 200;
/** The newest open approvals. */
const MAX_APPROVALS = 1000;

/** Adds the list of what needs attention, and the request to resolve a stuck transfer. */
export function registerAttentionRoutes(scope: DashboardScope) {
  const { pool, ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /stuck-transfers",
      summary: "List payouts without a final status, and those resolved by hand",
      permission: "payouts.view",
      handler: async ({ db, merchant }) => {
        const open = await listApprovals(db, merchant, { status: "open", before: null, limit: MAX_APPROVALS });
        const asked = new Map(
          open.flatMap(({ kind, subjectId, approvalId }) =>
            kind === "transfer_resolution" ? [[subjectId, approvalId] as const] : [],
          ),
        );
        const stuck = await listStuckTransfers(db, merchant);
        const resolved = await listResolvedTransfers(db, merchant);
        const actors = resolved.map(({ resolvedBy }) => resolvedBy);
        const names = await readActorNames({ db, pool }, merchant, actors);
        const { timeZone } = merchant;
        return {
          stuck: stuck.map((each) => describeStuck(each, timeZone, asked.get(each.transferId) ?? null)),
          resolved: resolved.map((each) => ({
            ...describeResolved(each, timeZone),
            resolved_by_name: names.get(each.resolvedBy) ?? null,
          })),
        };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /stuck-transfers/:transfer_id/resolve",
      summary: "Record the outcome of a stuck payout",
      // For transfers over the installation's account, the use case only allows operators.
      permission: ["payouts.transfer", "merchants.fund"],
      params: { transfer_id: digitsOrNumber(16) },
      body: {
        as: oneOf(["success", "failed"]),
        utr: optionalText(LONGEST_UTR),
        reason: requiredText(LONGEST_REASON),
        evidence: optionalText(LONGEST_REASON),
      },
      handler: async ({ db, merchant, params, body: { as, utr, reason, evidence } }) => {
        const said = readResolution({ as, utr: utr ?? "", reason, evidence: evidence ?? "" });
        // It may have been sent over the installation's accounts, which the merchant can't see.
        const context = { pool: db, ids, merchant, accounts: pool };
        const approvalId = await requestResolution(context, { transferId: BigInt(params.transfer_id), ...said });
        return { approval_id: String(approvalId) };
      },
    }),
  ];
}

function describeStuck(stuck: StuckTransfer, timeZone: string, approvalId: bigint | null) {
  const { dueAt, attempts } = stuck;
  return {
    transfer_id: String(stuck.transferId),
    kind: stuck.kind,
    reference_id: stuck.referenceId ?? "",
    amount: formatPaise(stuck.amountPaise),
    provider: stuck.rail.split(":")[0]!,
    mode: stuck.railMode,
    state: stuck.state,
    reason: stuck.reason ?? "",
    added_at: formatInstant(stuck.addedAt, timeZone),
    attempts,
    next_at: dueAt === null ? null : formatInstant(dueAt, timeZone),
    /** It was sent from the installation's account: only operators can resolve it. */
    operators_only: isInstallations(stuck),
    /** The approval that its outcome waits for. */
    approval_id: approvalId === null ? null : String(approvalId),
  };
}

function describeResolved(resolved: ResolvedTransfer, timeZone: string) {
  return {
    transfer_id: String(resolved.transferId),
    kind: resolved.kind,
    reference_id: resolved.referenceId ?? "",
    amount: formatPaise(resolved.amountPaise),
    resolved_as: resolved.resolvedAs,
    resolved_at: formatInstant(resolved.resolvedAt, timeZone),
    resolved_by: resolved.resolvedBy,
    resolved_utr: resolved.resolvedUtr ?? "",
    state: resolved.state,
    utr: resolved.utr ?? "",
    contradicts: resolved.contradicts,
  };
}
