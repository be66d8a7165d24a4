// The public interface of approvals: deciding, withdrawing, and the consequences. merchants/approvals has the requests, and who
// may decide them.
export { approve, reject, withdraw } from "./decide-approval.ts";
export { decideMany, MAX_AT_ONCE } from "./decide-many.ts";
export { describeSubject, readSubjectInBrief, type SubjectInBrief } from "./describe-subject.ts";
export { findForgedApprovals } from "./find-forged.ts";
export { approvalSchedule, expireApprovals } from "./expire-approvals.ts";
