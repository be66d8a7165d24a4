// Errors of the server in the dashboard's words: without the API's names of fields, permissions and commands.
import { permissionGroups } from "../strings/access.ts";
import { fieldErrors, fieldNames, refusals } from "../strings/refusals.ts";

const PATH = /^invoice\.[a-z_.[\]0-9]+:? /;
const FIELD = /\b[a-z]+(?:_[a-z0-9]+)+\b/g;
const PERMISSION = /\b[a-z_]+\.[a-z]+\b/g;
/** The server's general errors of fields: src/platform/http/field.ts and fields.ts. */
const REQUIRED = /^ ?is required: it must be .*$/s;
const TOO_LONG = /^must be at most ([0-9]+) characters long\.$/;
const INVALID = /^must be (.+)\.$/s;
const COMMAND = /,? or (?:with|use) `nodal [^`]*`/g;

type Refusal = { readonly code?: string; readonly message: string; readonly fields?: Readonly<Record<string, string>> };

/** The text of a notice about an error: our own sentence for its code, or the errors of fields, or the server's sentence. */
export function sayRefusal({ code = "", message, fields = {} }: Refusal): string {
  const known = refusals[code];
  if (known !== undefined) return known;
  const sentences = new Set(Object.entries(fields).map(([path, text]) => fieldSentence(path, text)));
  return code === "validation_failed" && sentences.size > 0 ? [...sentences].join(" ") : inPlainWords(message);
}

/** `beneficiary_id` is `beneficiary`, and a permission is called as on the page of roles. Other words stay. */
export function inPlainWords(text: string): string {
  return text
    .replaceAll(COMMAND, "")
    .replaceAll(FIELD, (name) => fieldNames[name] ?? name)
    .replaceAll(PERMISSION, (name) => permissionName(name) ?? name);
}

/** Without the path of a field before it: `invoice.franchise_id: this franchise does not exist.` Other texts stay. */
export function withoutPath(text: string): string {
  const rest = text.replace(PATH, "");
  return inPlainWords(rest === text ? text : capitalised(rest));
}

/** `due_date must not be before bill_date.` is `Due date must not be before invoice date.` */
function fieldSentence(path: string, text: string): string {
  if (path === "" || !text.startsWith(path)) return inPlainWords(text);
  const name = path.split(".").at(-1)!;
  return capitalised(inPlainWords(name + text.slice(path.length).replace(REQUIRED, " is required.")));
}

/** What the server says of a field, without the field's name: `is required: it must be …` is `Required.` */
export function sayOfField(text: string): string {
  if (REQUIRED.test(text)) return fieldErrors.required;
  const [, most] = TOO_LONG.exec(text) ?? [];
  if (most !== undefined) return fieldErrors.tooLong(most);
  const [, rule] = INVALID.exec(text) ?? [];
  return rule === undefined ? capitalised(inPlainWords(text)) : fieldErrors.invalid(inPlainWords(rule));
}

function permissionName(name: string): string | undefined {
  const label = permissionGroups.find(({ permissions }) => name in permissions)?.permissions[name];
  return label === undefined ? undefined : `“${label}”`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
