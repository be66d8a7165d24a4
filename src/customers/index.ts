// What other domains may use of customers.
export { addColumn } from "./add-column.ts";
export { changeGroupName, createGroup, MAX_GROUPS_OF_MERCHANT } from "./change-groups.ts";
export { COLUMN_TYPES, type CustomColumn } from "./custom-column.ts";
export { findColumns, listColumns } from "./custom-column-store.ts";
export { listGroupNames, listGroups } from "./customer-group-store.ts";
export {
  customerChangeFields,
  customerCode,
  fillableCustomFields,
  GROUP_OF_ALL,
  newCustomerFields,
  newCustomerList,
  readCustomerChange,
  readNewCustomer,
} from "./customer-fields.ts";
export { CUSTOMER_SORTS, pageCustomers, type CustomerFilter } from "./customer-list-store.ts";
export { sampleCustomerRequest } from "./customer-sample.ts";
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
export { customerFileHeadings, MAX_FILE_LINES, readCustomerFile } from "./read-customer-file.ts";
export { createCustomers, draftCustomers, holdCodes, saveCustomers, writeCustomers } from "./save-customers.ts";
export { changeCustomers } from "./update-customers.ts";
