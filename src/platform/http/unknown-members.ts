// Unknown members of a request. They are ignored (docs/rules/values-and-errors.md#warnings), but names about money or
// tax, and misspellings of known members, get a warning.
import type { FastifyRequest } from "fastify";
import { closestMatch } from "leven";
import { divideRounded, parsePaise, parseThousandths } from "../money.ts";
import type { HttpServer } from "./http-server.ts";
import { isField } from "./field.ts";
import { warningsSchema, type Warning } from "./warning.ts";

/** The used part of a schema. */
type Shape = { readonly properties?: Readonly<Record<string, Shape>>; readonly items?: Shape };

/** Words in names about money or tax, such as `reverse_charge`, `unitPrice` and `discount_percentage`. */
const WORDS: ReadonlySet<string> = new Set(
  (
    "adjustment advance amount amounts cess cgst charge charges commission cost currency deduction discount due dues duty exclusive exempt export fee fees freight " +
    "gst gstin gsttreatment hsn igst inclusive interest lut mrp paise payable percent percentage place pos price qty quantity rate rebate reverse round " +
    "rounding roundoff rounded rupees sac sgst shipping subtotal supply surcharge tax taxable taxes tcs tds tip total treatment unit uom uqc utgst " +
    "vat waive writeoff sez"
  ).split(" "),
);
/** Synonyms of members that change money or tax, in lower case, with our names. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ["hsn hsncode hsnsac hsnsaccode hsnorsac sac", "sac_code"],
    ["amount lineamount linetotal rowamount rowtotal total value", "total_amount"],
    ["itemprice price unitcost unitprice unitrate", "unit_price total_amount"],
    ["count qty units", "quantity"],
    ["measure unitofmeasure uom uqc", "unit"],
    ["discountamount discountpercent discountpercentage rebate", "discount"],
    ["cess cesspercent cessrate", "cess_percentage"],
    ["exempt gsttreatment taxcategory taxtype treatment", "tax_treatment"],
    ["includestax inclusive isinclusive priceincltax taxincluded taxinclusive", "price_includes_tax"],
    ["rounding roundoff roundtotal", "round_off"],
    ["base taxableamount taxablevalue taxbase", "applicable_on total_amount"],
    ["gst gstpercent gstpercentage gstrate igst igstrate rate tax taxpercent taxpercentage taxrate", "percentage gst"],
    ["gsts taxes taxitems taxlines", "tax_rows"],
    ["invoiceitems items lineitems lines products rows", "particular_rows"],
    ["billdate date invoicedate issuedate", "bill_date"],
    ["client clientcode clientid customer customercode customerid customername", "customer_code"],
    ["billingcountry country countrycode customercountry", "country state"],
    ["documentnumber invoiceno invoicenumber number", "custom_header_fields"],
    ["placeofsupply pos supplystate", "place_of_supply state"],
    ["billingstate customerstate statecode statename", "state"],
    ["isreversecharge rcm reversecharge", "reverse_charge"],
    ["invoicetype sez supply supplykind typeofsupply", "supply_type"],
    ["deliverto shippingaddress shipto", "delivery_address"],
    ["customergstin gstin gstnumber gstno taxid", "gst_number custom_fields"],
    ["arrears balance duesbefore openingbalance previousbalance", "previous_dues"],
  ].flatMap(([names, targets]) => names!.split(" ").map((name) => [name, targets!.split(" ")] as const)),
);
/** The largest edit distance of a misspelling. */
const MAX_TYPOS = 2;
/** Shorter names are often similar by chance. */
const SHORTEST_TYPO = 5;
const MAX_WARNINGS = 20;
/** Far longer than any known name. Comparing gets slower with the length. */
const LONGEST_NAME = 100;

/** Which unknown members get a warning: those about money or tax and misspelt ones, or every one. */
type Which = "doubtful" | "every";
type Found = { readonly warnings: Map<string, Warning>; readonly which: Which };

/**
 * Warns about each unknown member once, at its first occurrence. Empty members have no effect, and only get a warning
 * with `every`. `schema` is that of the body, whose `value` was parsed, but not decoded.
 */
