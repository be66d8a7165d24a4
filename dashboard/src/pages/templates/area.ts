// Templates of invoices.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";
import { templates } from "../../strings/templates.ts";

const view = { audience: "merchant", permission: "templates.view" } as const;
const manage = { audience: "merchant", permission: "templates.manage" } as const;

export const templatesArea: Area = {
  pages: [
    { path: "/templates", ...view, load: () => import("./templates-page.tsx") },
    { path: "/templates/new", ...manage, load: () => import("./new-template-page.tsx") },
    { path: "/templates/$templateId", ...view, load: () => import("./template-page.tsx") },
  ],
  navigation: [{ label: templates.title, to: "/templates", group: "billing", ...view }],
};
