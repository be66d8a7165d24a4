// Whether a merchant is of the sandbox or live, in a word.
import { shell } from "../strings/shell.ts";
import { StatusBadge } from "./values.tsx";

/** The word, in the colours that the frame has for it. */
export function ModeBadge({ live }: { readonly live: boolean }) {
  return <StatusBadge status={live ? shell.live : shell.sandbox} tone={live ? "success" : "warning"} />;
}
