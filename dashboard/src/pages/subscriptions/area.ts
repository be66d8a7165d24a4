// Subscriptions: invoices that repeat.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";
import { subscriptions } from "../../strings/subscriptions.ts";

const seen = { audience: "merchant", permission: "subscriptions.view" } as const;

export const subscriptionsArea: Area = {
  pages: [
    { ...seen, path: "/subscriptions", load: () => import("./list-page.tsx") },
    {
      path: "/subscriptions/new",
      audience: "merchant",
      permission: "subscriptions.manage",
      load: () => import("./new-page.tsx"),
    },
    { ...seen, path: "/subscriptions/$subscriptionId", load: () => import("./subscription-page.tsx") },
  ],
  navigation: [{ ...seen, label: subscriptions.title, to: "/subscriptions", group: "billing" }],
};
