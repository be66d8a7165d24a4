// Sets up the dashboard: theme, queries and router.
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

/** The nonce for style elements that components add: see the server's Content-Security-Policy. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="nonce"]')?.content ?? "";
// The package that locks scrolling behind dialogs reads it under this name.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // Retry while the server restarts, but not after a refusal.
      retry: (failures, error) =>
        error instanceof ApiError && (error.status === 0 || error.status === 503) && failures < RETRIES,
    },
  },
});
const router = makeRouter(queries, PAGES);
// No page is shown yet that could stay.
whenSignedOut(() => {
  if (location.pathname !== "/sign-in") location.assign(signInAddress());
  return false;
});

createRoot(document.getElementById("root")!, {
  // The page shows the server's refusals; they are not errors of the page.
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
      {/* Away from the pages' buttons. A message stays while the pointer is on it. */}
      <Notifications position="top-center" />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
