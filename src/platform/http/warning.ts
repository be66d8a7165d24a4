// Warnings about accepted but surprising values: docs/rules/values-and-errors.md#warnings. Each is defined where it is created.
import { Type } from "typebox";

/** `field` is the path of the member, such as `invoice[0].due_date`. */
export type Warning = { readonly code: string; readonly field: string; readonly message: string };

/** The member of answers with warnings; left out if there are none. */
export const warningsSchema = Type.Optional(
  Type.Array(Type.Object({ code: Type.String(), field: Type.String(), message: Type.String() })),
);

/** The member, to be spread into an answer. */
export function warn(warnings: readonly Warning[] = []): { warnings?: Warning[] } {
  return warnings.length > 0 ? { warnings: [...warnings] } : {};
}
