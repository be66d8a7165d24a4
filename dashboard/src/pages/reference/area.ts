// The reference of the API for programs.
// What belongs here: which pages the area has.
import type { Area } from "../../app/area.ts";
import { reference } from "../../strings/reference.ts";

const everyone = { audience: "everyone" } as const;

export const referenceArea: Area = {
  pages: [{ ...everyone, path: "/reference", load: () => import("./reference-page.tsx") }],
  navigation: [{ ...everyone, label: reference.title, to: "/reference", group: "settings" }],
};
