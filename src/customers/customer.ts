// Customers: whom a merchant bills.
import { auditChange, auditValues, type NewEvent } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";

/** A value of one of the merchant's own columns. An id that the merchant has not defined is kept as it came. */
export type CustomField = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly value: string;
};

/** What a merchant saves. Texts that were not given are empty. */
export type CustomerDetails = {
  readonly customerCode: string;
  readonly customerName: string;
  readonly email: string;
  readonly mobile: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
  readonly customFields: readonly CustomField[];
};

export type Customer = MerchantKey &
  CustomerDetails & {
    readonly customerId: bigint;
    readonly createdAt: Temporal.Instant;
    readonly updatedAt: Temporal.Instant;
  };

/** A customer to make. `path` says where in the request it is: `customer[3]`. */
export type NewCustomer = CustomerDetails & { readonly groups: readonly string[]; readonly path: string };

/** What to change of a customer: members that are `undefined` stay as they are. `groups` replaces all of its groups. */
export type CustomerChange = {
  readonly [Name in keyof CustomerDetails]: CustomerDetails[Name] | undefined;
} & { readonly customerId: bigint; readonly groups: readonly string[] | undefined; readonly path: string };

/** What a new customer or one that was changed is answered with. */
export type SavedCustomer = Pick<Customer, "customerCode" | "customerName" | "email"> & {
  /** Below 2^53. */
  readonly customerId: number;
};

/** The same customer changed. Custom fields are changed one by one: those that are not sent stay. */
export function applyChange(customer: Customer, change: CustomerChange, now: Temporal.Instant): Customer {
  const { customerId: _id, groups: _groups, path: _path, customFields, ...texts } = change;
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
  const merged = customFields ? mergeCustomFields(customer.customFields, customFields) : customer.customFields;
  return { ...customer, ...given, customFields: merged, updatedAt: now };
}

/** No fields at all means that none are left. */
function mergeCustomFields(old: readonly CustomField[], sent: readonly CustomField[]): readonly CustomField[] {
  if (sent.length === 0) return [];
  const merged = new Map([...old, ...sent].map((field) => [field.id, field]));
  return [...merged.values()];
}

/** What the audit log says of a new customer, or of one that was changed. The groups are those that were sent. */
export function customerEvent(
  before: Customer | null,
  after: Customer,
  groups: readonly string[] | undefined,
): NewEvent {
  const sent = groups === undefined ? {} : { groups };
  const subjectId = after.customerId;
  return before
    ? { type: "customer.changed", subjectId, ...auditChange(before, { ...after, ...sent }) }
    : { type: "customer.created", subjectId, after: auditValues({ ...after, ...sent }) };
}

/** What a customer is answered with. */
export function describeSaved({ customerId, customerCode, customerName, email }: Customer): SavedCustomer {
  return { customerId: Number(customerId), customerCode, customerName, email };
}

/** The spelling by which names of groups and columns are compared: case and composition make no difference. */
export function nameKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
