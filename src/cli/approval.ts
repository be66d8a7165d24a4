// `nodal approval`: list, show, approve, reject.
// What belongs here: options and what is printed. The work is done in payouts/approvals/.
import type { Command } from "commander";
import {
  approvalNotFound,
  describeApproval,
  findApprovals,
  listApprovals,
  requireMerchant,
  type Approval,
  type ApprovalKey,
  type Merchant,
} from "../merchants/index.ts";
import { approve, describeSubject, reject } from "../payouts/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { digitsOrNumber, oneOf, optional, optionalText, wholeNumber } from "../platform/http/fields.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { flag, merchantId, optionsOf, REVEAL_OPTION, shownBy, type Show, type Values } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAXIMUM = 1000;
const LONGEST_NOTE = 500;

const LIST_FIELDS = {
  merchant: merchantId(),
  status: optional(oneOf(["open", "decided", "all"])),
  before: optional(digitsOrNumber(16)),
  limit: optional(wholeNumber(1, LIMIT_MAXIMUM)),
};
const SHOW_FIELDS = { merchant: merchantId(), approval: digitsOrNumber(16), reveal: flag() };
const DECIDE_FIELDS = { merchant: merchantId(), approval: digitsOrNumber(16), note: optionalText(LONGEST_NOTE) };
const MERCHANT_OPTION = ["--merchant <id>", "the merchant's id"] as const;
const APPROVAL_OPTION = ["--approval <id>", "the approval's id, which `nodal approval list` shows"] as const;

/** Adds `approval` and its subcommands. */
export function registerApproval(program: Command): void {
  const approval = program.command("approval").description("what waits for a second person: see it, and decide it");

  approval
    .command("list")
    .description("list what waits, the newest first")
    .option(...MERCHANT_OPTION)
    .option("--status <status>", "open, decided or all; default: open")
    .option("--before <id>", "go on before the approval of this id")
    .option("--limit <n>", `how many at most, up to ${LIMIT_MAXIMUM}; default: ${LIMIT_DEFAULT}`)
    .addHelpText("after", example("nodal approval list --merchant 1000001"))
    .action(onInstallation(optionsOf(LIST_FIELDS), list));

  approval
    .command("show")
    .description("show what somebody has asked for, and how it was decided")
    .option(...MERCHANT_OPTION)
    .option(...APPROVAL_OPTION)
    .option(...REVEAL_OPTION)
    .addHelpText("after", example("nodal approval show --merchant 1000001 --approval 1000412"))
    .action(onInstallation(optionsOf(SHOW_FIELDS), show));

  for (const [name, decide, description] of [
    ["approve", approve, "approve it: a transfer leaves, a payee can be paid, a change is made"],
    ["reject", reject, "reject it: a transfer's money is back, all else stays as it was"],
  ] as const) {
    approval
      .command(name)
      .description(`${description}; not for whoever has asked for it`)
      .option(...MERCHANT_OPTION)
      .option(...APPROVAL_OPTION)
      .option("--note <text>", "why, for the merchant and the audit log")
      .addHelpText("after", example(`nodal approval ${name} --merchant 1000001 --approval 1000412 --note "Agreed"`))
      .action(
        onInstallation(optionsOf(DECIDE_FIELDS), (installation, options) => decideWith(installation, options, decide)),
      );
  }
}

async function list({ pool }: Installation, options: Values<typeof LIST_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const approvals = await listApprovals(pool, merchant, {
    status: options.status ?? "open",
    before: options.before === null ? null : BigInt(options.before),
    limit: options.limit ?? LIMIT_DEFAULT,
  });
  const json = approvals.map((approval) => describeApproval(approval, merchant));
  const rows = json.map(({ approval_id, kind, subject_id, status, requested_by, requested_at, expires_at }) => {
    return { approval_id, kind, subject_id, status, requested_by, requested_at, expires_at };
  });
  return { json, text: formatTable(rows, "There is nothing to show.") };
}

async function show({ pool }: Installation, options: Values<typeof SHOW_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const [approval] = await findApprovals(pool, merchant, [BigInt(options.approval)]);
  if (!approval) throw approvalNotFound();
  return answer(pool, merchant, approval, shownBy(options.reveal));
}

async function decideWith(
  { pool }: Installation,
  options: Values<typeof DECIDE_FIELDS>,
  decide: (pool: Pool, key: ApprovalKey, note: string) => Promise<Approval>,
): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const key = { bucket: merchant.bucket, merchantId: merchant.merchantId, approvalId: BigInt(options.approval) };
  return answer(pool, merchant, await decide(pool, key, options.note ?? ""), shownBy(null));
}

async function answer(pool: Pool, merchant: Merchant, approval: Approval, shown: Show): Promise<Answer> {
  const json = { ...describeApproval(approval, merchant, shown), ...(await describeSubject(pool, approval, shown)) };
  return { json, text: formatRecord(json) };
}
