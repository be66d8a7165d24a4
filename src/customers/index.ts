// The public interface of customers.
export {
  changeCustomers,
  draftCustomers,
  holdCodes,
  saveCustomers,
  saveCustomersWithin,
  writeCustomers,
} from "./save-customers.ts";
export { findGroupMembers, listGroupNames, listGroups } from "./customer-group-store.ts";
export {
  customerChangeFields,
  customerCode,
  fillableCustomFields,
  GROUP_OF_ALL,
  newCustomerFields,
  newCustomerList,
  readCustomerChange,
  readNewCustomer,
  sampleCustomerRequest,
} from "./customer-fields.ts";
export { registerCustomerRoutes } from "./customer-routes.ts";
export {
  CUSTOMER_SORTS,
  findCustomerIds,
  pageCustomers,
  readGroupNames,
  SEARCH_ATTRIBUTES,
  searchCondition,
  type CustomerFilter,
  type CustomerSearch,
} from "./customer-search-store.ts";
export { isGstinHeading } from "./gstin-headings.ts";
export { lookUpCustomers } from "./look-up-customers.ts";
export {
  CUSTOMER_SECRETS,
  findColumns,
  listColumns,
  findCustomers,
  findCustomersByCode,
  findCustomersByCodes,
  findCustomersByIds,
} from "./customer-store.ts";
export {
  COLUMN_TYPES,
  customerRecord,
  gstinField,
  gstinOf,
  withGstin,
  customerEvent,
  nameKey,
  type CustomColumn,
  type Customer,
  type CustomerDetails,
  type NewCustomer,
} from "./customer.ts";
export {
  customerFileHeadings,
  DUES_HEADINGS,
  gstinHeadings,
  MAX_FILE_LINES,
  readCustomerFile,
} from "./read-customer-file.ts";
export { saveColumn } from "./save-column.ts";
export { changeGroup, MAX_GROUPS_OF_MERCHANT, saveGroup } from "./save-group.ts";
export type { GstCategory } from "./customer-members.ts";
