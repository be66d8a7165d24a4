// What other domains and the commands may use of approvals: deciding, withdrawing, and what follows from it. Asking for one, and who
// may decide, is in merchants/approvals.
export { approve, reject, withdraw } from "./decide-approval.ts";
export { decideMany, MAX_AT_ONCE } from "./decide-many.ts";
export { describeSubject, readSubjectInBrief, type SubjectInBrief } from "./describe-subject.ts";
export { findForgedApprovals } from "./find-forged.ts";
export { approvalSchedule, expireApprovals } from "./expire-approvals.ts";
