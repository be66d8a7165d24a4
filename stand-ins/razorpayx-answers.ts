// How the stand-in for RazorpayX words its answers: docs/providers/razorpayx.md
import type { Fields } from "./json.ts";
import { textOf } from "./json.ts";
import type { Answer } from "./stand-in.ts";

/** The account that payouts leave from. */
export const SOURCE_ACCOUNT = "7878780080316316";

/** `razorpayx_lite` pays fees at once and can have accounts verified; a `current_account` has its fees collected later. */
export type AccountType = "razorpayx_lite" | "current_account";

type Wrong = { readonly field?: string; readonly reason?: string };

export function badRequest(description: string, { field, reason = "input_validation_failed" }: Wrong = {}): Answer {
  return errorOf(400, { code: "BAD_REQUEST_ERROR", description, source: "business", reason, field });
}

export function errorOf(
  status: number,
  error: {
    readonly code: string;
    readonly description: string;
    readonly source: string;
    readonly reason: string | null;
    readonly field?: string | undefined;
  },
): Answer {
  const { field, ...said } = error;
  return { status, body: { error: { ...said, step: null, metadata: {}, ...(field === undefined ? {} : { field }) } } };
}

export function notAnId(id: string): Answer {
  return badRequest(`${id} is not a valid id.`, { field: "id" });
}

export const NO_SUCH_ID = "The id provided does not exist";

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export function collectionOf(items: readonly object[]): Answer {
  return ok({ entity: "collection", count: items.length, items });
}

const COUNT = 10;
const MOST = 100;

/** Which page of a list is asked for, and of what time; or what is wrong with that. */
export function readPage(
  query: Fields,
): { readonly skip: number; readonly count: number; readonly fromMs: number; readonly toMs: number } | Answer {
  const given = ["count", "skip", "from", "to"].map((name) => [name, textOf(query, name)] as const);
  const wrong = given.find(([, text]) => text !== "" && !/^[0-9]{1,12}$/.test(text));
  if (wrong) return badRequest(`The ${wrong[0]} must be an integer`, { field: wrong[0] });
  const [count, skip, from, to] = given.map(([, text]) => (text === "" ? null : Number(text)));
  if ((count ?? COUNT) > MOST) return badRequest("The count may not be greater than 100", { field: "count" });
  return {
    count: count ?? COUNT,
    skip: skip ?? 0,
    fromMs: (from ?? 0) * 1000,
    toMs: (to ?? 4_000_000_000) * 1000 + 999,
  };
}

/** Those of a list, the newest first, that a page has. */
export function pageOf<T>(
  items: readonly T[],
  { skip, count, fromMs, toMs }: Exclude<ReturnType<typeof readPage>, Answer>,
  madeMs: (item: T) => number,
): T[] {
  const inTime = items.filter((item) => madeMs(item) >= fromMs && madeMs(item) <= toMs);
  return inTime.slice(skip, skip + count);
}

export function secondsOf(ms: bigint | number): bigint {
  return BigInt(ms) / 1000n;
}

/** Ids are a prefix and fourteen letters and digits. */
export function idOf(prefix: string, number: bigint): string {
  return `${prefix}_${number.toString(36).toUpperCase().padStart(14, "0")}`;
}
