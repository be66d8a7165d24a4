// Members of a request that Nodal does not know. They are ignored (docs/rules/values-and-errors.md#warnings), but one that looks as if it should change
// money or tax, or like a misspelt member, gets a warning.
import { closestMatch } from "leven";
import { divideRounded, parsePaise, parseThousandths } from "../money.ts";
import type { HttpServer } from "./http-server.ts";
import { isField } from "./field.ts";
import { warningsSchema, type Warning } from "./warning.ts";

/** As much of a schema as is walked. */
type Shape = { readonly properties?: Readonly<Record<string, Shape>>; readonly items?: Shape };

/** Words of names that are about money or tax: `reverse_charge`, `unitPrice` and `discount_percentage` have some. */
const WORDS: ReadonlySet<string> = new Set(
  (
    "adjustment advance amount amounts cess cgst charge charges commission cost currency deduction discount due dues duty exclusive exempt export fee fees freight " +
    "gst gstin gsttreatment hsn igst inclusive interest lut mrp paise payable percent percentage place pos price qty quantity rate rebate reverse round " +
    "rounding roundoff rounded rupees sac sgst shipping subtotal supply surcharge tax taxable taxes tcs tds tip total treatment unit uom uqc utgst " +
    "vat waive writeoff sez"
  ).split(" "),
);
/** Other names for members that change money or tax, in small letters, with the names that they have here. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ["hsn hsncode hsnsac hsnsaccode hsnorsac sac", "sac_code"],
    ["amount lineamount linetotal price rowamount rowtotal total unitprice value", "total_amount"],
    ["base taxableamount taxablevalue taxbase", "applicable_on total_amount"],
    ["gst gstpercent gstpercentage gstrate igst igstrate rate tax taxpercent taxpercentage taxrate", "percentage gst"],
    ["gsts taxes taxitems taxlines", "tax_rows"],
    ["invoiceitems items lineitems lines products rows", "particular_rows"],
    ["billdate date invoicedate issuedate", "bill_date"],
    ["client clientcode clientid customer customercode customerid customername", "customer_code"],
    ["billingcountry country countrycode customercountry", "state"],
    ["documentnumber invoiceno invoicenumber number", "custom_header_fields"],
    ["billingstate customerstate placeofsupply pos statecode statename supplystate", "state"],
    ["customergstin gstin gstnumber gstno taxid", "gst_number custom_fields"],
    ["arrears balance duesbefore openingbalance previousbalance", "previous_dues"],
  ].flatMap(([names, targets]) => names!.split(" ").map((name) => [name, targets!.split(" ")] as const)),
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
  if (!known || isOwnTax(known, value)) return;
  for (const [name, member] of Object.entries(value)) {
    const field = path === "" ? name : `${path}.${name}`;
    if (Object.hasOwn(known, name)) walk(known[name]!, member, field, found);
    else if (!found.has(name) && found.size < MAX_WARNINGS && !isEmpty(member)) {
      const warning = warningOf({ name, field, isEmptyList: Array.isArray(member) && member.length === 0 }, known);
      if (warning) found.set(name, warning);
    }
  }
}

/** Asks for nothing. An empty list may be a misspelt one that would take something away. */
function isEmpty(value: unknown): boolean {
  return value === null || value === "" || value === false;
}

/** A tax row as `invoice/detail` answers with it: its amount says what percentage and base come to. */
function isOwnTax(known: Readonly<Record<string, Shape>>, value: object): boolean {
  if (!Object.hasOwn(known, "applicable_on")) return false;
  const { percentage, applicable_on: base, amount, ...rest } = value as Readonly<Record<string, unknown>>;
  const [thousandths, basePaise, paise] = [parseThousandths(percentage), parsePaise(base), parsePaise(amount)];
  if (thousandths === null || basePaise === null || paise === null) return false;
  return (
    divideRounded(basePaise * thousandths, 100_000n) === paise &&
    Object.keys(rest).every((name) => Object.hasOwn(known, name))
  );
}

type Unknown = { readonly name: string; readonly field: string; readonly isEmptyList: boolean };

function warningOf({ name, field, isEmptyList }: Unknown, known: Readonly<Record<string, Shape>>): Warning | null {
  const meant = aliasOf(name, known) ?? misspeltOf(name, Object.keys(known));
  if (isEmptyList && misspeltOf(name, Object.keys(known)) === null) return null;
  if (meant === null && !wordsOf(name).some((word) => WORDS.has(word))) return null;
  const hint = meant === null ? "" : ` The nearest known name is ${meant}.`;
  return { code: "unknown_member", field, message: `${name} is not supported here and changed nothing.${hint}` };
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** What a name of other systems is called here: among these members, or in an object below them. */
function aliasOf(name: string, known: Readonly<Record<string, Shape>>): string | null {
  for (const target of ALIASES.get(plain(name)) ?? []) {
    if (Object.hasOwn(known, target)) return target;
    const parent = Object.keys(known).find((each) => Object.hasOwn(known[each]?.properties ?? {}, target));
    if (parent !== undefined) return `${parent}.${target}`;
  }
  return null;
}

/** The known name that a name is a misspelling of, by at most so many letters. */
export function misspeltOf(name: string, known: readonly string[], maxTypos = MAX_TYPOS): string | null {
  if (name.length < SHORTEST_TYPO) return null;
  const nearest = closestMatch(plain(name), known.map(plain), { maxDistance: maxTypos });
  return known.find((each) => plain(each) === nearest) ?? null;
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
