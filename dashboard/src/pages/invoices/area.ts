// Invoices: the list, one invoice, the form for making and changing one, the upload of many.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";
import { invoices } from "../../strings/invoices.ts";

export const invoicesArea: Area = {
  pages: [
    { path: "/invoices", audience: "merchant", permission: "invoices.view", load: () => import("./list-page.tsx") },
    {
      path: "/invoices/new",
      audience: "merchant",
      permission: "invoices.manage",
      load: () => import("./new-page.tsx"),
    },
    {
      path: "/invoices/upload",
      audience: "merchant",
      permission: "invoices.manage",
      load: () => import("./upload-page.tsx"),
    },
    {
      path: "/invoices/$invoiceId",
      audience: "merchant",
      permission: "invoices.view",
      load: () => import("./detail-page.tsx"),
    },
    {
      path: "/invoices/$invoiceId/edit",
      audience: "merchant",
      permission: "invoices.manage",
      load: () => import("./edit-page.tsx"),
    },
  ],
  navigation: [
    { label: invoices.title, to: "/invoices", group: "billing", audience: "merchant", permission: "invoices.view" },
  ],
};
