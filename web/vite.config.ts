// How the dashboard is built: its page and the one of the API's reference, scripts and styles beside it under names with a hash, nothing inline.
// What belongs here: what Vite is told. Compressing and putting in place is scripts/build-dashboard.ts.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  publicDir: false,
  // `npx vite web`, beside a server on its usual port, for who works on the dashboard.
  server: { proxy: { "/dashboard/api": "http://127.0.0.1:8080" } },
  build: {
    target: "baseline-widely-available",
    // A small file as a data: address would be refused by the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Swagger UI comes in one piece, and is loaded at /docs only.
    chunkSizeWarningLimit: 1600,
    // Libraries mark what runs in browsers ("use client"); here everything does.
    rolldownOptions: {
      input: ["index.html", "docs.html"].map((page) => fileURLToPath(new URL(page, import.meta.url))),
      onLog: (level, log, report) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
    },
  },
});
