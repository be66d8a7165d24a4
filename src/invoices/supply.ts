// How GST is charged between the parties of an invoice, and the place of supply. No database.
// docs/rules/invoicing.md#place-of-supply says how the parties' states are found; platform/indian-states.ts parses them.
import type { GstCategory } from "../customers/index.ts";
import type { FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { nearestStates, readState, stateOfGstin, type State } from "../platform/indian-states.ts";
import type { Supply } from "./gst-row.ts";

/** Kinds of supply with special tax treatment. docs/rules/invoicing.md#kinds-of-supply */
export const SUPPLY_TYPES = [
  "sez_with_tax",
  "sez_without_tax",
  "export_with_tax",
  "export_without_tax",
  "deemed_export",
] as const;
export type SupplyType = (typeof SUPPLY_TYPES)[number];
/** In requests: `auto`, the default, derives the kind from the customer. */
export const SENT_SUPPLY_TYPES = ["auto", "regular", ...SUPPLY_TYPES] as const;
export type SentSupplyType = (typeof SENT_SUPPLY_TYPES)[number];

type Located = { readonly gstin: string; readonly state: string };

export type PlacedSupply = {
  readonly supply: Supply;
  readonly placeOfSupply: State | null;
  /** Left out for a regular supply. */
  readonly supplyType?: SupplyType;
  /** The letter of undertaking under which no tax is charged; else left out. */
  readonly lutNumber?: string;
};

/** The customer's values that decide the kind of supply. */
export type Buyer = { readonly gstCategory: GstCategory | ""; readonly country: string };

/** The letter of undertaking, under which exports and supplies to an SEZ are made without tax. Source: CGST Rules, rule 96A. */
export type Lut = { readonly lutNumber: string; readonly lutFrom: string; readonly lutTo: string };

/** The merchant's values for an invoice's supply. */
export type SaidSupply = {
  readonly type: SentSupplyType;
  /** `null` to derive it from the recipient. */
  readonly place: State | null;
  readonly reverseCharge: boolean;
};

/** The shipping bill of an export of goods. Texts that are not given are empty. */
export type Shipping = { readonly billNo: string; readonly billDate: string; readonly portCode: string };

/** The values of a request; `undefined` ones were not sent. */
export type SentSupply = {
  readonly type?: SentSupplyType | undefined;
  readonly place?: State | null | undefined;
  readonly reverseCharge?: boolean | undefined;
  readonly deliveryAddress?: string | undefined;
  readonly shipping?: Shipping | null | undefined;
  readonly ecommerceGstin?: string | undefined;
};

export type SupplyParties = {
  readonly supplier: Located;
  readonly recipient: Located;
  /** The name of the recipient in messages. */
  readonly customerCode: string;
  /** Whether the request creates the customer. */
  readonly isNewCustomer?: boolean;
  /** Whether the supplier charges GST. */
  readonly isTaxed: boolean;
  readonly buyer?: Buyer;
  readonly said?: SaidSupply;
  readonly lut?: Lut;
  readonly billDate?: Temporal.PlainDate;
};

const NO_BUYER: Buyer = { gstCategory: "", country: "" };
const NOTHING_SAID: SaidSupply = { type: "auto", place: null, reverseCharge: false };
const ABROAD_CODE = "96";

/** Codes for other countries, and for the Centre's own registrations, which count as such: never the supplier's own state. */
const ABROAD: ReadonlySet<string> = new Set([ABROAD_CODE, "99"]);
/** Union territories without a legislature, and Other Territory: UTGST takes the place of SGST. */
const UNION_TERRITORIES: ReadonlySet<string> = new Set(["04", "26", "31", "35", "38", "97"]);

/** The state of a party: its GSTIN's, else its address's; `null` if neither has one. */
export function stateOf({ gstin, state }: Located): State | null {
  return stateOfGstin(gstin) ?? readState(state);
}

/** Whether a state is another country. */
export function isAbroad(state: State | null): boolean {
  return state?.code === ABROAD_CODE;
}

/** How GST is charged within one state, or between two. */
function supplyBetween(from: State, to: State): Supply {
  if (from.code !== to.code || ABROAD.has(to.code)) return "inter_state";
  return UNION_TERRITORIES.has(to.code) ? "intra_union_territory" : "intra_state";
}

/** Whether a letter of undertaking is valid on a day. */
function hasLut({ lutNumber, lutFrom, lutTo }: Lut, day: Temporal.PlainDate): boolean {
  const text = day.toString();
  return lutNumber !== "" && (lutFrom === "" || lutFrom <= text) && (lutTo === "" || text <= lutTo);
}

/**
 * How GST is charged, the kind of supply, and its place: as requested, else the recipient's state, or the supplier's if the
 * recipient has none. SEZ and export are always inter-state (IGST Act, section 7(5)). Adds errors to `errors` under `path` (such as
 * `invoice[0]`), also for a state that can't be read, unless no tax is charged. Such a state was saved before states were checked.
 */
export function supplyOf(parties: SupplyParties, path: string, errors: FieldError[]): PlacedSupply {
  const { supplier, recipient, customerCode, isTaxed, said = NOTHING_SAID } = parties;
  const from = stateOf(supplier);
  const isSaid = recipient.gstin !== "" || recipient.state !== "";
  const to = said.place ?? (isSaid ? stateOf(recipient) : from);
  if (!isTaxed) {
    refuseUntaxed(said, path, errors);
    return { supply: "untaxed", placeOfSupply: to };
  }
  const supplyType = typeOf(parties);
  checkType(parties, supplyType, path, errors);
  if (from === null) {
    const problem =
      `can't be taxed: the supplier's state, “${supplier.state}”, is not recognised, and its GSTIN has none. ` +
      "Correct them in the merchant's profile, or in the template if it has its own.";
    fail(errors, `${path}.particular_rows`, "invalid", problem);
  }
  const lutNumber = parties.lut?.lutNumber ?? "";
  if (isExport(supplyType)) {
    return { ...chargedAs(supplyType, lutNumber), placeOfSupply: said.place ?? readState(ABROAD_CODE) };
  }
  if (isSaid && to === null) {
    fail(errors, `${path}.customer_code`, "invalid", `can't be billed: ${problemOf(recipient, customerCode)}`);
  }
  if (from === null || to === null) return { supply: "untaxed", placeOfSupply: null };
  if (supplyType === null) {
    // Supplies to an SEZ unit are inter-state, of whichever kind the merchant names: IGST Act, section 7(5)(b).
    const isToSez = parties.buyer?.gstCategory === "sez";
    return { supply: isToSez ? "inter_state" : supplyBetween(from, to), placeOfSupply: to };
  }
  const charged = chargedAs(supplyType, lutNumber);
  return {
    ...charged,
    supply: supplyType === "deemed_export" ? supplyBetween(from, to) : charged.supply,
    placeOfSupply: to,
  };
}

function isExport(type: SupplyType | null): type is "export_with_tax" | "export_without_tax" {
  return type === "export_with_tax" || type === "export_without_tax";
}

function chargedAs(supplyType: SupplyType, lutNumber: string): Omit<PlacedSupply, "placeOfSupply"> {
  const isWithoutTax = supplyType.endsWith("_without_tax");
  return isWithoutTax ? { supply: "zero_rated", supplyType, lutNumber } : { supply: "inter_state", supplyType };
}

/** The kind of supply: as requested, or derived from the customer; `null` for a regular one. */
function typeOf({ said = NOTHING_SAID, buyer = NO_BUYER, lut, billDate }: SupplyParties): SupplyType | null {
  if (said.type === "regular") return null;
  if (said.type !== "auto") return said.type;
  const isWithoutTax = lut !== undefined && billDate !== undefined && hasLut(lut, billDate);
  if (buyer.gstCategory === "sez") return isWithoutTax ? "sez_without_tax" : "sez_with_tax";
  if (buyer.gstCategory === "overseas") return isWithoutTax ? "export_without_tax" : "export_with_tax";
  return buyer.gstCategory === "deemed_export" ? "deemed_export" : null;
}

/** The kinds that returns report by the recipient's GSTIN, and the name of that recipient. */
const NEED_GSTIN: Partial<Readonly<Record<SupplyType, string>>> = {
  sez_with_tax: "the GSTIN of its SEZ unit",
  sez_without_tax: "the GSTIN of its SEZ unit",
  deemed_export: "its GSTIN",
};

/** Whether a customer's country is set, and is not India. */
function isForeign(country: string): boolean {
  return !/^(?:|in|ind|india|bharat|भारत)$/i.test(country.trim());
}

/** Whether nothing shows that the recipient is abroad. */
function isInIndia({ recipient, buyer = NO_BUYER }: SupplyParties): boolean {
  return !isForeign(buyer.country) && buyer.gstCategory !== "overseas" && !ABROAD.has(stateOf(recipient)?.code ?? "");
}

/** Adds an error for each value that a kind of supply needs and lacks. */
function checkType(parties: SupplyParties, type: SupplyType | null, path: string, errors: FieldError[]): void {
  const {
    recipient,
    customerCode,
    isNewCustomer = false,
    buyer = NO_BUYER,
    said = NOTHING_SAID,
    lut,
    billDate,
  } = parties;
  const lacksCountry = isNewCustomer
    ? "and new_customer has no country abroad"
    : `and the customer ${customerCode} has no country abroad`;
  const addCountry = isNewCustomer ? "send new_customer.country" : "save its country first";
  const refuse = (field: string, problem: string): void => {
    fail(errors, `${path}.${field}`, "not_allowed", problem);
  };
  if (!isExport(type) && isAbroad(said.place) && isInIndia(parties)) {
    const problem = `is 96 (Other country), ${lacksCountry}: leave it out, or ${addCountry}.`;
    refuse("place_of_supply", problem);
  }
  if (said.type === "regular" && isAbroad(said.place ?? stateOf(recipient)) && !isInIndia(parties)) {
    const problem =
      `is regular, and the place of supply is 96 (Other country): send export_with_tax or export_without_tax, or ` +
      `the state as place_of_supply for a supply within India.`;
    refuse("supply_type", problem);
  }
  if (type === null) return;
  const needsGstin = NEED_GSTIN[type];
  if (needsGstin !== undefined && recipient.gstin === "") {
    const problem = isNewCustomer
      ? `is ${type}, and new_customer has no GSTIN: send ${needsGstin} in new_customer.custom_fields.`
      : `is ${type}, and the customer ${customerCode} has no GSTIN: save ${needsGstin} first.`;
    refuse("supply_type", problem);
  }
  if (isExport(type)) {
    if (!isForeign(buyer.country)) {
      const problem = `is ${type}, ${lacksCountry}: ${addCountry}, or send supply_type "regular".`;
      refuse("supply_type", problem);
    }
    if (said.place !== null && !isAbroad(said.place)) {
      refuse("place_of_supply", "of an export is 96 (Other country): leave it out.");
    }
    if (said.reverseCharge) refuse("reverse_charge", "can't be 1 on an export: leave it out.");
  }
  if (!type.endsWith("_without_tax") || lut === undefined || billDate === undefined || hasLut(lut, billDate)) return;
  const problem =
    `is ${type}, and no letter of undertaking (LUT) is valid on ${billDate.toString()}: enter lut_number, lut_from and lut_to ` +
    `in the company's settings, or send ${type.replace("without", "with")}.`;
  refuse("supply_type", problem);
}

/** Adds errors for values that only a supplier with a GSTIN can set. */
function refuseUntaxed({ type, reverseCharge }: SaidSupply, path: string, errors: FieldError[]): void {
  const problem = "needs a GSTIN of the supplier: enter it in the company's settings, or leave this out.";
  if (type !== "auto" && type !== "regular") fail(errors, `${path}.supply_type`, "not_allowed", problem);
  if (reverseCharge) fail(errors, `${path}.reverse_charge`, "not_allowed", problem);
}

function problemOf({ gstin, state }: Located, customerCode: string): string {
  const nearest = nearestStates(state);
  const advice = nearest.length > 0 ? ` (the nearest: ${nearest.join(", ")})` : "";
  const besides = gstin === "" ? "" : `, and its GSTIN ${gstin} has none`;
  return (
    `the state “${state}” of the customer ${customerCode} is not recognised${besides}. ` +
    `Update the customer with a state of India${advice}, or with "Other country" for an address abroad.`
  );
}
