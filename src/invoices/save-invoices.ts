// One use case: a merchant's new invoices, a batch of them or none, by request or by subscription.
// What belongs here: putting together and writing them. What they refer to is found in invoice-references.ts, what they
// come to in draft.ts.
import { randomBytes } from "node:crypto";
import type { Customer } from "../customers/index.ts";
import { recordEvents } from "../ledger/index.ts";
import { runIdempotently, type IdempotencyKey, type Merchant } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection, Pool } from "../platform/database/pool.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { carryDues, duesOf, type InvoiceChange } from "./carry-dues.ts";
import { draftInvoice, ownNumberOf, recipientOf, supplierOf, type Draft, type OwnNumber } from "./draft.ts";
import { headerFieldsOf } from "./header-field.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import { createdEvent, statusEvents } from "./invoice-events.ts";
import { customersOf, newCustomerEvents, requireFranchises, requireTemplate } from "./invoice-references.ts";
import { insertInvoices, lockDueInvoices } from "./invoice-store.ts";
import { statusOf, type Invoice } from "./invoice.ts";
import { refuseOwnNumbers, refusingTakenNumbers, takeSeriesNumbers, type Numbered } from "./number-invoices.ts";
import { queueNotifications } from "./notification-store.ts";
import { financialYearOf } from "./number-series.ts";
import { describeSaved, type SavedInvoice } from "./saved-invoice.ts";
import type { Template } from "./template.ts";

/** An invoice on its way: what was sent, what it refers to, and where in the request it stands. */
type PreparedInvoice = {
  readonly input: InvoiceInput;
  readonly path: string;
  readonly customer: Customer;
  /** The earlier invoices, held, whose dues move onto this one. */
  readonly carried: readonly Invoice[];
  readonly draft: Draft;
  readonly ownNumber: OwnNumber | null;
};

/**
 * Saves a batch of invoices in one transaction, from one template (`null` for the merchant's default one). Numbers of a
 * series are given in the order of the batch.
 * @throws NodalError `template_not_found`, `customer_not_found`, `franchise_not_found`, `customer_code_exists`,
 * `validation_failed`, `invoice_number_exists` or `invoice_number_reserved`, with the key paths of what is at fault
 */
export async function saveInvoices(
  pool: Pool,
  ids: IdSource,
  merchant: Merchant,
  request: { readonly templateId: bigint | null; readonly invoices: readonly InvoiceInput[] },
  idempotency: IdempotencyKey | null,
): Promise<{ answer: SavedInvoice[]; replayed: boolean }> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const template = await requireTemplate(connection, merchant, request.templateId);
    const paths = request.invoices.map((_input, index) => `invoice[${index}]`);
    const prepared = await prepareInvoices(connection, ids, merchant, template, request.invoices, paths);
    const invoices = await writeInvoices(connection, ids, merchant, template, prepared);
    return invoices.map((invoice, index) => describeSaved(invoice, prepared[index]!.customer));
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
  inputs: readonly InvoiceInput[],
  paths: readonly string[] = inputs.map(() => "invoice"),
): Promise<Invoice[]> {
  const template = await requireTemplate(connection, merchant, templateId);
  const prepared = await prepareInvoices(connection, ids, merchant, template, inputs, paths);
  return writeInvoices(connection, ids, merchant, template, prepared);
}

/**
 * Finds what invoices refer to, makes new customers, and adds every invoice up, in the caller's transaction. The invoices
 * themselves are not written. `paths` are what errors call them.
 * @throws NodalError as `saveInvoices` does, except for what is wrong with numbers that are taken
 */
