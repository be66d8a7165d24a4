// What was taken and will surprise: docs/rules/values-and-errors.md#warnings. Which there are is said where each is
// made.
import { Type } from "typebox";

/** `field` is the path of the member that it is about, such as `invoice[0].due_date`. */
export type Warning = { readonly code: string; readonly field: string; readonly message: string };

/** The member of answers that may warn; left out where there is nothing to warn of. */
export const warningsSchema = Type.Optional(
  Type.Array(Type.Object({ code: Type.String(), field: Type.String(), message: Type.String() })),
);

/** The member itself, to be spread into an answer. */
export function warn(warnings: readonly Warning[] = []): { warnings?: Warning[] } {
  return warnings.length > 0 ? { warnings: [...warnings] } : {};
}
