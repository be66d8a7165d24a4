// The definition of a dashboard page, and who sees it. areas.ts lists all pages. The server checks permissions again for each
// request; these only decide what to show.
import { createContext, useContext, type ComponentType } from "react";
import type { Section } from "../../../src/api/sections.ts";
import { useSession, type Permission, type Session } from "../api/session.ts";

/**
 * Who a page is for: an operator's own pages differ from a merchant's. `staff` is everybody but franchises; `merchant-staff` is everybody
 * who sees a merchant's dashboard.
 */
type Audience = "merchant" | "merchant-staff" | "operator" | "staff" | "everyone";

export type NavigationGroup = "top" | "payouts" | "billing" | "customers" | "franchises" | "reports" | "settings";

export type AreaPage = {
  readonly audience: Audience;
  /** The path within the site: `/transfers/$transferId`. It begins with a section. */
  readonly path: `/${Section}` | `/${Section}/${string}` | "/";
  /** Users without it see a page that says so. `null`: every signed-in user may see the page. */
  readonly permission: Permission | null;
  /** The module is loaded when the page is first opened. */
  readonly load: () => Promise<{ readonly Page: ComponentType }>;
  /** Its entry in the navigation, if it has one. */
  readonly entry?: { readonly group: NavigationGroup; readonly label: string };
};

/** All pages, for the shell and for pages with links to others. */
export const PagesContext = createContext<readonly AreaPage[]>([]);

/** Whether the page belongs to this session's dashboard, regardless of permissions. */
export function concerns(session: Session, { audience }: AreaPage): boolean {
  if (audience === "staff") return session.kind !== "franchise";
  if (audience === "merchant-staff") return session.merchant !== null && session.kind !== "franchise";
  return audience === "everyone" || audience === (session.merchant ? "merchant" : "operator");
}

/** Whether the session may see it. */
export function maySee(session: Session, page: AreaPage): boolean {
  return concerns(session, page) && (page.permission === null || session.permissions.includes(page.permission));
}

/** The navigation entries of the signed-in user. */
export function useNavigationEntries() {
  const session = useSession();
  const seen = useContext(PagesContext).filter((page) => maySee(session, page));
  return seen.flatMap(({ path, entry }) => (entry ? [{ to: path, ...entry }] : []));
}
