// An invoice's references: its template, franchises and customers, found or created in the caller's transaction.
import {
  customerEvent,
  findCustomersByCodes,
  findCustomersByIds,
  saveCustomersWithin,
  type Customer,
  type NewCustomer,
} from "../customers/index.ts";
import { findLiveFranchises } from "../franchises/index.ts";
import type { NewEvent } from "../ledger/index.ts";
import type { Merchant, MerchantKey, TransactionContext } from "../merchants/index.ts";
import { type Connection, together } from "../platform/database/pool.ts";
import { fieldRefusal, fieldsRefusal, NodalError, type FieldError } from "../platform/errors.ts";
import type { InvoiceInput } from "./invoice.ts";
import type { Template } from "./templates/template.ts";
import { findTemplate } from "./templates/template-store.ts";

/** The template with this id, or the default one for `null`. @throws NodalError `template_not_found` */
export async function requireTemplate(
  connection: Connection,
  merchant: Merchant,
  templateId: bigint | null,
): Promise<Template> {
  const template = await findTemplate(connection, merchant, templateId);
  if (template) return template;
  if (templateId === null)
    throw new NodalError("template_not_found", "There is no invoice template yet: create one first.");
  throw templateNotFound();
}

/** The error for a template that the merchant doesn't have. */
export function templateNotFound(): NodalError {
  const message =
    "This template does not exist: leave template_id empty for the default one, or use one of the merchant's.";
  return fieldRefusal("template_not_found", "template_id", message);
}

/** Invoices of one merchant. */
export type InputsOf = { readonly merchant: MerchantKey; readonly invoices: readonly InvoiceInput[] };

/** Objects of several merchants, by the merchant and its name for them: nobody finds another one's. */
const nameOf = ({ merchantId }: MerchantKey, name: bigint | string): string => `${merchantId} ${name}`;

/** The existing franchises that invoices name, by `nameOf`. Without any name, nothing is queried. */
export async function findFranchisesOf(
  connection: Connection,
  asked: readonly InputsOf[],
): Promise<ReadonlySet<string>> {
  const wanted = wantedOf(asked, ({ franchiseId }) => franchiseId || null);
  if (wanted.length === 0) return new Set();
  const live = await findLiveFranchises(
    connection,
    wanted.map(({ name, ...merchant }) => ({ ...merchant, franchiseId: name })),
  );
  return new Set(live.map(({ franchiseId, ...merchant }) => nameOf(merchant, franchiseId)));
}

/** The names in invoices, once for each merchant that has any. */
function wantedOf<Name extends bigint | string>(
  asked: readonly InputsOf[],
  read: (input: InvoiceInput) => Name | null,
): (MerchantKey & { readonly name: Name })[] {
  const wanted = new Map<string, MerchantKey & { readonly name: Name }>();
  for (const { merchant, invoices } of asked) {
    for (const input of invoices) {
      const name = read(input);
      if (name === null) continue;
      const { bucket, merchantId } = merchant;
      wanted.set(nameOf(merchant, name), { bucket, merchantId, name });
    }
  }
  return [...wanted.values()];
}

/** @throws NodalError `franchise_not_found`, naming every invoice whose franchise was not found */
export function refuseFranchises(
  found: ReadonlySet<string>,
  merchant: MerchantKey,
  inputs: readonly InvoiceInput[],
  paths: readonly string[],
): void {
  const errors = inputs.flatMap(({ franchiseId }, index): FieldError[] => {
    if (franchiseId === null || franchiseId === 0n || found.has(nameOf(merchant, franchiseId))) return [];
    const field = [paths[index], "franchise_id"].filter(Boolean).join(".");
    return [{ field, code: "franchise_not_found", problem: ": this franchise does not exist." }];
  });
  if (errors.length > 0) throw fieldsRefusal("franchise_not_found", errors);
}

/** The new customers in invoices, in order. */
export function newCustomersOf(inputs: readonly InvoiceInput[]): NewCustomer[] {
  return inputs.flatMap(({ newCustomer }) => (newCustomer ? [newCustomer] : []));
}

/** The code of an existing customer in an invoice; `null` if it has none. */
export function codeOf({ newCustomer, customerId, customerCode }: InvoiceInput): string | null {
  return newCustomer || customerId !== null ? null : customerCode;
}

/** The existing customers that invoices name, by `nameOf`. */
export type KnownCustomers = {
  readonly byCode: ReadonlyMap<string, Customer>;
  readonly byId: ReadonlyMap<string, Customer>;
};

/** The customers that invoices name by code or by id. Without any name, nothing is queried. */
export async function findCustomersOf(connection: Connection, asked: readonly InputsOf[]): Promise<KnownCustomers> {
  const codes = wantedOf(asked, codeOf).map(({ name: code, ...merchant }) => ({ ...merchant, code }));
  const ids = wantedOf(asked, ({ customerId }) => customerId).map(({ name: customerId, ...merchant }) => {
    return { ...merchant, customerId };
  });
  const [byCode, byId] = await together(
    connection,
    async () => (codes.length === 0 ? [] : findCustomersByCodes(connection, codes)),
    async () => (ids.length === 0 ? [] : findCustomersByIds(connection, ids)),
  );
  return {
    byCode: new Map(byCode.map((customer) => [nameOf(customer, customer.customerCode), customer])),
    byId: new Map(byId.map((customer) => [nameOf(customer, customer.customerId), customer])),
  };
}

/**
 * The customer of each invoice: a known one, or one of those `made` for the invoices, in order.
 * @throws NodalError `customer_not_found`, naming every invoice at fault
 */
export function pickCustomers(
  { byCode, byId }: KnownCustomers,
  merchant: MerchantKey,
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
      input.customerId === null
        ? (byCode.get(nameOf(merchant, code)) ?? madeByCode.get(code))
        : byId.get(nameOf(merchant, input.customerId));
    if (customer) return customer;
    const field = [paths[index], "customer_code"].filter(Boolean).join(".");
    const problem = ": no customer has this code. Save the customer first, or send new_customer.";
    errors.push({ field, code: "customer_not_found", problem });
    return null;
  });
  if (errors.length > 0) throw fieldsRefusal("customer_not_found", errors);
  return customers.filter((customer) => customer !== null);
}

/**
 * The customer of each invoice: an existing one by its id or code, or one created with the invoice.
 * @throws NodalError `customer_not_found` or `customer_code_exists`, naming every invoice at fault
 */
export async function customersOf(
  { connection, ids, merchant }: TransactionContext<Merchant>,
  inputs: readonly InvoiceInput[],
  paths: readonly string[],
): Promise<Customer[]> {
  const drafts = newCustomersOf(inputs);
  const made = drafts.length > 0 ? await saveCustomersWithin({ connection, ids, merchant }, drafts) : [];
  const known = await findCustomersOf(connection, [{ merchant, invoices: inputs }]);
  return pickCustomers(known, merchant, made, inputs, paths);
}

/** The audit log's events for customers created by `customersOf`. */
export function newCustomerEvents(inputs: readonly InvoiceInput[], customers: readonly Customer[]): NewEvent[] {
  return inputs.flatMap(({ newCustomer }, index) =>
    newCustomer ? [customerEvent(null, customers[index]!, newCustomer.groups)] : [],
  );
}
