// Place of supply: in which state the parties of an invoice are, and how GST is charged between them:
// docs/rules/invoicing.md#place-of-supply. How a state is read is in platform/indian-states.ts.
import type { MerchantProfile } from "../merchants/index.ts";
import type { FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import { nearestStates, readState, stateOfGstin, type State } from "../platform/indian-states.ts";
import type { PartySnapshot } from "./invoice.ts";
import type { Supply } from "./totals.ts";

type Located = Pick<PartySnapshot, "gstin" | "state">;
export type PlacedSupply = { readonly supply: Supply; readonly placeOfSupply: State | null };

/** Other country, and what the Centre itself has registered, which is abroad too: never the supplier's own state. */
const ABROAD: ReadonlySet<string> = new Set(["96", "99"]);
/** Union territories without a legislature, and Other Territory: UTGST takes the place of SGST. */
const UNION_TERRITORIES: ReadonlySet<string> = new Set(["04", "26", "31", "35", "38", "97"]);

/** The state of a party: its GSTIN's, else that of its address; `null` where neither says one. */
export function stateOf({ gstin, state }: Located): State | null {
  return stateOfGstin(gstin) ?? readState(state);
}

/** How GST is charged within one state, or between two. */
function supplyBetween(from: State, to: State): Supply {
  if (from.code !== to.code || ABROAD.has(to.code)) return "inter_state";
  return UNION_TERRITORIES.has(to.code) ? "intra_union_territory" : "intra_state";
}

/**
 * How GST is charged, and where the supply takes place: in the recipient's state, or in the supplier's where nothing is
 * said of the recipient. A state that can't be read decides nothing: it goes to `errors` under `path` (such as
 * `invoice[0]`), unless the supplier, without a GSTIN, charges no tax. Such a state was saved before states were checked.
 */
export function supplyOf(
  { supplier, recipient, customerCode }: SupplyParties,
  path: string,
  errors: FieldError[],
): PlacedSupply {
  const from = stateOf(supplier);
  const isSaid = recipient.gstin !== "" || recipient.state !== "";
  const to = isSaid ? stateOf(recipient) : from;
  if (supplier.gstin === "") return { supply: "untaxed", placeOfSupply: to };
  if (isSaid && to === null) {
    fail(errors, `${path}.customer_code`, "invalid", `can't be billed: ${problemOf(recipient, customerCode)}`);
  }
  if (from === null) {
    const problem =
      `can't be taxed: the supplier's state, “${supplier.state}”, can't be read, and its GSTIN names none. ` +
      "Correct both in the merchant's profile, or in the template where it has its own.";
    fail(errors, `${path}.particular_rows`, "invalid", problem);
  }
  return from && to
    ? { supply: supplyBetween(from, to), placeOfSupply: to }
    : { supply: "untaxed", placeOfSupply: null };
}

export type SupplyParties = {
  readonly supplier: Located;
  readonly recipient: Located;
  /** What messages call the recipient. */
  readonly customerCode: string;
};

function problemOf({ gstin, state }: Located, customerCode: string): string {
  const nearest = nearestStates(state);
  const advice = nearest.length > 0 ? ` (the nearest: ${nearest.join(", ")})` : "";
  const besides = gstin === "" ? "" : `, and its GSTIN ${gstin} names none`;
  return (
    `the state “${state}” of the customer ${customerCode} can't be read${besides}. ` +
    `Update the customer with a state of India${advice}, or with "Other country" for an address abroad.`
  );
}

export type ProfileWarning = { readonly field: "gstin" | "pan" | "state"; readonly message: string };

/** The warnings of a profile, none where nothing contradicts. */
export function profileWarnings({ gstin, pan, state }: Pick<MerchantProfile, "gstin" | "pan" | "state">) {
  const warnings: ProfileWarning[] = [];
  const ofGstin = stateOfGstin(gstin);
  const ofAddress = readState(state);
  if (gstin !== "" && pan !== "" && gstin.slice(2, 12) !== pan) {
    warnings.push({ field: "pan", message: "This is not the PAN that the GSTIN contains." });
  }
  if (gstin !== "" && ofGstin === null) {
    warnings.push({ field: "gstin", message: `The GSTIN begins with ${gstin.slice(0, 2)}, which is no state's code.` });
  }
  if (ofGstin && ofAddress && ofGstin.code !== ofAddress.code) {
    const message = `The GSTIN is of ${ofGstin.name}, and the address is in ${ofAddress.name}: tax goes by the GSTIN.`;
    warnings.push({ field: "state", message });
  }
  if (gstin === "" && ofAddress === null) {
    const message = "Without a GSTIN or a state of India, invoices can't tell CGST and SGST from IGST.";
    warnings.push({ field: "state", message });
  }
  return warnings;
}
