// One use case: a merchant's new invoices, a batch of them or none.
// What belongs here: finding what they refer to, numbering and writing them. What they come to is in draft.ts.
import { randomBytes } from "node:crypto";
import { findCustomersByCode, createCustomers, type Customer, type NewCustomer } from "../customers/index.ts";
import { findFranchises } from "../franchises/index.ts";
import { runIdempotently, type IdempotencyKey, type Merchant } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection, Pool } from "../platform/database/pool.ts";
import { NodalError, validationError, type FieldError } from "../platform/errors.ts";
import { draftInvoice, ownNumberOf, recipientOf, supplierOf, type Draft, type OwnNumber } from "./draft.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import { insertInvoices } from "./invoice-store.ts";
import { statusOf, type Invoice } from "./invoice.ts";
import { refuseOwnNumbers, refusingTakenNumbers, takeSeriesNumbers, type Numbered } from "./number-invoices.ts";
import { queueNotifications } from "./notification-store.ts";
import { financialYearOf } from "./number-series.ts";
import { describeSaved, type SavedInvoice } from "./saved-invoice.ts";
import type { Template } from "./template.ts";
import { findTemplate } from "./template-store.ts";

/** An invoice on its way: what was sent, what it refers to, and where in the request it stands. */
type Prepared = {
  readonly input: InvoiceInput;
  readonly path: string;
  readonly customer: Customer;
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
    const prepared = await prepare(connection, ids, merchant, template, request.invoices);
    const invoices = await write(connection, ids, merchant, template, prepared);
    return invoices.map((invoice, index) => describeSaved(invoice, prepared[index]!.customer));
  });
}

async function requireTemplate(
  connection: Connection,
  merchant: Merchant,
  templateId: bigint | null,
): Promise<Template> {
  const template = await findTemplate(connection, merchant, templateId);
  if (template) return template;
  const message =
    "There is no such template: leave template_id empty for the default one, or use one of the merchant's.";
  throw new NodalError("template_not_found", message, {
    errors: [{ field: "template_id", code: "template_not_found", message }],
  });
}

/** Finds customers and franchises, makes new customers, and adds every invoice up. */
async function prepare(
  connection: Connection,
  ids: IdSource,
  merchant: Merchant,
  template: Template,
  inputs: readonly InvoiceInput[],
): Promise<Prepared[]> {
  const paths = inputs.map((_input, index) => `invoice[${index}]`);
  await requireFranchises(connection, merchant, inputs, paths);
  const customers = await customersOf(connection, ids, merchant, inputs, paths);
  const supplier = supplierOf(merchant, template.company);
  const errors: FieldError[] = [];
  const prepared = inputs.map((input, index): Prepared => {
    const customer = customers[index]!;
    const path = paths[index]!;
    const headerFields = input.headerFields ?? template.headerFields;
    const draft = draftInvoice(
      {
        supplier,
        recipient: recipientOf(customer),
        headerFields,
        rows: input.rows ?? [],
        taxRows: input.taxRows ?? [],
        previousDuesPaise: input.previousDuesPaise ?? 0n,
        billDate: input.billDate!,
        dueDate: input.dueDate!,
      },
      path,
      errors,
    );
    return { input, path, customer, draft, ownNumber: ownNumberOf(headerFields, path, errors) };
  });
  if (errors.length > 0) throw validationError(errors);
  return prepared;
}

/** @throws NodalError `franchise_not_found`, naming every invoice whose franchise the merchant does not have */
export async function requireFranchises(
  connection: Connection,
  merchant: Merchant,
  inputs: readonly InvoiceInput[],
  paths: readonly string[],
): Promise<void> {
  const wanted = [
    ...new Set(inputs.flatMap(({ franchiseId }) => (franchiseId === null || franchiseId === 0n ? [] : [franchiseId]))),
  ];
  if (wanted.length === 0) return;
  const found = await findFranchises(connection, merchant, wanted);
  const errors = inputs.flatMap(({ franchiseId }, index): FieldError[] => {
    if (franchiseId === null || franchiseId === 0n || found.has(franchiseId)) return [];
    const field = [paths[index], "franchise_id"].filter(Boolean).join(".");
    return [{ field, code: "franchise_not_found", message: `${field}: there is no such franchise.` }];
  });
  if (errors.length > 0) throw new NodalError("franchise_not_found", errors[0]!.message, { errors });
}

