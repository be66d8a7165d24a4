// How the dashboard is built: its page and the one of the API's reference, scripts and styles beside it under names
// with a hash, nothing inline. Compressing and putting in place is scripts/build-dashboard.ts.
import { fileURLToPath } from "node:url";
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";

/** What follows once the language is known is fetched at once, with its styles: it would wait for the first script otherwise. */
const fetchedEarly: Plugin = {
  name: "fetched-early",
  transformIndexHtml: {
    order: "post",
    handler(_page, { bundle = {}, filename }) {
      const chunks = Object.values(bundle).filter((each) => each.type === "chunk");
      const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith("/src/start.tsx"));
      if (!start || !filename.endsWith("/index.html")) return [];
      const link = (rel: string, file: string, attributes = {}): HtmlTagDescriptor => {
        return { tag: "link", attrs: { rel, ...attributes, crossorigin: true, href: `/${file}` }, injectTo: "head" };
      };
      const styles = [...(start.viteMetadata?.importedCss ?? [])];
      // The typeface is fetched by script: see src/app/typeface.ts.
      const typeface = Object.keys(bundle).find((file) => file.includes("inter-latin-wght-normal"));
      return [
        ...(typeface === undefined ? [] : [link("preload", typeface, { as: "fetch" })]),
        ...[start.fileName, ...start.imports].map((file) => link("modulepreload", file)),
        ...styles.map((file) => link("stylesheet", file)),
      ];
    },
  },
};

const FIRST_WORDS =
  /web\/src\/strings\/(access|approvals|audit|customers|dates|finding|go-live|home|lists|refusals|shell|statuses|titles)\.ts$/;

export default defineConfig({
  plugins: [fetchedEarly],
  publicDir: false,
  // `npx vite web`, beside a server on its usual port, for who works on the dashboard.
  server: { proxy: { "/api": "http://127.0.0.1:8080" } },
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
      // The words that every page or Home reads, in one file. The others come with the pages that read them.
      output: { codeSplitting: { groups: [{ name: "words", test: FIRST_WORDS }] } },
      input: ["index.html", "docs.html"].map((page) => fileURLToPath(new URL(page, import.meta.url))),
      onLog: (level, log, report) => {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
    },
  },
});
