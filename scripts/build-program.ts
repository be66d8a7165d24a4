// Builds the program into dist/: `npm run build`, which `npm ci` runs. src/program.ts says what it is for.
// What belongs here: running the bundler, and keeping modules able to find the files beside them.
import { writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type * as Rolldown from "rolldown";
import { FINGERPRINT_FILE, fingerprintOf, isFresh } from "../src/platform/fingerprint.ts";
import { BUILT_PROGRAM, ENTRIES, listSource, ROOT } from "../src/program.ts";
import { replaceFolder } from "./replace-folder.ts";

/** Left where they are: they look for files of their own at run time, are compiled, or are not there on purpose. */
const LEFT_OUT = /^(node:|pino$|pg-native$|@myriaddreamin\/|@resvg\/)/;

const TARGET = join(ROOT, BUILT_PROGRAM);

if (process.argv.includes("--if-needed") && isFresh(TARGET, ROOT, listSource())) process.exit(0);
const rolldown = await import("rolldown").catch(() => null);
if (rolldown) await replaceFolder(TARGET, (folder) => build(rolldown, folder));
else
  console.log(
    "The program is not built: Rolldown is left out with the development packages. Nodal starts more slowly.",
  );

async function build({ rolldown: open }: typeof Rolldown, folder: string): Promise<void> {
  const fingerprint = fingerprintOf(ROOT, listSource());
  const bundle = await open({
    cwd: ROOT,
    input: ENTRIES,
    platform: "node",
    external: LEFT_OUT,
    plugins: [{ name: "places", transform: withOwnPlace }],
    logLevel: "warn",
  });
  await bundle.write({ dir: folder, format: "esm" });
  await bundle.close();
  await writeFile(join(folder, FINGERPRINT_FILE), fingerprint);
}

/** A module of the program says where it was, not where the built file is: it looks for files beside itself. */
function withOwnPlace(code: string, id: string): string | null {
  if (!id.startsWith(ROOT) || !code.includes("import.meta")) return null;
  const path = relative(ROOT, id).split(sep).join("/");
  const placed = code
    .replaceAll(/\bimport\.meta\.dirname\b/g, `(import.meta.dirname + ${JSON.stringify(`/../${dirname(path)}`)})`)
    .replaceAll(/\bimport\.meta\.url\b/g, `new URL(${JSON.stringify(`../${path}`)}, import.meta.url).href`);
  if (path.startsWith("src/") && /\bimport\.meta\b(?!\.(dirname|url)\b)/.test(placed))
    throw new Error(`${path}: of import.meta only dirname and url are known to the build of the program`);
  return placed;
}
