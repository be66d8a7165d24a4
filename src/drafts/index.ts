// The public interface of drafts.
export { draftFields, readDraft, readInvoice, type KeptTexts } from "./draft-fields.ts";
export { countOpenDrafts, findDraft, pageDrafts } from "./draft-store.ts";
export { draftNotFound, type InvoiceDraft } from "./invoice-draft.ts";
export { issueDraft } from "./issue-draft.ts";
export { createDraft, deleteDraft, MAX_OPEN_DRAFTS, replaceDraft, type NameOf } from "./save-draft.ts";