/**
 * The customer of each invoice: an existing one by its code, or one that is made with the invoice.
 * @throws NodalError `customer_not_found` or `customer_code_exists`, naming every invoice at fault
 */
export async function customersOf(
  connection: Connection,
  ids: IdSource,
  merchant: Merchant,
  inputs: readonly InvoiceInput[],
  paths: readonly string[],
): Promise<Customer[]> {
  const drafts = inputs.flatMap(({ newCustomer }): NewCustomer[] => (newCustomer ? [newCustomer] : []));
  const created = drafts.length > 0 ? await createCustomers(connection, ids, merchant, drafts) : [];
  const codes = inputs.flatMap(({ newCustomer, customerCode }) =>
    newCustomer || customerCode === null ? [] : [customerCode],
  );
  const known = await findCustomersByCode(connection, merchant, [...new Set(codes)]);
  const errors: FieldError[] = [];
  const customers = inputs.map((input, index) => {
    if (input.newCustomer) return created.shift()!;
    const customer = input.customerCode === null ? undefined : known.get(input.customerCode);
    if (customer) return customer;
    const field = [paths[index], "customer_code"].filter(Boolean).join(".");
    const message = `${field}: there is no customer with this code. Save the customer first, or send new_customer.`;
    errors.push({ field, code: "customer_not_found", message });
    return null;
  });
  if (errors.length > 0) throw new NodalError("customer_not_found", errors[0]!.message, { errors });
  return customers.filter((customer) => customer !== null);
}

async function write(
  connection: Connection,
  ids: IdSource,
  merchant: Merchant,
  template: Template,
  prepared: readonly Prepared[],
): Promise<Invoice[]> {
  const numbered: Numbered[] = prepared.map(({ input, path, ownNumber }) => ({
    path,
    financialYear: financialYearOf(input.billDate!),
    ownNumber,
  }));
  await refuseOwnNumbers(connection, merchant, numbered);
  const numbers = await takeSeriesNumbers(connection, merchant, template.series, numbered);
  const now = Temporal.Now.instant();
  const invoices: Invoice[] = [];
  for (const [index, { input, customer, draft, ownNumber }] of prepared.entries()) {
    const amounts = {
      subTotalPaise: draft.subTotalPaise,
      taxTotalPaise: draft.taxTotalPaise,
      previousDuesPaise: draft.previousDuesPaise,
      amountPaise: draft.amountPaise,
      paidPaise: 0n,
      creditedPaise: 0n,
    };
    invoices.push({
      ...amounts,
      bucket: merchant.bucket,
      merchantId: merchant.merchantId,
      invoiceId: await ids.next(),
      customerId: customer.customerId,
      templateId: template.templateId,
      franchiseId: input.franchiseId ?? 0n,
      seriesId: ownNumber === null ? template.series.seriesId : null,
      financialYear: numbered[index]!.financialYear,
      invoiceNumber: numbers[index]!,
      cycleName: input.cycleName ?? "",
      billDate: input.billDate!,
      dueDate: input.dueDate!,
      sentAt: null,
      paidDate: null,
      status: statusOf(amounts),
      content: draft.content,
      publicToken: randomBytes(16).toString("base64url"),
      revision: 1,
      createdAt: now,
    });
  }
  await refusingTakenNumbers(numbered, numbers, () => insertInvoices(connection, invoices));
  const toNotify = invoices.filter((_invoice, index) => prepared[index]!.input.notify);
  await queueNotifications(
    connection,
    ids,
    merchant,
    "invoice",
    toNotify.map(({ invoiceId: subjectId, customerId }) => ({ subjectId, customerId })),
  );
  return invoices;
}