async function prepareInvoices(
  connection: Connection,
  ids: IdSource,
  merchant: Merchant,
  template: Template,
  inputs: readonly InvoiceInput[],
  paths: readonly string[],
): Promise<PreparedInvoice[]> {
  await requireFranchises(connection, merchant, inputs, paths);
  const customers = await customersOf(connection, ids, merchant, inputs, paths);
  const due = await lockCarried(connection, merchant, inputs);
  const supplier = supplierOf(merchant, template.company);
  const errors: FieldError[] = [];
  const prepared = inputs.map((input, index): PreparedInvoice => {
    const customer = customers[index]!;
    // Nobody is billed for what another customer owes.
    const carried = due.filter(
      ({ invoiceId, customerId }) => input.carries.includes(invoiceId) && customerId === customer.customerId,
    );
    const path = paths[index]!;
    const headerFields = headerFieldsOf(template.headerFields, input, null);
    const draft = draftInvoice(
      {
        supplier,
        recipient: recipientOf(customer),
        customerCode: customer.customerCode,
        headerFields,
        rows: input.rows ?? [],
        taxRows: input.taxRows ?? [],
        previousDuesPaise: (input.previousDuesPaise ?? 0n) + duesOf(carried),
        billDate: input.billDate!,
        dueDate: input.dueDate!,
      },
      path,
      errors,
    );
    return { input, path, customer, carried, draft, ownNumber: ownNumberOf(headerFields, path, errors) };
  });
  if (errors.length > 0) throw validationError(errors);
  return prepared;
}

/** Holds the earlier invoices whose dues are to move. */
async function lockCarried(
  connection: Connection,
  merchant: Merchant,
  inputs: readonly InvoiceInput[],
): Promise<Invoice[]> {
  const wanted = [...new Set(inputs.flatMap(({ carries }) => carries))];
  return wanted.length === 0 ? [] : lockDueInvoices(connection, merchant, wanted);
}

/** Numbers and writes invoices that `prepareInvoices` has put together, with their notifications and events. */
async function writeInvoices(
  connection: Connection,
  ids: IdSource,
  merchant: Merchant,
  template: Template,
  prepared: readonly PreparedInvoice[],
): Promise<Invoice[]> {
  const numbered: Numbered[] = prepared.map(({ input, path, ownNumber }) => ({
    path,
    financialYear: financialYearOf(input.billDate!),
    ownNumber,
  }));
  await refuseOwnNumbers(connection, merchant, numbered);
  const numbers = await takeSeriesNumbers(connection, merchant, template.series, numbered);
  const createdAt = Temporal.Now.instant();
  const invoices: Invoice[] = [];
  for (const [index, each] of prepared.entries()) {
    const naming = { invoiceId: await ids.next(), invoiceNumber: numbers[index]!, createdAt };
    invoices.push(toInvoice(merchant, template, each, naming));
  }
  await refusingTakenNumbers(connection, merchant, numbered, numbers, () => insertInvoices(connection, invoices));
  const moved: InvoiceChange[] = [];
  for (const [index, { carried }] of prepared.entries()) {
    moved.push(...(await carryDues(connection, carried, invoices[index]!)));
  }
  const toNotify = invoices.filter((_invoice, index) => prepared[index]!.input.notify);
  await queueNotifications(
    connection,
    ids,
    merchant,
    "invoice",
    toNotify.map(({ invoiceId: subjectId, customerId }) => ({ subjectId, customerId })),
  );
  await recordEvents(connection, merchant, [
    ...newCustomerEvents(
      prepared.map(({ input }) => input),
      prepared.map(({ customer }) => customer),
    ),
    ...moved.flatMap(({ before, after }) => statusEvents(before, after)),
    ...invoices.map(createdEvent),
  ]);
  return invoices;
}

function toInvoice(
  { bucket, merchantId }: Merchant,
  { templateId, series }: Template,
  { input, customer, carried, draft, ownNumber }: PreparedInvoice,
  naming: Pick<Invoice, "invoiceId" | "invoiceNumber" | "createdAt">,
): Invoice {
  const amounts = {
    subTotalPaise: draft.subTotalPaise,
    taxTotalPaise: draft.taxTotalPaise,
    previousDuesPaise: draft.previousDuesPaise,
    amountPaise: draft.amountPaise,
    paidPaise: 0n,
    creditedPaise: 0n,
    carriedTo: null,
  };
  return {
    ...amounts,
    ...naming,
    bucket,
    merchantId,
    customerId: customer.customerId,
    templateId,
    franchiseId: input.franchiseId ?? 0n,
    seriesId: ownNumber === null ? series.seriesId : null,
    financialYear: financialYearOf(input.billDate!),
    cycleName: input.cycleName ?? "",
    billDate: input.billDate!,
    dueDate: input.dueDate!,
    sentAt: null,
    sentDate: null,
    paidDate: null,
    status: statusOf(amounts),
    carriedPaise: duesOf(carried),
    carriedDuePaise: 0n,
    content: draft.content,
    publicToken: randomBytes(16).toString("base64url"),
    revision: 1,
  };
}
