// Changes in the audit log: an object's members before and after, as JSON. They have the names of the API. Money is in
// decimal rupees, and secrets are masked.
import { formatPaise } from "../platform/money.ts";
import { snakeCase } from "../platform/snake-case.ts";
import { mask } from "../platform/secrets/index.ts";

/** Members of an object as the audit log keeps them. */
export type AuditValues = Readonly<Record<string, unknown>>;

/** The values before and after a change. A creation has no `before`, a removal no `after`. */
export type AuditChange = { readonly before?: AuditValues | null; readonly after?: AuditValues | null };

/** Members of which only the last characters are shown, under all their names. */
const MASKED = /^(bank_account|bank_account_no|account_number|account_no|upi|upi_id|vpa|pan|pan_number|aadhar_number)$/;
/** Members that are left out. */
const OMITTED =
  /^(bucket|merchant_id|created_at|updated_at|public_token|password|password_hash|secret|secret_hash|secret_access_key|.*_index)$/;
/** A creation that is longer loses its last members. */
const MAX_CHARACTERS = 8192;
const CUT = "and_more";

/** An object as the audit log keeps it, without the members that name the merchant. */
export function auditValues(object: object): AuditValues {
  const values: Record<string, unknown> = {};
  let length = 0;
  for (const [name, value] of entriesOf(object)) {
    length += name.length + (JSON.stringify(value)?.length ?? 0);
    if (length > MAX_CHARACTERS) {
      values[CUT] = true;
      break;
    }
    values[name] = value;
  }
  return values;
}

/** The changed members, before and after. */
export function auditChange(before: object, after: object): Required<AuditChange> {
  const earlier = new Map(rawEntriesOf(before));
  const changed = rawEntriesOf(after).filter(
    ([name, value]) =>
      JSON.stringify(plain(name, value, show)) !== JSON.stringify(plain(name, earlier.get(name), show)),
  );
  const names = changed.map(([name]) => name);
  return {
    before: auditValues(Object.fromEntries(names.map((name) => [name, earlier.get(name)]))),
    after: auditValues(Object.fromEntries(changed)),
  };
}

type Masking = (text: string) => string;
const show: Masking = (text) => text;

function rawEntriesOf(object: object): [string, unknown][] {
  return Object.entries(object).filter(([, value]) => value !== undefined && !Buffer.isBuffer(value));
}

function entriesOf(object: object, masking: Masking = mask): [string, unknown][] {
  return rawEntriesOf(object)
    .map(([name, value]): [string, unknown] => [wireNameOf(name, value), plain(name, value, masking)])
    .filter(([name]) => !OMITTED.test(name));
}

/** `amountPaise` is the amount in rupees, and `payeeName` is `payee_name`. */
function wireNameOf(name: string, value: unknown): string {
  const snake = snakeCase(name);
  return isPaise(name, value) ? snake.replace(/_?paise$/, "") || "amount" : snake;
}

function isPaise(name: string, value: unknown): value is bigint {
  return typeof value === "bigint" && /paise$/i.test(name);
}

function plain(name: string, value: unknown, masking: Masking): unknown {
  if (isPaise(name, value)) return formatPaise(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "string") return MASKED.test(wireNameOf(name, value)) ? masking(value) : value;
  if (Array.isArray(value)) return value.map((item) => plain(name, item, masking));
  if (value instanceof Map) return plain(name, Object.fromEntries(value as Map<string, unknown>), masking);
  if (value === null || typeof value !== "object") return value ?? null;
  const isPlainObject = [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
  // Dates and times have a `toJSON`.
  return isPlainObject ? Object.fromEntries(entriesOf(value, masking)) : (JSON.parse(JSON.stringify(value)) as unknown);
}
