// What is made from the OpenAPI document in sdk/: the types of the client library, and a collection for Postman and Bruno.
// `npm run generate:sdk` writes them; with `--check` (`npm run check`) the document is linted, and what is there compared
// with what would be written.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@hey-api/openapi-ts";
import { collectionOf, type ApiDocument } from "./postman.ts";
import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from "@redocly/openapi-core";

const SDK = fileURLToPath(new URL("../sdk", import.meta.url));
const DOCUMENT = join(SDK, "openapi.json");
const TYPES = "generated/types.gen.ts";
const COLLECTION = "nodal.postman_collection.json";

/** What Redocly's strictest rules find, one line each. */
async function lint(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const document = makeDocumentFromString(text, DOCUMENT);
  const problems = await lintDocument({ document, config, externalRefResolver: new BaseResolver() });
  return problems.map(
    ({ ruleId, message, location }) => `openapi.json${location[0]?.pointer ?? ""} ${ruleId}: ${message}`,
  );
}

/** The types of the document's schemas, operations and webhooks. */
async function generateTypes(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "nodal-sdk-"));
  try {
    const output = { path: folder, clean: true, entryFile: false };
    await createClient({ input: DOCUMENT, output, plugins: ["@hey-api/typescript"], logs: { level: "silent" } });
    return await readFile(join(folder, "types.gen.ts"), "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const text = await readFile(DOCUMENT, "utf8");
const collection = JSON.stringify(collectionOf(JSON.parse(text) as ApiDocument), null, 2);
const files = { [TYPES]: await generateTypes(), [COLLECTION]: `${collection}\n` };
if (process.argv.includes("--check")) {
  const found = await lint(text);
  for (const [name, made] of Object.entries(files)) {
    const present = await readFile(join(SDK, name), "utf8").catch(() => "");
    if (present !== made) found.push(`sdk/${name} is not made from this document: run \`npm run generate:sdk\`.`);
  }
  for (const line of found) console.log(line);
  process.exitCode = found.length > 0 ? 1 : 0;
} else {
  for (const [name, made] of Object.entries(files)) await writeFile(join(SDK, name), made);
}
