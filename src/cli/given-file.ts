// Files given on a command line.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { NodalError } from "../platform/errors.ts";
import { decoderOf, fail, readOnlyField } from "../platform/http/field.ts";
import { optional, type Field } from "../platform/http/fields.ts";

/** A value, or the requirement that the option violates. */
export type Reading<T> = { readonly value: T } | { readonly mustBe: string };

/** The bytes of a file. Its size is checked first, since the path may be a mistake. */
export function readGivenFile(path: string, maxBytes: number): Reading<Buffer> {
  try {
    const found = statSync(path);
    if (!found.isFile()) return { mustBe: `the path of a file; ${path} is not one` };
    if (found.size > maxBytes) return { mustBe: `a file of at most ${maxBytes / 1024} KiB` };
    return { value: readFileSync(path) };
  } catch (error) {
    return { mustBe: `the path of a readable file: ${(error as Error).message}` };
  }
}

/**
 * The bytes of the file given by `--file`.
 * @throws NodalError `validation_failed`
 */
export function readFileOption(path: string, maxBytes: number): Buffer {
  const reading = readGivenFile(path, maxBytes);
  if ("mustBe" in reading) throw new NodalError("validation_failed", `--file must be ${reading.mustBe}.`);
  return reading.value;
}

/**
 * Writes the file given by `--result`. @throws NodalError `validation_failed` if it can't be written
 */
export function writeResult(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    const message = `--result must be the path of a writable file: ${(error as Error).message}.`;
    throw new NodalError("validation_failed", message);
  }
}

/** A field that parses an option's text. */
export function fromText<T>(field: Field<T | null>, read: (text: string) => Reading<unknown>): Field<T | null> {
  const decode = decoderOf(field);
  const decodeText = readOnlyField<T | null>({ type: "string" }, "text", (text, path, errors) => {
    const reading = read(String(text));
    if ("value" in reading) return decode(reading.value, path, errors);
    fail(errors, path, "invalid", `must be ${reading.mustBe}.`);
    return null;
  });
  return optional(decodeText);
}
