// What a part of a line means: each member has its share, by its kind.
import { LINE_MEMBERS, type LineMember, type Row } from "./line.ts";
import { kindOf, type KindOfValue } from "./line-kinds.ts";

/**
 * The part of a line that comes to `partPaise`, at most its amount. A line without an amount has no parts. The amount is
 * exactly `partPaise`.
 */
export function shareLine(row: Row, partPaise: bigint): Row {
  return shareMembers(row, { partPaise, ofPaise: row.amountPaise }, LINE_MEMBERS, kindOf);
}

/** As `shareLine`, for a list of members of its own. */
export function shareMembers<T extends object, Member extends Pick<LineMember, "property">>(
  line: T,
  part: { readonly partPaise: bigint; readonly ofPaise: bigint },
  members: readonly Member[],
  kind: (member: Member) => Pick<KindOfValue<unknown>, "share">,
): T {
  const values = line as Readonly<Record<string, unknown>>;
  const shared = members.map((member) => {
    const { property } = member;
    return [property, part.partPaise === part.ofPaise ? values[property] : kind(member).share(values[property], part)];
  });
  return Object.fromEntries(shared) as T;
}
