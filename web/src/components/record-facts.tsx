// A record as a page shows it.
import type { Member } from "../../../src/platform/member.ts";
import { hasWrongAadhaarDigit } from "../format/check-digits.ts";
import { day } from "../format/time.ts";
import { gstinAndState } from "../strings/customers.ts";
import { choiceWord } from "../strings/member-choices.ts";
import { type Fact, Gstin, StatusBadge } from "./values.tsx";

/** Shown in one line with the address before them. */
const IN_ADDRESS: ReadonlySet<string> = new Set(["city", "state", "zipcode", "pincode"]);

/** The members of a record with their labels; the address is one line. */
export function recordFacts<M extends Member>(
  members: readonly M[],
  labels: { readonly [Name in M["name"]]: string },
  record: { readonly [Name in M["name"]]: string },
): Fact[] {
  const text = ({ name }: Member): string => record[name as M["name"]];
  const place = members.filter(({ name }) => name === "address" || IN_ADDRESS.has(name)).map(text);
  const address = place.filter((part) => part !== "").join(", ");
  return members
    .filter(({ name }) => !IN_ADDRESS.has(name))
    .map((member) => ({
      label: labels[member.name as M["name"]],
      value: member.name === "address" ? address : memberFact(member, text(member)),
    }));
}

/** A member's value as pages show it, by its kind. */
export function memberFact(member: Member, value: string): Fact["value"] {
  const { kind } = member;
  if (value !== "" && kind === "date") return day(value);
  if (kind === "choice") return choiceWord(member, value);
  if (kind === "gstin") return <Gstin gstin={value} />;
  if (kind !== "aadhaar" || !hasWrongAadhaarDigit(value)) return value;
  return (
    <>
      {value} <StatusBadge status={gstinAndState.wrongDigit} tone="warning" />
    </>
  );
}
