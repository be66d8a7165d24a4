// The dashboard in the browser: theme, requests, addresses.
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./app/global.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { ApiError, whenSignedOut } from "./api/client.ts";
import { PAGES } from "./app/areas.ts";
import { signInAddress } from "./app/place.ts";
import { makeRouter } from "./app/router.tsx";
import { cssVariables, theme } from "./app/theme.ts";

const RETRIES = 5;
const FRESH_MS = 5_000;

/** Style elements that components add bear it: see the server's Content-Security-Policy. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="nonce"]')?.content ?? "";
// The package that locks scrolling behind dialogs looks for it under this name.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // A server that restarts is waited for; what it refuses stays refused.
      retry: (failures, error) =>
        error instanceof ApiError && (error.status === 0 || error.status === 503) && failures < RETRIES,
    },
  },
});
const router = makeRouter(queries, PAGES);
// Before a page is there that could stay.
whenSignedOut(() => {
  if (location.pathname !== "/sign-in") location.assign(signInAddress());
  return false;
});

createRoot(document.getElementById("root")!, {
  // What the server refuses is said on the page; it is no fault of the page.
  onCaughtError: (error) => {
    if (!(error instanceof ApiError)) reportError(error);
  },
}).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    defaultColorScheme="auto"
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={queries}>
      {/* Where no page has its buttons: a message stays while the pointer is on it. */}
      <Notifications position="top-center" />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
