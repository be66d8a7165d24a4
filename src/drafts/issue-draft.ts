// Use case: create an invoice from a draft, once, through the code of every other new invoice.
import { describeSaved, saveOne, type InTurn, type InvoiceInput, type SavedInvoice } from "../invoices/index.ts";
import { recordEvents } from "../ledger/index.ts";
import { readActor, runIdempotently, todayOf, type Answered, type Context, type Merchant } from "../merchants/index.ts";
import { validationError } from "../platform/errors.ts";
import { readInvoice } from "./draft-fields.ts";
import { updateDraft } from "./draft-store.ts";
import { issuedEvent } from "./invoice-draft.ts";
import { lockOpenDraft, type NamedDraft, type NameOf } from "./save-draft.ts";

export type IssueContext = Context<Merchant> & {
  /** Waits for the merchant's turn among the saves of this process. */
  readonly inTurn: InTurn;
  readonly nameOf: NameOf;
  /** Refuses an invoice that the caller may not create. */
  readonly mayMake: (input: InvoiceInput) => void;
};

/**
 * Creates the invoice of a draft. The draft is locked meanwhile and closed in the same transaction, so that two callers, or one
 * that is disconnected and retries, create no second invoice. docs/rules/drafts.md#issuing
 * @throws NodalError `draft_not_found`, `draft_issued`, `draft_changed`, and the errors of a new invoice, with fields named
 * `invoice.…`
 */
export async function issueDraft(
  { pool, ids, merchant, idempotency, inTurn, nameOf, mayMake }: IssueContext,
  named: NamedDraft,
): Promise<Answered<SavedInvoice>> {
  return inTurn(merchant, () =>
    runIdempotently(pool, merchant, idempotency, async (connection) => {
      const draft = await lockOpenDraft(connection, merchant, named, nameOf);
      const { input, errors } = await readInvoice(connection, merchant, draft);
      if (input === null) throw validationError(errors);
      mayMake(input);
      const { templateId } = draft;
      const save = { merchant, origin: null, templateId, invoices: [input], paths: ["invoice"] };
      const { invoices, customers } = await saveOne(connection, ids, save);
      const [invoice, customer] = [invoices[0]!, customers[0]!];
      const { invoiceId, amountPaise } = invoice;
      const closed = { invoice: {}, invoiceId, amountPaise, version: draft.version + 1 };
      const [updatedBy, updatedAt] = [await readActor(connection), Temporal.Now.instant()];
      await updateDraft(connection, { ...draft, ...closed, updatedBy, updatedAt });
      await recordEvents(connection, merchant, [issuedEvent(draft, invoiceId)]);
      return describeSaved(invoice, customer, todayOf(merchant));
    }),
  );
}
