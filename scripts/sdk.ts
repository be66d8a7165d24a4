// The OpenAPI document, and what is made from it in sdk/: the types of the client library, the methods of /api/v4, and a collection for
// Postman and Bruno. `npm run generate:sdk` writes them; with `--check` (`npm run check`) the document is linted, and what is there
// compared with what would be written.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@hey-api/openapi-ts";
import examples from "../src/api-reference/examples.json" with { type: "json" };
import { makeApiDocument } from "./api-document.ts";
import { collectionOf, type ApiDocument } from "./postman.ts";
import { resourcesOf } from "./sdk-resources.ts";
import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from "@redocly/openapi-core";

const SDK = fileURLToPath(new URL("../sdk", import.meta.url));
const DOCUMENT = "openapi.json";
const TYPES = "generated/types.gen.ts";
const RESOURCES = "generated/resources.gen.ts";
const COLLECTION = "nodal.postman_collection.json";

/** What Redocly's strictest rules find, one line each. */
async function lint(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const document = makeDocumentFromString(text, join(SDK, DOCUMENT));
  const problems = await lintDocument({ document, config, externalRefResolver: new BaseResolver() });
  return problems.map(
    ({ ruleId, message, location }) => `openapi.json${location[0]?.pointer ?? ""} ${ruleId}: ${message}`,
  );
}

/** The types of the document's schemas, operations and webhooks. */
async function generateTypes(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "nodal-sdk-"));
  try {
    const input = join(folder, DOCUMENT);
    await writeFile(input, JSON.stringify(withoutErrors(JSON.parse(text) as ApiDocument)));
    const output = { path: join(folder, "types"), clean: true, entryFile: false };
    await createClient({ input, output, plugins: ["@hey-api/typescript"], logs: { level: "silent" } });
    return await readFile(join(folder, "types/types.gen.ts"), "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Without the errors of /api/v4, which are the same at each operation: the client throws them. */
function withoutErrors(document: ApiDocument): object {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    if (!path.startsWith("/api/v4/")) return [path, methods];
    const operations = Object.entries(methods).map(([method, operation]) => {
      return [method, { ...operation, responses: { 200: operation.responses["200"] } }];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(paths) as object };
}

const document = (await makeApiDocument()) as ApiDocument;
const text = `${JSON.stringify(document, null, 2)}\n`;
const collection = JSON.stringify(collectionOf(document, Object.keys(examples)), null, 2);
const files = {
  [DOCUMENT]: text,
  [TYPES]: await generateTypes(text),
  [RESOURCES]: resourcesOf(document),
  [COLLECTION]: `${collection}\n`,
};
if (process.argv.includes("--check")) {
  const found = await lint(text);
  for (const [name, made] of Object.entries(files)) {
    const present = await readFile(join(SDK, name), "utf8").catch(() => "");
    if (present !== made) found.push(`sdk/${name} does not match the routes: run \`npm run generate:sdk\`.`);
  }
  for (const line of found) console.log(line);
  process.exitCode = found.length > 0 ? 1 : 0;
} else {
  for (const [name, made] of Object.entries(files)) await writeFile(join(SDK, name), made);
}
