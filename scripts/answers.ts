// What /api/v4 and /api/session answer, for the API's document and for tests. `npm run generate:sdk` writes it; with `--check`
// (`npm run check`) the file is compared with what would be written.
import { readFile, writeFile } from "node:fs/promises";
import { readAnswerSchemas } from "./answer-schemas.ts";

const FILE = new URL("../src/api-reference/answers.json", import.meta.url);

// A line for each route, so that changes of different routes merge.
const lines = Object.entries(readAnswerSchemas()).map(([route, schema]) => {
  return `${JSON.stringify(route)}: ${JSON.stringify(schema)}`;
});
const made = `{\n${lines.join(",\n")}\n}\n`;
if (!process.argv.includes("--check")) await writeFile(FILE, made);
else if ((await readFile(FILE, "utf8").catch(() => "")) !== made) {
  console.log("src/api-reference/answers.json does not match the handlers' types: run `npm run generate:sdk`.");
  process.exitCode = 1;
}
