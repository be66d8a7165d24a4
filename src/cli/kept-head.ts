// The head of the chain of seals as it is kept outside of the database: how it is given, read and written.
// What belongs here: the option and the file. What a head proves is in src/audit.
import { readFile, rename, writeFile } from "node:fs/promises";
import { validationError, type NodalError } from "../platform/errors.ts";
import { fail, requiredField } from "../platform/http/field.ts";
import type { Field } from "../platform/http/fields.ts";

const HEAD = "64 hexadecimal digits, which `nodal verify` prints as seal_head";

/** A head as an option. */
export function head(): Field<Buffer> {
  return requiredField({ type: "string" }, HEAD, (value, path, errors) => {
    if (typeof value === "string" && /^[0-9a-f]{64}$/i.test(value.trim())) return Buffer.from(value.trim(), "hex");
    fail(errors, path, "invalid", `must be ${HEAD}.`);
    return Buffer.alloc(0);
  });
}

/** The head that a file holds; `null` where there is no such file yet. @throws NodalError `validation_failed` */
export async function readHeadFile(path: string): Promise<Buffer | null> {
  let content: string;
  try {
    content = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw headFileError(path, `can't be read (${(error as Error).message})`);
  }
  if (!/^[0-9a-f]{64}\n?$/.test(content)) throw headFileError(path, "does not hold a head of seals");
  return Buffer.from(content.trim(), "hex");
}

/** Writes a head, beside the file first, so that it is never half written. @throws NodalError `validation_failed` */
export async function writeHeadFile(path: string, found: string): Promise<void> {
  try {
    await writeFile(`${path}.new`, `${found}\n`);
    await rename(`${path}.new`, path);
  } catch (error) {
    throw headFileError(path, `can't be written (${(error as Error).message})`);
  }
}

function headFileError(path: string, what: string): NodalError {
  const message = `--head-file ${path} ${what}: name a file that \`nodal verify --head-file\` has written, or one that is still to be made.`;
  return validationError([{ field: "--head-file", code: "invalid", message }]);
}
