// The kinds of files that can be attached to payouts, by their first bytes. Names and declared types are not trusted.
import { fieldRefusal } from "../../platform/errors.ts";

export const MAX_ATTACHMENT_BYTES = 5 * 1024 * 1024;
const NAME_LENGTH = 100;

export const FILE_TYPES = ["application/pdf", "image/jpeg", "image/png"] as const;
export type FileType = (typeof FILE_TYPES)[number];

type Kind = { readonly type: FileType; readonly first: readonly number[]; readonly endings: readonly string[] };

const KINDS: readonly Kind[] = [
  { type: "application/pdf", first: [0x25, 0x50, 0x44, 0x46, 0x2d], endings: [".pdf"] },
  { type: "image/jpeg", first: [0xff, 0xd8, 0xff], endings: [".jpg", ".jpeg"] },
  { type: "image/png", first: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], endings: [".png"] },
];

/**
 * The type of a file and its name, which gets the type's ending if it has another.
 * @throws NodalError `validation_failed` for any other file, and for one that is too large
 */
export function readAttachment(
  bytes: Buffer,
  name: string,
): { readonly fileType: FileType; readonly fileName: string } {
  if (bytes.length > MAX_ATTACHMENT_BYTES) {
    throw fieldRefusal("validation_failed", "file", "This file is larger than 5 MB. Attach a smaller one.");
  }
  const kind = KINDS.find(({ first }) => first.every((byte, index) => bytes[index] === byte));
  if (!kind) {
    throw fieldRefusal("validation_failed", "file", "This file is not a PDF, JPEG or PNG. Attach one of these.");
  }
  // Without folders.
  return { fileType: kind.type, fileName: withEnding(name.replaceAll(/[/\\]/g, "-"), kind.endings) };
}

function withEnding(name: string, endings: readonly string[]): string {
  const lower = name.toLowerCase();
  if (endings.some((ending) => lower.endsWith(ending))) return name;
  const [ending] = endings;
  return [...name].slice(0, NAME_LENGTH - ending!.length).join("") + ending!;
}
