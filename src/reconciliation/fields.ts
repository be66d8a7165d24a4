// The fields of reconciliation requests, as commands and the dashboard send them.
import { fail, readOnlyField } from "../platform/http/field.ts";
import type { Field } from "../platform/http/fields.ts";
import type { ItemKind } from "./match-lines.ts";
import { COLUMN_ROLES, type ColumnMapping, type ColumnRole } from "./reading/statement.ts";
import type { ItemName } from "./resolve.ts";

const MOST = 10_000;
const KINDS = ["paid", "returned", "fee", "fee_returned", "funding"] as const satisfies readonly ItemKind[];
const ITEM = new RegExp(`^(${KINDS.join("|")}):([0-9]{1,16})$`);
const MAPPED = new RegExp(`^(${COLUMN_ROLES.join("|")})=(.{1,100})$`, "s");
const BETWEEN_MAPPED = new RegExp(`[\\n,](?=(?:${COLUMN_ROLES.join("|")})=)`);

/** The roles of columns: `date=Txn Date,debit=Withdrawal`, or one on each line. */
export function columnMapping(): Field<ColumnMapping> {
  const hint = `columns by their headings, such as date=Txn Date,debit=Withdrawal; the names before = are ${COLUMN_ROLES.join(", ")}`;
  return readOnlyField<ColumnMapping>({ type: "string", maxLength: 2000 }, hint, (value, path, errors) => {
    const mapping: { [Role in ColumnRole]?: string } = {};
    for (const part of String(value).split(BETWEEN_MAPPED)) {
      const match = MAPPED.exec(part.trim());
      if (match) mapping[match[1] as ColumnRole] = match[2]!.trim();
      else fail(errors, path, "invalid", `must be ${hint}.`);
    }
    return mapping;
  });
}

/** Line numbers, separated by commas or line breaks. */
export function lineNumbers(): Field<bigint[]> {
  const hint = "line numbers, which `nodal reconcile list` shows";
  return readOnlyField<bigint[]>({ type: "string", maxLength: 20 * MOST }, hint, (value, path, errors) => {
    const parts = partsOf(value);
    if (parts.length > 0 && parts.length <= MOST && parts.every((part) => /^[0-9]{1,16}$/.test(part)))
      return parts.map(BigInt);
    fail(errors, path, "invalid", `must be ${hint}.`);
    return [];
  });
}

/** The items to match lines with: `paid:1000123,returned:1000123`. */
export function itemNames(): Field<ItemName[]> {
  const hint = `items to match with, such as paid:1000123; the kind before the colon is one of ${KINDS.join(", ")}`;
  return readOnlyField<ItemName[]>({ type: "string", maxLength: 30 * MOST }, hint, (value, path, errors) => {
    const matches = partsOf(value).map((part) => ITEM.exec(part));
    if (matches.length > 0 && matches.length <= MOST && matches.every((match) => match !== null)) {
      return matches.map((match) => ({ kind: match[1] as ItemKind, subjectId: BigInt(match[2]!) }));
    }
    fail(errors, path, "invalid", `must be ${hint}.`);
    return [];
  });
}

function partsOf(value: unknown): string[] {
  return String(value)
    .split(/[\s,]+/)
    .filter((part) => part !== "");
}
