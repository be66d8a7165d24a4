// Customers, their groups, columns, and files of them.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";
import { customers } from "../../strings/customers.ts";

const view = { audience: "merchant", permission: "customers.view" } as const;
const manage = { audience: "merchant", permission: "customers.manage" } as const;

export const customersArea: Area = {
  pages: [
    { path: "/customers", ...view, load: () => import("./customers-page.tsx") },
    { path: "/customers/new", ...manage, load: () => import("./new-customer-page.tsx") },
    { path: "/customers/import", ...manage, load: () => import("./import-page.tsx") },
    { path: "/customers/groups", ...view, load: () => import("./groups-page.tsx") },
    { path: "/customers/columns", ...view, load: () => import("./columns-page.tsx") },
    { path: "/customers/$customerId", ...view, load: () => import("./customer-page.tsx") },
    { path: "/customers/$customerId/edit", ...manage, load: () => import("./edit-customer-page.tsx") },
  ],
  navigation: [{ label: customers.title, to: "/customers", group: "billing", ...view }],
};
