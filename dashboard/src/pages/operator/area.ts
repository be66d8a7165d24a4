// What an operator sees of the whole installation.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";
import { operator } from "../../strings/home.ts";

export const operatorArea: Area = {
  pages: [
    { path: "/", audience: "operator", permission: "merchants.view", load: () => import("./merchants-page.tsx") },
  ],
  navigation: [
    { label: operator.merchants, to: "/", group: "top", audience: "operator", permission: "merchants.view" },
  ],
};
