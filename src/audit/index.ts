// What the commands and the server may use of the audit log.
export { sealSchedule } from "./seal-books.ts";
export { verifySeals, type SealFindings } from "./verify-seals.ts";
