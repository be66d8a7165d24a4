// The audit log's exports for the commands and the server.
export { listEntriesAbout, type AuditEntry } from "./audit-store.ts";
export { readAuditPage, streamAudit, type AuditSearch } from "./read-audit.ts";
export { sealSchedule } from "./seal-books.ts";
export { verifySeals, type SealFindings } from "./verify-seals.ts";
