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
import { together } from "../platform/database/together.ts";
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
  refuseFranchises(await findFranchisesOf(connection, merchant, inputs), inputs, paths);
}

/** The franchises of invoices, as far as there are some. Where none is named, nothing is asked. */
export async function findFranchisesOf(
  connection: Connection,
  merchant: Merchant,
  inputs: readonly InvoiceInput[],
): Promise<ReadonlySet<bigint>> {
  const wanted = new Set(inputs.flatMap(({ franchiseId }) => (franchiseId ? [franchiseId] : [])));
  return wanted.size === 0 ? wanted : new Set((await findFranchises(connection, merchant, [...wanted])).keys());
}

/** @throws NodalError `franchise_not_found`, naming every invoice whose franchise is not among those that were found */
export function refuseFranchises(
  found: ReadonlySet<bigint>,
  inputs: readonly InvoiceInput[],
  paths: readonly string[],
): void {
  const errors = inputs.flatMap(({ franchiseId }, index): FieldError[] => {
    if (franchiseId === null || franchiseId === 0n || found.has(franchiseId)) return [];
    const field = [paths[index], "franchise_id"].filter(Boolean).join(".");
    return [{ field, code: "franchise_not_found", message: `${field}: there is no such franchise.` }];
  });
  if (errors.length > 0) throw new NodalError("franchise_not_found", errors[0]!.message, { errors });
}

/** The new customers that invoices bring, in their order. */
export function newCustomersOf(inputs: readonly InvoiceInput[]): NewCustomer[] {
  return inputs.flatMap(({ newCustomer }) => (newCustomer ? [newCustomer] : []));
}

/** The code by which an invoice names a customer that there is; `null` where it does not. */
export function codeOf({ newCustomer, customerId, customerCode }: InvoiceInput): string | null {
  return newCustomer || customerId !== null ? null : customerCode;
}

/** Customers that invoices name, as far as there are some. */
export type KnownCustomers = {
  readonly byCode: ReadonlyMap<string, Customer>;
  readonly byId: ReadonlyMap<bigint, Customer>;
};

/** The customers that invoices name by code or by id. Where none is named so, nothing is asked. */
export async function findCustomersOf(
  connection: Connection,
  merchant: Merchant,
  inputs: readonly InvoiceInput[],
): Promise<KnownCustomers> {
  const codes = new Set(inputs.map(codeOf).filter((code) => code !== null));
  const customerIds = new Set(inputs.flatMap(({ customerId }) => (customerId === null ? [] : [customerId])));
  const [byCode, byId] = await together(
    connection,
    async () => (codes.size === 0 ? new Map() : findCustomersByCode(connection, merchant, [...codes])),
    async () => (customerIds.size === 0 ? new Map() : findCustomers(connection, merchant, [...customerIds])),
  );
  return { byCode, byId };
}

/**
 * The customer of each invoice: one of those that are known, or of those that were `made` for the invoices, in their order.
 * @throws NodalError `customer_not_found`, naming every invoice at fault
 */
export function pickCustomers(
  { byCode, byId }: KnownCustomers,
  made: readonly Customer[],
  inputs: readonly InvoiceInput[],
  paths: readonly string[],
): Customer[] {
  const madeByCode = new Map(made.map((customer) => [customer.customerCode, customer]));
  const madeInOrder = [...made];
  const errors: FieldError[] = [];
  const customers = inputs.map((input, index) => {
    if (input.newCustomer) return madeInOrder.shift()!;
    const code = input.customerCode ?? "";
    const customer =
      input.customerId === null ? (byCode.get(code) ?? madeByCode.get(code)) : byId.get(input.customerId);
    if (customer) return customer;
    const field = [paths[index], "customer_code"].filter(Boolean).join(".");
    const message = `${field}: there is no customer with this code. Save the customer first, or send new_customer.`;
    errors.push({ field, code: "customer_not_found", message });
    return null;
  });
  if (errors.length > 0) throw new NodalError("customer_not_found", errors[0]!.message, { errors });
  return customers.filter((customer) => customer !== null);
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
  const drafts = newCustomersOf(inputs);
  const made = drafts.length > 0 ? await createCustomers(connection, ids, merchant, drafts) : [];
  return pickCustomers(await findCustomersOf(connection, merchant, inputs), made, inputs, paths);
}

/** What the audit log says of the customers that `customersOf` has made. */
export function newCustomerEvents(inputs: readonly InvoiceInput[], customers: readonly Customer[]): Happening[] {
  return inputs.flatMap(({ newCustomer }, index) =>
    newCustomer ? [customerEvent(null, customers[index]!, newCustomer.groups)] : [],
  );
}
