// Customers as the server describes them.
// What belongs here: types of answers, and the questions that several pages ask.
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import type { customerColumns } from "../../strings/customers.ts";

export type CustomField = { readonly id: string; readonly name: string; readonly type: string; readonly value: string };

export type Customer = {
  readonly customer_id: string;
  readonly customer_code: string;
  readonly customer_name: string;
  readonly email: string;
  readonly mobile: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
  readonly groups: readonly string[];
  readonly custom_fields: readonly CustomField[];
  readonly created_at: string;
  readonly updated_at: string;
};

export type CustomerDetail = {
  readonly customer: Customer;
  readonly account: {
    readonly invoices: number;
    readonly billed: string;
    readonly due: string;
    readonly overdue: string;
  };
  readonly invoices: readonly {
    readonly invoice_id: string;
    readonly invoice_number: string;
    readonly bill_date: string;
    readonly due_date: string;
    readonly amount: string;
    readonly due_amount: string;
    readonly status: string;
  }[];
  readonly payments: readonly {
    readonly settlement_id: string;
    readonly invoice_id: string;
    readonly invoice_number: string;
    readonly paid_date: string;
    readonly mode: string;
    readonly amount: string;
    readonly reversed: boolean;
  }[];
};

export type ColumnType = keyof typeof customerColumns.types;
export type CustomColumn = { readonly column_id: string; readonly name: string; readonly type: ColumnType };
export type CustomerGroup = { readonly group_id: string; readonly name: string; readonly customers: number };

/** The merchant's own columns, oldest first. */
export const columnsQuery = queryOptions({
  queryKey: ["/customer-columns"],
  queryFn: ({ signal }) =>
    api<{ columns: CustomColumn[]; types: ColumnType[] }>("GET", "/customer-columns", { signal }),
});

/** All groups, by name. */
export const groupsQuery = queryOptions({
  queryKey: ["/customer-groups"],
  queryFn: ({ signal }) => api<{ groups: CustomerGroup[] }>("GET", "/customer-groups", { signal }),
});

/** One customer with its account. */
export const customerQuery = (customerId: string) =>
  queryOptions({
    queryKey: ["/customers", "one", customerId],
    queryFn: ({ signal }) => api<CustomerDetail>("GET", `/customers/${customerId}`, { signal }),
  });
