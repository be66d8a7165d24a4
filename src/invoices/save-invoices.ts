// Use cases: a merchant's new invoices, a batch of them or none, by request or by subscription.
// What belongs here: transactions and answers. What a save makes is in save-group.ts, what waits in invoice-saves.ts.
import { runIdempotently, runTogether, type Answered, type IdempotencyKey, type Merchant } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import type { Invoice } from "./invoice.ts";
import { saveTogether, type Save, type Saved } from "./save-group.ts";
import { describeSaved, type SavedInvoice } from "./saved-invoice.ts";

/** What a request asks to be saved, all or none: from one template, `null` for the merchant's default one. */
export type SaveRequest = { readonly templateId: bigint | null; readonly invoices: readonly InvoiceInput[] };

/** A save with its Idempotency-Key, where it has one. */
export type KeyedSave = Save & { readonly idempotency: IdempotencyKey | null };

/** A request as a save. */
export function toSave(merchant: Merchant, { templateId, invoices }: SaveRequest): Omit<Save, "origin"> {
  return { merchant, templateId, invoices, paths: invoices.map((_input, index) => `invoice[${index}]`) };
}

/**
 * Saves a batch of invoices in one transaction, in the name of whoever acts there. Numbers of a series are given in the
 * order of the batch.
 * @throws NodalError `template_not_found`, `customer_not_found`, `franchise_not_found`, `customer_code_exists`,
 * `validation_failed`, `invoice_number_exists` or `invoice_number_reserved`, with the key paths of what is at fault
 */
export async function saveInvoices(
  pool: Pool,
  ids: IdSource,
  merchant: Merchant,
  request: SaveRequest,
  idempotency: IdempotencyKey | null,
): Promise<Answered<SavedInvoice[]>> {
  return runIdempotently(pool, merchant, idempotency, async (connection) =>
    describe(await saveOne(connection, ids, { ...toSave(merchant, request), origin: null })),
  );
}

/**
 * The same for saves of one merchant that arrived together, no two with the same key, in one transaction of `pool`, which
 * begins in the name of the first of them. Answers for each what became of it; one that is refused does not hold up or
 * undo the others.
 * @throws NodalError where the group is to be tried in parts, as `saveTogether` says
 */
export async function saveGroup(
  pool: Pool,
  ids: IdSource,
  saves: readonly KeyedSave[],
): Promise<(Answered<SavedInvoice[]> | NodalError)[]> {
  return inTransaction(pool, (connection) => saveGroupWithin(connection, ids, saves));
}

/** The same within a transaction in which the first save's origin acts, and which is rolled back where this throws. */
export function saveGroupWithin(
  connection: Connection,
  ids: IdSource,
  saves: readonly KeyedSave[],
): Promise<(Answered<SavedInvoice[]> | NodalError)[]> {
  return runTogether(connection, saves[0]!.merchant, saves, async (fresh) => {
    const saved = await saveTogether(connection, ids, fresh, saves[0]!.origin);
    return saved.map((each) => (each instanceof NodalError ? each : describe(each)));
  });
}

/**
 * Makes invoices inside the caller's transaction, from one template (`null` for the default one), in the order of their
 * numbers. `paths` are what errors call them.
 * @throws NodalError as `saveInvoices` does; the transaction must be rolled back then
 */
export async function billInvoices(
  connection: Connection,
  ids: IdSource,
  merchant: Merchant,
  templateId: bigint | null,
  invoices: readonly InvoiceInput[],
): Promise<readonly Invoice[]> {
  const paths = invoices.map(() => "invoice");
  return (await saveOne(connection, ids, { merchant, origin: null, templateId, invoices, paths })).invoices;
}

async function saveOne(connection: Connection, ids: IdSource, save: Save): Promise<Saved> {
  const [saved] = await saveTogether(connection, ids, [save]);
  if (saved instanceof NodalError) throw saved;
  return saved!;
}

function describe({ invoices, customers }: Saved): SavedInvoice[] {
  return invoices.map((invoice, index) => describeSaved(invoice, customers[index]!));
}
