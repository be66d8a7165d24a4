// What the choices of a record's members are called.
import type { GstCategory } from "../../../src/customers/customer-members.ts";
import type { TurnoverClass } from "../../../src/merchants/profile-members.ts";
import type { Member } from "../../../src/platform/member.ts";

export const memberChoices = {
  none: "Not set",
  gst_category: {
    regular: "Regular",
    unregistered: "Unregistered",
    composition: "Composition scheme",
    sez: "SEZ unit or developer",
    overseas: "Overseas",
    deemed_export: "Deemed export",
    uin: "UIN holder (embassy, UN body)",
  } satisfies Readonly<Record<GstCategory, string>>,
  turnover_class: {
    up_to_5_crore: "Up to ₹5 crore",
    above_5_crore: "Above ₹5 crore",
  } satisfies Readonly<Record<TurnoverClass, string>>,
} as const;

/** The word for a choice, or the value itself where there is none. */
export function choiceWord({ name }: Pick<Member, "name">, value: string): string {
  const words: Readonly<Record<string, unknown>> = memberChoices;
  return (words[name] as Readonly<Record<string, string>> | undefined)?.[value] ?? value;
}
