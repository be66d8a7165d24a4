// The order of rows where SQL leaves it open: PostgreSQL gives them as they happen to lie in its files, which depends
// on what was written and removed there before. A simulation gives them in an order that is the same each time.

/** What orders by a time alone, and what is added to that, by the names of the statements. */
const TIES: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  "find-due-transfers": [["order by due_at limit", "order by due_at, transfer_id limit"]],
  "take-due-provider-notices": [
    ["partition by merchant_id order by due_at", "partition by merchant_id order by due_at, subject_id, claims"],
    ["order by due_at limit 1000", "order by due_at, subject_id, claims limit 1000"],
    ["        order by due_at\n        limit $1", "        order by due_at, place, merchant_id\n        limit $1"],
  ],
  "take-due-payment-reviews": [["order by due_at limit", "order by due_at, merchant_id, wait limit"]],
};

const ordered = new Map<string, { readonly text: string; readonly isOpen: boolean }>();

/** A statement with ties decided. */
export function withTiesDecided<Given extends { readonly text: string; readonly name?: string }>(given: Given): Given {
  const { text } = look(given.text, given.name);
  return text === given.text ? given : { ...given, text };
}

/** The rows that a statement found, in an order that depends on nothing but them where it asks for none. */
export function inOneOrder<Row>(rows: Row[], text: string): Row[] {
  if (rows.length < 2 || !look(text, undefined).isOpen) return rows;
  const keyed = rows.map((row) => ({ row, key: JSON.stringify(row, plain) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row);
}

function look(text: string, name: string | undefined) {
  const found = ordered.get(text);
  if (found) return found;
  let decided = text;
  for (const [from, to] of (name !== undefined && TIES[name]) || []) {
    if (!decided.includes(from)) throw new Error(`${name} does not order by what it is expected to: ${from}`);
    decided = decided.replace(from, to);
  }
  const made = { text: decided, isOpen: !/\border\s+by\b/i.test(withoutParentheses(text)) };
  ordered.set(text, made);
  return made;
}

/** A text without what stands in parentheses. */
export function withoutParentheses(text: string): string {
  const left = text.replaceAll(/\([^()]*\)/g, "");
  return left === text ? text : withoutParentheses(left);
}

/** Ids of events are made by chance, which no seed decides. */
function plain(key: string, value: unknown): unknown {
  if (key === "event_id") return undefined;
  return typeof value === "bigint" ? String(value) : value;
}
