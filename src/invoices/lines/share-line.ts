// A part of a line: each member is split by its kind.
import { LINE_MEMBERS, type LineMember, type Row } from "./line.ts";
import { kindOf } from "./line-kinds.ts";

/**
 * The part of a line with the amount `partPaise`, at most the line's. A line without an amount has no parts. The amount is exactly
 * `partPaise`. Members that can't be split are left out.
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
