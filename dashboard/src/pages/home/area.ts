// The first page after signing in.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";
import { shell } from "../../strings/shell.ts";

export const homeArea: Area = {
  pages: [{ path: "/", audience: "merchant", load: () => import("./home-page.tsx") }],
  navigation: [{ label: shell.home, to: "/", group: "top", audience: "merchant" }],
};
