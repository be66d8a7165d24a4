// What a part of a line means: each member has its share, by its kind.
import { LINE_MEMBERS, type LineMember, type Row } from "./line.ts";
import { kindOf } from "./line-kinds.ts";

/**
 * The part of a line that comes to `partPaise`, at most its amount. A line without an amount has no parts. The amount is
 * exactly `partPaise`. Members whose share nobody can say are left out.
 */
export function shareLine(row: Row, partPaise: bigint): Row {
  if (partPaise === row.amountPaise) return row;
  const part = { partPaise, ofPaise: row.amountPaise };
  const shared = LINE_MEMBERS.flatMap((member: LineMember) => {
    const value = (row as Readonly<Record<string, unknown>>)[member.property];
    const share = value === undefined ? undefined : kindOf(member).share(value, part);
    return share === undefined ? [] : [[member.property, share] as const];
  });
  return Object.fromEntries(shared) as Row;
}
