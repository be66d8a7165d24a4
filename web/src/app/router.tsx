// Maps addresses to pages: sign-in and its steps alone, everything else inside the shell.
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { lazy, Suspense, type ComponentType } from "react";
import { sessionQuery, useSession } from "../api/session.ts";
import { concerns, maySee, PagesContext, type AreaPage } from "./area.ts";
import { FailurePage, ForbiddenPage, LoadingPage, NotFoundPage } from "./failure-page.tsx";
import { basePath, signInAddress } from "./place.ts";
import { Shell } from "./shell.tsx";

type Context = { readonly queries: QueryClient };
type PageModule = { readonly Page: ComponentType };

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: NotFoundPage });

const SIGN_IN_PAGES = {
  "/sign-in": () => import("../pages/sign-in/sign-in-page.tsx"),
  "/forgot-password": () => import("../pages/sign-in/forgot-password-page.tsx"),
  "/reset-password": () => import("../pages/sign-in/reset-password-page.tsx"),
  "/confirm-email": () => import("../pages/sign-in/confirm-email-page.tsx"),
};

const signInRoutes = Object.entries(SIGN_IN_PAGES).map(([path, load]: [string, () => Promise<PageModule>]) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, "Page") }),
);

/** A visitor who is not signed in goes to sign-in and comes back to the same address afterwards. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session?.state === "signed_in" && !session.must_enrol) return;
    if (session?.state === "signed_in" && location.pathname === "/security") return;
    if (session?.state === "signed_in") redirect({ to: "/security", throw: true });
    // Sign-in is outside an operator's view of a merchant, where the router does not reach.
    redirect({ href: signInAddress(), reloadDocument: basePath() !== "/", throw: true });
  },
});

/** A merchant and an operator may have a page at the same address. */
function routesOf(all: readonly AreaPage[]) {
  const byPath = Object.groupBy(all, ({ path }) => path);
  return Object.entries(byPath).map(([path, pages]) => {
    // The router's own lazy components only work for routes: the page of a route is known only once it is shown.
    const views = pages!.map((page) => ({ page, view: lazy(async () => ({ default: (await page.load()).Page })) }));
    return createRoute({ getParentRoute: () => signedIn, path, component: () => <AreaPageView views={views} /> });
  });
}

type View = { readonly page: AreaPage; readonly view: ComponentType };

function AreaPageView({ views }: { readonly views: readonly View[] }) {
  const session = useSession();
  const found = views.find(({ page }) => concerns(session, page));
  if (!found) return <NotFoundPage />;
  if (!maySee(session, found.page)) return <ForbiddenPage />;
  return (
    <Suspense fallback={<LoadingPage />}>
      <found.view />
    </Suspense>
  );
}

/** Search parameters are plain text: `?q=001` stays `001`. */
function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(given).toString();
  return text && `?${text}`;
}

/** The router over all pages. */
export function makeRouter(queries: QueryClient, pages: readonly AreaPage[]) {
  return createRouter({
    routeTree: root.addChildren([...signInRoutes, signedIn.addChildren(routesOf(pages))]),
    InnerWrap: ({ children }) => <PagesContext value={pages}>{children}</PagesContext>,
    basepath: basePath(),
    context: { queries },
    parseSearch,
    stringifySearch,
    defaultErrorComponent: FailurePage,
    defaultPendingComponent: LoadingPage,
    defaultPreload: false,
    scrollRestoration: true,
  });
}
