// What an operator sees of the whole installation.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";
import { operator } from "../../strings/home.ts";
import { jobs } from "../../strings/operator.ts";

export const operatorArea: Area = {
  pages: [
    { path: "/", audience: "operator", permission: "merchants.view", load: () => import("./merchants-page.tsx") },
    {
      path: "/merchants/$merchantId",
      audience: "operator",
      permission: "merchants.view",
      load: () => import("./merchant-page.tsx"),
    },
    { path: "/jobs", audience: "operator", permission: "jobs.view", load: () => import("./jobs-page.tsx") },
  ],
  navigation: [
    { label: operator.merchants, to: "/", group: "top", audience: "operator", permission: "merchants.view" },
    { label: jobs.title, to: "/jobs", group: "top", audience: "operator", permission: "jobs.view" },
  ],
};
