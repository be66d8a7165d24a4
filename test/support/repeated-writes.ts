// Repeats each write route of /api/v4 once with the same Idempotency-Key: docs/api.md#idempotency-key
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { routeOf } from "./dashboard-contract.ts";
import type { Answer } from "./nodal.ts";

/** They change nothing, and store no key. */
const READS =
  /\/(preview|dates|check|try|sample|download|jobs|files|address-questions|account-questions)(\/|$)|^POST \/(invoices\/pdfs|payout-accounts\/:account_id\/test)/;

/** The routes already repeated in this process. */
const seen = new Set<string>();

/** A write of a route that has not been repeated yet: its route, and the key to send it under. */
export type FirstWrite = { readonly route: string; readonly key: string };

/** `null` if it is not a write, or was repeated before. */
export function firstWriteOf(method: string, path: string, ownKey: string | undefined): FirstWrite | null {
  if (method === "GET" || !process.env["VITEST"]) return null;
  const route = routeOf(method, path);
  return route === null || READS.test(route) || seen.has(route) ? null : { route, key: ownKey ?? randomUUID() };
}

/** The errors of the answer to a repeated write, after the first one succeeded. */
export async function findRepeatFaults(
  { route }: FirstWrite,
  first: Answer,
  repeat: () => Promise<Answer>,
): Promise<string[]> {
  if (first.status !== 200 || first.headers.has("idempotent-replayed")) return [];
  seen.add(route);
  const again = await repeat();
  const mark = again.headers.get("idempotent-replayed");
  if (again.status !== 200 || mark !== "true")
    return [
      `${route} repeated under its key answers ${again.status}, replayed: ${mark}: ${JSON.stringify(again.body)}`,
    ];
  const differing = findDiffering(first.body, again.body);
  return differing.map((place) => `${route} repeated under its key has another ${place}`);
}

/** The differences of a repeated answer, except for `replayed`: secrets and account numbers are not stored, and are empty then. */
function findDiffering(first: unknown, again: unknown, place = "answer"): string[] {
  if (again === "" || place === "answer.replayed" || isDeepStrictEqual(first, again)) return [];
  if (typeof first !== "object" || typeof again !== "object" || first === null || again === null) return [place];
  const names = new Set([...Object.keys(first), ...Object.keys(again)]);
  const [one, other] = [first as Record<string, unknown>, again as Record<string, unknown>];
  return [...names].flatMap((name) => findDiffering(one[name], other[name], `${place}.${name}`));
}
