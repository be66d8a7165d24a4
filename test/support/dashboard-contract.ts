// Compares the answers of /api/v4 and /api/session that tests receive with the schemas of the OpenAPI document, which are generated
// from the handlers' declared types.
import answers from "../../src/api-reference/answers.json" with { type: "json" };
import { findMismatches } from "./answer-types.ts";

type Declared = { readonly method: string; readonly url: string; readonly schema: object };

const DECLARED: readonly Declared[] = Object.entries(answers).map(([route, schema]) => {
  const [method = "", url = ""] = route.split(" ");
  return { method, url, schema };
});
/** Operators name a merchant. */
const OF_MERCHANT = /^(\/session)?\/merchants\/\d+(?=\/)/;

/**
 * The differences between a route's answer and its schema: extra members, missing ones, or ones of another type. Nothing for a
 * refusal, a file, and other APIs.
 */
export function findBrokenPromises(method: string, path: string, status: number, body: unknown): string[] {
  // Benchmarks time the answers: no comparison meanwhile.
  if (!process.env["VITEST"]) return [];
  if (status !== 200 || typeof body !== "object" || body === null) return [];
  const { pathname } = new URL(path, "http://localhost");
  const url = /^\/api(?:\/v4)?(?=\/)(.*)$/.exec(pathname)?.[1];
  if (url === undefined || (!pathname.startsWith("/api/v4/") && !`${url}/`.startsWith("/session/"))) return [];
  const declared = declaredFor(method, url);
  if (!declared) return [`${method} ${pathname} answers with JSON, and its handler declares none`];
  // Every route may warn of unknown members, even if its handler declares no warnings.
  const [fewest = []] = withoutWarnings(body)
    .map((each) => findMismatches({ ...declared.schema }, each))
    .toSorted((a, b) => a.length - b.length);
  return [...fewest, ...findOldTimes(body)].map((problem) => `${method} ${pathname}: ${problem}`);
}

/** The route of /api/v4 for a request, such as `POST /invoices/:invoice_id/cancel`; `null` for another API. */
export function routeOf(method: string, path: string): string | null {
  const { pathname } = new URL(path, "http://localhost");
  if (!pathname.startsWith("/api/v4/")) return null;
  const declared = declaredFor(method, pathname.slice("/api/v4".length));
  return declared ? `${method} ${declared.url}` : null;
}

function declaredFor(method: string, url: string): Declared | undefined {
  return declaredAt(method, url.replace(OF_MERCHANT, "$1")) ?? declaredAt(method, url);
}

/** The answer as its handler may have made it: with its own warnings, and without any if it has none. */
function withoutWarnings(body: object): object[] {
  const { warnings, ...rest } = body as { readonly warnings?: readonly { readonly code?: string }[] };
  if (!Array.isArray(warnings)) return [body];
  const own = warnings.filter(({ code }: { readonly code?: string }) => code !== "unknown_member");
  return own.length === 0 ? [{ ...rest, warnings: own }, rest] : [{ ...rest, warnings: own }];
}

/** The objects of events are those of webhooks, in the format of /api/v1 to /api/v3. */
const OF_EVENTS = /^answer(\.events\.\d+)?\.data\./;

/** Times that are not in RFC 3339: docs/api.md#values. Texts that people wrote may hold anything. */
function findOldTimes(value: unknown, place = "answer"): string[] {
  if (OF_EVENTS.test(place)) return [];
  if (typeof value === "string")
    return /^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?$/.test(value) ? [`${place} is ${value}`] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => findOldTimes(member, `${place}.${name}`));
}

/** If two match, the more specific one: `/templates/form` and not `/templates/:template_id`. */
function declaredAt(method: string, path: string): Declared | undefined {
  const fitting = DECLARED.filter((each) => each.method === method && fits(each.url, path));
  const parameters = ({ url }: Declared): number => url.split(":").length;
  return fitting.toSorted((a, b) => parameters(a) - parameters(b))[0];
}

function fits(url: string, path: string): boolean {
  const [wanted, given] = [url.split("/"), path.split("/")];
  return wanted.length === given.length && wanted.every((part, place) => part.startsWith(":") || part === given[place]);
}
