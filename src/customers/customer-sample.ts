// A request that works: what a merchant sends to save a customer, with its own columns, for people who begin.
// What belongs here: the wire form of merchant-api.md 2.6, filled in.
import type { CustomColumn } from "./custom-column.ts";

/** The body of `customer/save` for a merchant with these columns, complete but for the keys and the customer. */
export function sampleCustomerRequest(columns: readonly CustomColumn[]) {
  const customFields = columns.map(({ columnId, name, type }) => ({ id: String(columnId), name, type, value: "" }));
  return {
    access_key_id: "",
    secret_access_key: "",
    customer: [
      {
        customer_code: "",
        customer_name: "",
        email: "",
        mobile: "",
        address: "",
        city: "",
        state: "",
        zipcode: "",
        custom_fields: customFields,
        customer_group: [],
      },
    ],
  };
}
