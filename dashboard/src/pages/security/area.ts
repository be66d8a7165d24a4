// One's own security: second factor, password, sessions. Reached from the menu of the account.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";

export const securityArea: Area = {
  pages: [{ path: "/security", audience: "everyone", load: () => import("./security-page.tsx") }],
  navigation: [],
};
