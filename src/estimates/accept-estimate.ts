// Use case: turn an estimate into an invoice, once, through the code of every other new invoice.
import {
  describeSaved,
  invoiceUpdateFields,
  readInvoiceSettings,
  saveOne,
  toInvoiceInput,
  type InvoiceInput,
  type SavedInvoice,
} from "../invoices/index.ts";
import { recordEvents } from "../ledger/index.ts";
import { runIdempotently, todayOf, type Answered } from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { decode } from "../platform/http/field.ts";
import { updateEstimate } from "./estimate-store.ts";
import { estimateChanged, requireOpenEstimate, type Estimate } from "./estimate.ts";
import { lockEstimate, nextVersion, type EstimateContext, type NamedEstimate } from "./save-estimate.ts";

export type AcceptEstimate = NamedEstimate & {
  /** `null` for the merchant's today. */
  readonly billDate: Temporal.PlainDate | null;
  /** `null` for the bill date and the estimate's days to pay. */
  readonly dueDate: Temporal.PlainDate | null;
};

/**
 * Makes the invoice of an estimate. The estimate is locked meanwhile and closed in the same transaction, so that two callers, or one that is
 * disconnected and retries, create no second invoice. docs/rules/estimates.md#becoming-an-invoice
 * @throws NodalError `estimate_not_found`, `estimate_state`, `estimate_changed`, and the errors of a new invoice
 */
export async function acceptEstimate(
  { pool, ids, merchant, idempotency, inTurn }: EstimateContext,
  { billDate, dueDate, ...named }: AcceptEstimate,
): Promise<Answered<SavedInvoice>> {
  return inTurn(merchant, () =>
    runIdempotently(pool, merchant, idempotency, async (connection) => {
      const today = todayOf(merchant);
      const before = await lockEstimate(connection, merchant, named);
      requireOpenEstimate(before, today, true);
      const billed = billDate ?? today;
      const dates = { billDate: billed, dueDate: dueDate ?? billed.add({ days: before.dueDays }) };
      const invoices = [{ ...(await keptInput(connection, before)), ...dates, customerId: before.customerId }];
      const { templateId } = before;
      const save = { merchant, origin: null, templateId, invoices, paths: ["invoice"] };
      const saved = await saveOne(connection, ids, save);
      const invoice = saved.invoices[0]!;
      const { invoiceId } = invoice;
      const after: Estimate = { ...before, state: "Accepted", invoiceId, ...nextVersion(before) };
      await updateEstimate(connection, after);
      await recordEvents(connection, merchant, [estimateChanged("estimate.accepted", before, after)]);
      return describeSaved(invoice, saved.customers[0]!, today);
    }),
  );
}

/** @throws NodalError `validation_failed` if the stored invoice object is no longer valid */
async function keptInput(
  connection: Connection,
  { templateId, invoice, ...merchant }: Estimate,
): Promise<InvoiceInput> {
  const errors: FieldError[] = [];
  const wire = decode(invoiceUpdateFields, invoice);
  const settings = await readInvoiceSettings(connection, merchant, [wire], { templateId });
  const input = toInvoiceInput(wire, "invoice", settings, errors);
  if (errors.length > 0) throw validationError(errors);
  return input;
}