export function unknownMembers(schema: object, value: unknown, which: Which = "doubtful"): Warning[] {
  const found: Found = { warnings: new Map(), which };
  walk(schema, value, "", found);
  return [...found.warnings.values()];
}

function walk(shape: Shape, value: unknown, path: string, found: Found): void {
  const { warnings, which } = found;
  if (typeof value !== "object" || value === null || warnings.size >= MAX_WARNINGS) return;
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
    else if (!warnings.has(name) && warnings.size < MAX_WARNINGS) {
      const unknown = { name, field, isEmptyList: Array.isArray(member) && member.length === 0 };
      const warning = which === "every" ? say(unknown, nearest(name, known)) : doubtOf(unknown, member, known);
      if (warning) warnings.set(name, warning);
    }
  }
}

/** Is the value without effect? An empty list is not: it may be a misspelt member that would remove something. */
function isEmpty(value: unknown): boolean {
  return value === null || value === "" || value === false;
}

/** Is this a tax row from an answer of `invoice/detail`? Its amount follows from percentage and base. */
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

function doubtOf(unknown: Unknown, value: unknown, known: Readonly<Record<string, Shape>>): Warning | null {
  const { name, isEmptyList } = unknown;
  if (isEmpty(value)) return null;
  const meant = aliasOf(name, known) ?? misspeltOf(name, Object.keys(known));
  if (isEmptyList && misspeltOf(name, Object.keys(known)) === null) return null;
  if (meant === null && !wordsOf(name).some((word) => WORDS.has(word))) return null;
  return say(unknown, meant);
}

/** The known member that was meant, or that has the most similar name. */
function nearest(name: string, known: Readonly<Record<string, Shape>>): string | null {
  return aliasOf(name, known) ?? nearestName(name, Object.keys(known));
}

/** The name with the fewest letters to change; `null` if there are no names, or for one that is too long to be a misspelling. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > LONGEST_NAME) return null;
  const closest = closestMatch(plain(name), known.map(plain));
  return known.find((each) => plain(each) === closest) ?? null;
}

function say({ name, field }: Unknown, meant: string | null): Warning {
  const hint = meant === null ? "" : ` The nearest known name is ${meant}.`;
  return { code: "unknown_member", field, message: `${name} is not supported here and changed nothing.${hint}` };
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Our name for a synonym: among these members, or in an object below them. */
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
    /** The warnings of a parsed body; `undefined` before. */
    unknownMembers: readonly Warning[] | undefined;
  }
}

/** Makes every route with a JSON body in this part of the server warn about unknown members in its answer. */
export function warnOfUnknownMembers(app: HttpServer, which: Which = "doubtful"): void {
  app.decorateRequest("unknownMembers");
  app.addHook("onRoute", ({ schema }) => {
    const answers = schema?.response as Record<string, Shape & object> | undefined;
    const done = answers?.["200"];
    if (!isField(schema?.body) || !done?.properties) return;
    answers!["200"] = { ...done, properties: { ...done.properties, warnings: warningsSchema } } as Shape & object;
  });
  app.addHook("preValidation", (request, _reply, next) => {
    request.unknownMembers = membersUnknownIn(request, which);
    next();
  });
  app.addHook("preSerialization", (request, reply, payload, next) => {
    const { unknownMembers: found } = request;
    if (found === undefined || found.length === 0 || reply.statusCode !== 200) return next(null, payload);
    const { warnings = [], ...rest } = payload as { readonly warnings?: readonly Warning[] };
    next(null, { ...rest, warnings: [...warnings, ...found] });
  });
}

/** Without a schema of the body there are no known members. Other bodies may be a file. */
function membersUnknownIn({ routeOptions, body }: FastifyRequest, which: Which): Warning[] {
  const schema: unknown = routeOptions.schema?.body;
  if (isField(schema)) return unknownMembers(schema, body, which);
  return which === "every" && !Buffer.isBuffer(body) ? unknownMembers({ properties: {} }, body, which) : [];
}
