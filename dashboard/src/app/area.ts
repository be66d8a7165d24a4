// What an area of the dashboard is: its pages, and its places in the navigation.
// What belongs here: the types, and the way for a page to get at what the areas offer. The list of areas is areas.ts.
import { createContext, useContext, type ComponentType } from "react";
import type { Section } from "../../../src/dashboard/sections.ts";

/** Whose dashboard it is: an operator's own pages are other ones than a merchant's. */
export type Audience = "merchant" | "operator" | "everyone";

export type AreaPage = {
  /** Below the site: `/transfers/$transferId`. It begins with a section. */
  readonly path: `/${Section}` | `/${Section}/${string}` | "/";
  readonly audience: Audience;
  /** Who lacks it sees a page that says so. Without one, whoever is signed in may see the page. */
  readonly permission?: string;
  /** The module is loaded when the page is first opened. */
  readonly load: () => Promise<{ readonly Page: ComponentType }>;
};

export type NavigationEntry = {
  readonly label: string;
  readonly to: AreaPage["path"];
  readonly group: NavigationGroup;
  readonly audience: Audience;
  readonly permission?: string;
};

export type NavigationGroup = "top" | "payouts" | "billing" | "settings";

export type Area = {
  readonly pages: readonly AreaPage[];
  readonly navigation: readonly NavigationEntry[];
};

/** Every area, for the parts of the shell and for pages that lead on. */
export const AreasContext = createContext<readonly Area[]>([]);

/** The navigation entries of all areas, whoever may see them. */
export function useNavigationEntries(): readonly NavigationEntry[] {
  return useContext(AreasContext).flatMap(({ navigation }) => navigation);
}
