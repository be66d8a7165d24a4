// `nodal transfer list --stuck` and `resolve`: transfers that are stuck, and what becomes of them.
import { validationError } from "../platform/errors.ts";
import { listStuckTransfers, requestResolution, type StuckTransfer } from "../payouts/index.ts";
import { oneOf, optionalText, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { installationCommand, merchantCommand } from "./command.ts";
import { flag, id, ifGiven, MERCHANT, option } from "./options.ts";
import { listAnswer, recordAnswer } from "./output.ts";
import { requireMerchant } from "../merchants/index.ts";

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

export const listStuck = installationCommand({
  description:
    "list transfers that wait for their provider for too long: three working days, or an hour without any answer",
  example: "nodal transfer list --stuck",
  options: { stuck: flag("those that are stuck"), merchant: ifGiven(MERCHANT) },
  check({ stuck }, errors) {
    if (stuck) return;
    errors.push({ field: "stuck", code: "required", message: "only stuck transfers are listed here: say --stuck." });
  },
  async run({ pool }, { merchant }) {
    const whose = merchant === null ? null : await requireMerchant(pool, merchant);
    const records = (await listStuckTransfers(pool, whose)).map(describe);
    return listAnswer(records, "No transfer is stuck.", COLUMNS);
  },
});

export const resolveStuck = merchantCommand({
  description:
    "say what a stuck transfer came to; the provider is asked a last time, and a second person has to approve",
  example: '--transfer 1000412 --as success --utr 412345678901 --reason "Seen in the statement of the 21st"',
  options: {
    transfer: TRANSFER,
    as: option("<outcome>", "success, or failed: the money is given back", oneOf(["success", "failed"])),
    utr: option("<utr>", "the bank's reference, which a success has", optionalText(LONGEST_UTR)),
    reason: option("<text>", "how you know, for the audit log", requiredText(LONGEST_REASON)),
  },
  async run(scope, { transfer: transferId, as, utr, reason }) {
    if ((as === "success") !== Boolean(utr))
      throw validationError([
        {
          field: "utr",
          code: as === "success" ? "required" : "not_allowed",
          message: as === "success" ? "a success has the bank's reference." : "what failed has none.",
        },
      ]);
    const approvalId = await requestResolution(scope, { transferId, as, utr: utr || null, reason });
    return recordAnswer(
      { transfer_id: String(transferId), resolve_as: as, approval_id: String(approvalId) },
      "It waits for a second person: `nodal approval`, or the dashboard.",
    );
  },
});

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
