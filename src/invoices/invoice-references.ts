// What invoices refer to: their template, franchises and customers, found or made in the caller's transaction.
// What belongs here: the look-ups, and the refusals that name what is missing.
import {
  createCustomers,
  customerEvent,
  findCustomers,
  findCustomersByCode,
  type Customer,
  type NewCustomer,
} from "../customers/index.ts";
import { findFranchises } from "../franchises/index.ts";
import type { Happening } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { NodalError, type FieldError } from "../platform/errors.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import type { Template } from "./template.ts";
import { findTemplate } from "./template-store.ts";

/** @throws NodalError `template_not_found` */
export async function requireTemplate(
  connection: Connection,
  merchant: Merchant,
  templateId: bigint | null,
): Promise<Template> {
  const template = await findTemplate(connection, merchant, templateId);
  if (template) return template;
  throw templateNotFound();
}

/** The refusal for a template that the merchant does not have. */
export function templateNotFound(): NodalError {
  const message =
    "There is no such template: leave template_id empty for the default one, or use one of the merchant's.";
  return new NodalError("template_not_found", message, {
    errors: [{ field: "template_id", code: "template_not_found", message }],
  });
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
 * The customer of each invoice: an existing one by its id or code, or one that is made with the invoice.
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
  const codes = inputs.flatMap(({ newCustomer, customerId, customerCode }) =>
    newCustomer || customerId !== null || customerCode === null ? [] : [customerCode],
  );
  const byCode = await findCustomersByCode(connection, merchant, [...new Set(codes)]);
  const customerIds = inputs.flatMap(({ customerId }) => (customerId === null ? [] : [customerId]));
  const byId = await findCustomers(connection, merchant, [...new Set(customerIds)]);
  const errors: FieldError[] = [];
  const customers = inputs.map((input, index) => {
    if (input.newCustomer) return created.shift()!;
    const customer = input.customerId === null ? byCode.get(input.customerCode ?? "") : byId.get(input.customerId);
    if (customer) return customer;
    const field = [paths[index], "customer_code"].filter(Boolean).join(".");
    const message = `${field}: there is no customer with this code. Save the customer first, or send new_customer.`;
    errors.push({ field, code: "customer_not_found", message });
    return null;
  });
  if (errors.length > 0) throw new NodalError("customer_not_found", errors[0]!.message, { errors });
  return customers.filter((customer) => customer !== null);
}

/** What the audit log says of the customers that `customersOf` has made. */
export function newCustomerEvents(inputs: readonly InvoiceInput[], customers: readonly Customer[]): Happening[] {
  return inputs.flatMap(({ newCustomer }, index) =>
    newCustomer ? [customerEvent(null, customers[index]!, newCustomer.groups)] : [],
  );
}
