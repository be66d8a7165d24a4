// What other domains may use of customers.
export { addColumn } from "./add-column.ts";
export { COLUMN_TYPES, type CustomColumn } from "./custom-column.ts";
export { findColumns, listColumns } from "./custom-column-store.ts";
export { listGroupNames } from "./customer-group-store.ts";
export { customerCode, GROUP_OF_ALL, newCustomerFields, readNewCustomer } from "./customer-fields.ts";
export { registerCustomerRoutes } from "./customer-routes.ts";
export {
  findCustomerIds,
  readGroupNames,
  SEARCH_ATTRIBUTES,
  searchCondition,
  type CustomerSearch,
} from "./customer-search-store.ts";
export { findCustomers, findCustomersByCode } from "./customer-store.ts";
export { customerEvent, nameKey, type Customer, type CustomerDetails, type NewCustomer } from "./customer.ts";
export { createCustomers } from "./save-customers.ts";
