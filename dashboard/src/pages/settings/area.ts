// What a merchant sets up: company, users, access keys, webhooks.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";
import { keys, users } from "../../strings/access.ts";
import { audit } from "../../strings/audit.ts";
import { messages } from "../../strings/messages.ts";
import { profile } from "../../strings/profile.ts";
import { webhooks } from "../../strings/webhooks.ts";

const merchant = { audience: "merchant" } as const;

export const settingsArea: Area = {
  pages: [
    { ...merchant, path: "/settings/company", permission: "profile.view", load: () => import("./profile-page.tsx") },
    { ...merchant, path: "/settings/users", permission: "users.manage", load: () => import("./users-page.tsx") },
    { ...merchant, path: "/settings/roles", permission: "users.manage", load: () => import("./roles-page.tsx") },
    { ...merchant, path: "/settings/keys", permission: "keys.manage", load: () => import("./keys-page.tsx") },
    {
      ...merchant,
      path: "/settings/webhooks",
      permission: "webhooks.manage",
      load: () => import("./webhooks-page.tsx"),
    },
    {
      ...merchant,
      path: "/settings/webhooks/$endpointId",
      permission: "webhooks.manage",
      load: () => import("./webhook-page.tsx"),
    },
    {
      ...merchant,
      path: "/settings/messages",
      permission: "notifications.view",
      load: () => import("./messages-page.tsx"),
    },
    { ...merchant, path: "/settings/audit", permission: "audit.view", load: () => import("./audit-page.tsx") },
  ],
  navigation: [
    { ...merchant, label: profile.title, to: "/settings/company", group: "settings", permission: "profile.view" },
    { ...merchant, label: users.title, to: "/settings/users", group: "settings", permission: "users.manage" },
    { ...merchant, label: keys.title, to: "/settings/keys", group: "settings", permission: "keys.manage" },
    { ...merchant, label: webhooks.title, to: "/settings/webhooks", group: "settings", permission: "webhooks.manage" },
    {
      ...merchant,
      label: messages.title,
      to: "/settings/messages",
      group: "settings",
      permission: "notifications.view",
    },
    { ...merchant, label: audit.title, to: "/settings/audit", group: "settings", permission: "audit.view" },
  ],
};
