// What a page of the dashboard is, and who gets it. The table of all pages is areas.ts.
// What may be done is decided by the server, again, for each request: this is what to show.
import { createContext, useContext, type ComponentType } from "react";
import type { Section } from "../../../src/api/sections.ts";
import { useSession, type Permission, type Session } from "../api/session.ts";

/**
 * Whose dashboard it is: an operator's own pages are other ones than a merchant's. `staff` are all but franchises; `merchant-staff` those
 * who see a merchant's dashboard.
 */
type Audience = "merchant" | "merchant-staff" | "operator" | "staff" | "everyone";

export type NavigationGroup = "top" | "payouts" | "billing" | "customers" | "franchises" | "reports" | "settings";

export type AreaPage = {
  readonly audience: Audience;
  /** Below the site: `/transfers/$transferId`. It begins with a section. */
  readonly path: `/${Section}` | `/${Section}/${string}` | "/";
  /** Who lacks it sees a page that says so. `null`: everybody who is signed in may see the page. */
  readonly permission: Permission | null;
  /** The module is loaded when the page is first opened. */
  readonly load: () => Promise<{ readonly Page: ComponentType }>;
  /** Its entry in the navigation, where it has one. */
  readonly entry?: { readonly group: NavigationGroup; readonly label: string };
};

/** All pages, for the parts of the shell and for pages that lead on. */
export const PagesContext = createContext<readonly AreaPage[]>([]);

/** Whether the page is one of this session's dashboard, whatever its permissions are. */
export function concerns(session: Session, { audience }: AreaPage): boolean {
  if (audience === "staff") return session.kind !== "franchise";
  if (audience === "merchant-staff") return session.merchant !== null && session.kind !== "franchise";
  return audience === "everyone" || audience === (session.merchant ? "merchant" : "operator");
}

/** Whether the session may see it. */
export function maySee(session: Session, page: AreaPage): boolean {
  return concerns(session, page) && (page.permission === null || session.permissions.includes(page.permission));
}

/** The navigation entries of whoever is signed in. */
export function useNavigationEntries() {
  const session = useSession();
  const seen = useContext(PagesContext).filter((page) => maySee(session, page));
  return seen.flatMap(({ path, entry }) => (entry ? [{ to: path, ...entry }] : []));
}
