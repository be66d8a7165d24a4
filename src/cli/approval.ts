// `nodal approval`: requests that need a second person's approval.
import { approve, describeSubject, reject, withdraw } from "../approvals/index.ts";
import { approvalNotFound, describeApproval, findApprovals, listApprovals, type Approval } from "../merchants/index.ts";
import { oneOf, optional, optionalText, wholeNumber } from "../platform/http/fields.ts";
import {
  group,
  id,
  ifGiven,
  merchantCommand,
  option,
  REVEAL,
  shownBy,
  type MerchantScope,
  type Show,
} from "./command.ts";
import { listAnswer, recordAnswer, type Answer } from "./output.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAXIMUM = 1000;
const LONGEST_NOTE = 500;
const APPROVAL = id("an approval's id, which `nodal approval list` shows");
const COLUMNS = ["approval_id", "kind", "subject_id", "status", "requested_by", "requested_at", "expires_at"] as const;

const list = merchantCommand({
  description: "list approvals, newest first",
  options: {
    status: option("<status>", "open, decided or all; default: open", optional(oneOf(["open", "decided", "all"]))),
    before: ifGiven(APPROVAL, "only approvals before this one"),
    limit: option(
      "<n>",
      `at most this many, up to ${LIMIT_MAXIMUM}; default: ${LIMIT_DEFAULT}`,
      optional(wholeNumber(1, LIMIT_MAXIMUM)),
    ),
  },
  async run({ pool, merchant }, { status, before, limit }) {
    const search = { status: status ?? "open", before, limit: limit ?? LIMIT_DEFAULT };
    const approvals = await listApprovals(pool, merchant, search);
    const records = approvals.map((approval) => describeApproval(approval, merchant));
    return listAnswer(records, "No approvals.", COLUMNS);
  },
});

const show = merchantCommand({
  description: "show a request and its decision",
  example: "--approval 1000412",
  options: { approval: APPROVAL, reveal: REVEAL },
  async run(scope, options) {
    const [approval] = await findApprovals(scope.pool, scope.merchant, [options.approval]);
    if (!approval) throw approvalNotFound();
    return answer(scope, approval, shownBy(options.reveal));
  },
});

function decision(decide: typeof approve, description: string) {
  return merchantCommand({
    description,
    example: '--approval 1000412 --note "Agreed"',
    options: {
      approval: APPROVAL,
      note: option("<text>", "why, for the merchant and the audit log", optionalText(LONGEST_NOTE)),
    },
    run: async (scope, { approval, note }) =>
      answer(scope, await decide(scope, { approvalId: approval, note: note ?? "" }), shownBy(null)),
  });
}

async function answer({ pool, merchant }: MerchantScope, approval: Approval, shown: Show): Promise<Answer> {
  return recordAnswer({
    ...describeApproval(approval, merchant, shown),
    ...(await describeSubject(pool, approval, shown)),
  });
}

export const approvalCommands = group("requests that need a second approver: list, show and decide them", {
  list,
  show,
  approve: decision(
    approve,
    "approve a request: the transfer is sent, the payee can be paid, or the change takes effect; not your own",
  ),
  reject: decision(
    reject,
    "reject a request, with a note: a transfer's amount is released, nothing else changes; not your own",
  ),
  withdraw: decision(withdraw, "withdraw a request made by a command; same effect as a rejection"),
});
