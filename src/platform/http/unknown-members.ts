// Members of a request that Nodal does not know. They are ignored (docs/rules/values-and-errors.md#warnings), but one that looks as if it should change
// money or tax, or like a misspelt member, gets a warning.
import { closestMatch } from "leven";
import type { HttpServer } from "./http-server.ts";
import { isField } from "./field.ts";
import { warningsSchema, type Warning } from "./warning.ts";

/** As much of a schema as is walked. */
type Shape = { readonly properties?: Readonly<Record<string, Shape>>; readonly items?: Shape };

/** Words of names that are about money or tax: `reverse_charge`, `unitPrice` and `discount_percentage` have some. */
const WORDS: ReadonlySet<string> = new Set(
  (
    "adjustment advance amount cess cgst charge charges commission cost currency deduction discount due dues duty exempt export fee fees freight " +
    "gst gstin gsttreatment hsn igst interest lut mrp paise payable percent percentage place pos price qty quantity rate rebate reverse round " +
    "rounding roundoff rounded rupees sac sgst shipping subtotal supply surcharge tax taxable taxes tcs tds tip total treatment unit uom uqc utgst " +
    "vat waive writeoff sez"
  ).split(" "),
);
/** So many edits away a name is a misspelling of a known one. */
const MAX_TYPOS = 2;
/** Shorter names are too close to others by chance. */
const SHORTEST_TYPO = 5;
const MAX_WARNINGS = 20;

/**
 * Warns of each unknown member once, at its first place. A member that is empty asks for nothing. `schema` is that of the body, whose `value`
 * has been parsed, but not decoded.
 */
export function unknownMembers(schema: object, value: unknown): Warning[] {
  const found = new Map<string, Warning>();
  walk(schema, value, "", found);
  return [...found.values()];
}

function walk(shape: Shape, value: unknown, path: string, found: Map<string, Warning>): void {
  if (typeof value !== "object" || value === null || found.size >= MAX_WARNINGS) return;
  if (Array.isArray(value)) {
    if (!shape.items?.properties) return;
    for (const [index, item] of value.entries()) walk(shape.items, item, `${path}[${index}]`, found);
    return;
  }
  const known = shape.properties;
  if (!known) return;
  for (const [name, member] of Object.entries(value)) {
    const field = path === "" ? name : `${path}.${name}`;
    if (Object.hasOwn(known, name)) walk(known[name]!, member, field, found);
    else if (!found.has(name) && found.size < MAX_WARNINGS && !isEmpty(member)) {
      const warning = warningOf(name, field, Object.keys(known));
      if (warning) found.set(name, warning);
    }
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0);
}

function warningOf(name: string, field: string, known: readonly string[]): Warning | null {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const candidates = known.map(plain);
  const nearest = closestMatch(plain(name), candidates);
  const meant = known.find((each) => plain(each) === nearest);
  const isTypo =
    name.length >= SHORTEST_TYPO && closestMatch(plain(name), candidates, { maxDistance: MAX_TYPOS }) !== undefined;
  if (!isTypo && !wordsOf(name).some((word) => WORDS.has(word))) return null;
  const hint = meant === undefined ? "" : ` The nearest known name is ${meant}.`;
  return { code: "unknown_member", field, message: `${name} is not supported here and changed nothing.${hint}` };
}

/** The words of a name in any of the usual forms. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

declare module "fastify" {
  interface FastifyRequest {
    /** Of a body that was read; `undefined` before. */
    unknownMembers: readonly Warning[] | undefined;
  }
}

/** Has every route of this part of the server with a body warn of unknown members, beside its answer. */
export function warnOfUnknownMembers(app: HttpServer): void {
  app.decorateRequest("unknownMembers");
  app.addHook("onRoute", ({ schema }) => {
    const answers = schema?.response as Record<string, Shape & object> | undefined;
    const done = answers?.["200"];
    if (!isField(schema?.body) || !done?.properties) return;
    answers!["200"] = { ...done, properties: { ...done.properties, warnings: warningsSchema } } as Shape & object;
  });
  app.addHook("preValidation", (request, _reply, next) => {
    const body = request.routeOptions.schema?.body;
    request.unknownMembers = isField(body) ? unknownMembers(body, request.body) : [];
    next();
  });
  app.addHook("preSerialization", (request, reply, payload, next) => {
    const { unknownMembers: found } = request;
    if (found === undefined || found.length === 0 || reply.statusCode !== 200) return next(null, payload);
    const { warnings = [], ...rest } = payload as { readonly warnings?: readonly Warning[] };
    next(null, { ...rest, warnings: [...warnings, ...found] });
  });
}
