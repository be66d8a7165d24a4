// What other domains and the commands may use of approvals: deciding, and what follows from it. Asking for one, and who
// may decide, is in merchants/approvals.
export { approve, reject } from "./decide-approval.ts";
export { describeSubject } from "./describe-subject.ts";
export { approvalSchedule, expireApprovals } from "./expire-approvals.ts";
