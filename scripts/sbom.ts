// `npm run sbom [-- --out FILE]`: writes the software bill of materials to standard output or a file. It needs nothing
// but the lock file: no network, no installed packages.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildSbom } from "./cyclonedx.ts";
import { readLockFile } from "./lock-file.ts";

const LOCK_FILE = fileURLToPath(new URL("../package-lock.json", import.meta.url));

/** Reproducible builds name their moment in seconds: https://reproducible-builds.org/specs/source-date-epoch/ */
function builtAt(seconds: string | undefined): Temporal.Instant | null {
  if (!seconds) return null;
  if (!/^[0-9]{1,11}$/.test(seconds)) throw new Error("SOURCE_DATE_EPOCH must be a number of seconds since 1970");
  return Temporal.Instant.fromEpochMilliseconds(Number(seconds) * 1000);
}

try {
  const { values } = parseArgs({ options: { out: { type: "string" } } });
  const sbom = buildSbom(readLockFile(LOCK_FILE), builtAt(process.env.SOURCE_DATE_EPOCH));
  const text = `${JSON.stringify(sbom, null, 2)}\n`;
  if (values.out === undefined) process.stdout.write(text);
  else writeFileSync(values.out, text);
} catch (error) {
  console.error(`sbom: ${(error as Error).message}`);
  process.exitCode = 1;
}
