// `nodal verify`: recomputes every balance from the entries and checks every invariant.
import { readFile, rename, writeFile } from "node:fs/promises";
import { endedCheck, failureOfFindings, recordRun, verifyInstallation, type Findings } from "../installation/index.ts";
import { validationError, type NodalError } from "../platform/errors.ts";
import { fail, readOnlyField } from "../platform/http/field.ts";
import { optional, optionalText } from "../platform/http/fields.ts";
import { flag, ifGiven, installationCommand, MERCHANT, option } from "./command.ts";
import { createCommandLogger } from "./on-database.ts";
import { formatRecord, formatTable, paragraphs, type Answer } from "./output.ts";

const HEAD = "64 hexadecimal digits, which `nodal verify` prints as seal_head";

const headField = readOnlyField({ type: "string" }, HEAD, (value, path, errors) => {
  if (typeof value === "string" && /^[0-9a-f]{64}$/i.test(value.trim())) return Buffer.from(value.trim(), "hex");
  fail(errors, path, "invalid", `must be ${HEAD}.`);
  return Buffer.alloc(0);
});

export const verify = installationCommand({
  description: "recompute every balance from the ledger entries and check every invariant; exit 1 if one is broken",
  example: "nodal verify --head-file /mnt/elsewhere/nodal-head",
  options: {
    merchant: ifGiven(MERCHANT, "check this merchant only"),
    deep: flag("decrypt every value, not only the latest of each table"),
    expectHead: option(
      "<hex>",
      "a seal_head printed earlier, which must be in the chain of seals",
      optional(headField),
    ),
    headFile: option(
      "<file>",
      "read it from this file, and write the new head there if all checks pass; created if missing",
      optionalText(4096),
    ),
  },
  /** The chain is over all merchants, and only one head can be expected. */
  check(given, errors) {
    if (["merchant", "expectHead", "headFile"].filter((name) => given[name] !== undefined).length < 2) return;
    const names = "--merchant, --expect-head and --head-file";
    fail(errors, names, "not_allowed", "can't be combined: give only one.");
  },
  async run({ config, ownerPool }, { merchant, deep, expectHead, headFile }) {
    const expectedHead = headFile === null ? expectHead : await readHeadFile(headFile);
    const check = () => verifyInstallation(ownerPool, { merchant, deep: deep ?? false, expectedHead });
    const noted = { pool: ownerPool, logger: createCommandLogger(config) };
    const findings = await (merchant === null
      ? recordRun(noted, "verify", check, failureOfFindings, endedCheck)
      : check());
    const { seal_head: found, ok } = findings.summary;
    if (headFile !== null && ok && found !== "") await writeHeadFile(headFile, found);
    return answerFindings(findings);
  },
});

/** The findings of a verification; exit 1 if something is broken. */
export function answerFindings({ summary, violations }: Findings): Answer {
  return {
    json: { ...summary, violations },
    text: paragraphs(formatRecord(summary), formatTable(violations, "")),
    exitCode: summary.ok ? 0 : 1,
  };
}

/** The head in a file; `null` if the file does not exist yet. @throws NodalError `validation_failed` */
async function readHeadFile(path: string): Promise<Buffer | null> {
  let content: string;
  try {
    content = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw headFileError(path, `can't be read (${(error as Error).message})`);
  }
  if (!/^[0-9a-f]{64}\n?$/.test(content)) throw headFileError(path, "does not contain a seal head");
  return Buffer.from(content.trim(), "hex");
}

/** Writes a head atomically, through a temporary file. @throws NodalError `validation_failed` */
async function writeHeadFile(path: string, found: string): Promise<void> {
  try {
    await writeFile(`${path}.new`, `${found}\n`);
    await rename(`${path}.new`, path);
  } catch (error) {
    throw headFileError(path, `can't be written (${(error as Error).message})`);
  }
}

function headFileError(path: string, what: string): NodalError {
  const problem = `: ${path} ${what}: give a file that \`nodal verify --head-file\` wrote, or a new one.`;
  return validationError([{ field: "--head-file", code: "invalid", problem }]);
}
