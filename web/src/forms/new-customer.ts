// What the forms of a customer share: the order of the fields, and the code that is proposed for a new one.
import { CUSTOMER_MEMBERS, type CustomerMember } from "../../../src/customers/customer-members.ts";

/** A form's fields: the name is first, as the code follows from it. */
export const CUSTOMER_FORM_MEMBERS: readonly CustomerMember[] = CUSTOMER_MEMBERS.toSorted(
  (one, other) => Number(other.name === "customer_name") - Number(one.name === "customer_name"),
);

const MAX_PROPOSED = 20;

/** A customer code that says the name: `RAVI-SONS` for Ravi & Sons; empty where a name has no Latin letters or digits. */
export function codeOfName(name: string): string {
  const words =
    name
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .toUpperCase()
      .match(/[A-Z0-9]+/g) ?? [];
  const code = words.reduce(
    (whole, word) => (whole.length + word.length < MAX_PROPOSED ? `${whole}-${word}` : whole),
    "",
  );
  return code.replace(/^-/, "") || (words[0] ?? "").slice(0, MAX_PROPOSED);
}
