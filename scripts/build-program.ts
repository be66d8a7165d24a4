// Builds the program into dist/: `npm run build`, which `npm ci` runs. src/program.ts says what it is for.
import { writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { FINGERPRINT_FILE, fingerprintOf } from "../src/platform/fingerprint.ts";
import { BUILT_PROGRAM, ENTRIES, listSource, ROOT } from "../src/program.ts";
import { replaceFolder } from "./replace-folder.ts";

/** Left where they are: they look for files of their own at run time, are compiled, or are not there on purpose. */
const LEFT_OUT = /^(node:|pino$|pg-native$|@myriaddreamin\/|@resvg\/)/;

try {
  await replaceFolder(join(ROOT, BUILT_PROGRAM), build);
} catch (error) {
  // Nothing depends on it: the source runs as well.
  const isLeftOut = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
  const why = isLeftOut ? "Rolldown is left out with the development packages" : String(error);
  console.error(`The program is not built: ${why}. Nodal runs from its source, and starts more slowly.`);
  if (!process.argv.includes("--optional")) process.exitCode = 1;
}

async function build(folder: string): Promise<void> {
  const { rolldown } = await import("rolldown");
  const files = listSource();
  const fingerprint = fingerprintOf(ROOT, files);
  const bundle = await rolldown({
    cwd: ROOT,
    input: ENTRIES,
    platform: "node",
    external: LEFT_OUT,
    transform: { define: { NODAL_BUILT: "true" } },
    plugins: [{ name: "places", transform: withOwnPlace }],
    logLevel: "warn",
  });
  const { output } = await bundle.write({ dir: folder, format: "esm" });
  await bundle.close();
  const own = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : [])).map(placeOf);
  const unknown = own.filter((path) => path.startsWith("src/") && !files.includes(path));
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: src/program.ts does not look at changes of this`);
  await writeFile(join(folder, FINGERPRINT_FILE), fingerprint);
}

/** A module's path below the release's folder. */
function placeOf(id: string): string {
  return relative(ROOT, id).split(sep).join("/");
}

/** A module of the program says where it was, not where the built file is: it looks for files beside itself. */
function withOwnPlace(code: string, id: string): string | null {
  if (!id.startsWith(ROOT + sep) || !code.includes("import.meta")) return null;
  const path = placeOf(id);
  const placed = code
    .replaceAll(/\bimport\.meta\.dirname\b/g, `(import.meta.dirname + ${JSON.stringify(`/../${dirname(path)}`)})`)
    .replaceAll(/\bimport\.meta\.url\b/g, `new URL(${JSON.stringify(`../${path}`)}, import.meta.url).href`);
  if (path.startsWith("src/") && /\bimport\.meta\b(?!\.(dirname|url)\b)/.test(placed))
    throw new Error(`${path}: of import.meta only dirname and url are known to the build of the program`);
  return placed;
}
