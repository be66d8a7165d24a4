// The public interface of reconciliation.
export { bookFee } from "./book-fee.ts";
export { type Candidate } from "./candidate-store.ts";
export { listCandidates, readReceiptLine } from "./candidates.ts";
export { describeReceiptLine, describeSuggestions, NO_RECEIPTS } from "./suggestion-wire.ts";
export { columnMapping, itemNames, lineNumbers } from "./fields.ts";
export { importStatement, previewStatement } from "./import-statement.ts";
export {
  LINE_COLUMNS,
  listLines,
  streamLines,
  listMissingThere,
  nameOfItem,
  readReconciledDay,
  type ListedLine,
} from "./list-lines.ts";
export { DATE_ORDERS, STATEMENT_FORMATS } from "./reading/statement.ts";
export { reconcile } from "./reconcile.ts";
export { bankLines } from "./receipt-line.ts";
export { countUnmatched } from "./open-line-store.ts";
export { bookAsFunding, matchByHand, setAside } from "./resolve.ts";
export { findStatementAccount, listImports, listStatementAccounts } from "./import-store.ts";
export type { StatementAccount } from "./statement-import.ts";
export { LINE_STATES, STATEMENT_SECRETS } from "./statement-store.ts";
export { findForgedStatements } from "./find-forged.ts";
export { RECONCILIATION_CHECKS } from "./verify-store.ts";
export { findMatchesOfLines, undoFee, undoMatches } from "./undo.ts";
