// Franchises and their commission; for a franchise that is signed in, its own.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";
import { franchises } from "../../strings/franchises.ts";

const view = { audience: "merchant", permission: "franchises.view" } as const;
const manage = { audience: "merchant", permission: "franchises.manage" } as const;

export const franchisesArea: Area = {
  pages: [
    { path: "/franchises", ...view, load: () => import("./franchises-page.tsx") },
    { path: "/franchises/new", ...manage, load: () => import("./new-franchise-page.tsx") },
    { path: "/franchises/$franchiseId", ...view, load: () => import("./franchise-page.tsx") },
    { path: "/franchises/$franchiseId/edit", ...manage, load: () => import("./edit-franchise-page.tsx") },
  ],
  navigation: [{ label: franchises.title, to: "/franchises", group: "billing", ...view }],
};
