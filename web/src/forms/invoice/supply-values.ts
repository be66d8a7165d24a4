// The supply of an invoice in its form. Members are named as on the wire, so that errors find them.
import type { Answer } from "../../api/contract.ts";

export type SupplyValues = {
  /** Empty where it follows from the customer. */
  supply_type: string;
  /** Two digits. */
  place_of_supply: string;
  reverse_charge: boolean;
  delivery_address: string;
  shipping: { bill_no: string; bill_date: string; port_code: string };
  ecommerce_gstin: string;
};

export const SUPPLY_MEMBERS = [
  "supply_type",
  "place_of_supply",
  "reverse_charge",
  "delivery_address",
  "shipping",
  "ecommerce_gstin",
] as const satisfies readonly (keyof SupplyValues)[];

const NO_SHIPPING = { bill_no: "", bill_date: "", port_code: "" };

/** The supply of an invoice as it is; of none, that nothing is said. */
export function supplyOf(record: Partial<Answer<"GET", "/invoices/:invoice_id">>): SupplyValues {
  return {
    supply_type: record.supply_type ?? "",
    place_of_supply: record.place_of_supply ?? "",
    reverse_charge: record.reverse_charge === "1",
    delivery_address: record.delivery_address ?? "",
    shipping: { ...NO_SHIPPING, ...record.shipping },
    ecommerce_gstin: record.ecommerce_gstin ?? "",
  };
}

/** Whether the form says something about the supply. */
export function hasSupply(values: SupplyValues): boolean {
  return JSON.stringify(wireOf(values)) !== JSON.stringify(wireOf(supplyOf({})));
}

function wireOf(values: SupplyValues) {
  const { shipping } = values;
  return {
    supply_type: values.supply_type,
    place_of_supply: values.place_of_supply,
    reverse_charge: values.reverse_charge ? "1" : "0",
    delivery_address: values.delivery_address,
    shipping: Object.values(shipping).some((text) => text.trim() !== "") ? shipping : null,
    ecommerce_gstin: values.ecommerce_gstin,
  };
}

/**
 * The members of a request: those that differ from what the invoice has (`kept`), or all of them (`isAll`). An empty one clears
 * what was.
 */
export function supplyRequest(
  values: SupplyValues,
  kept: SupplyValues,
  isAll: boolean,
): Partial<ReturnType<typeof wireOf>> {
  const [now, before] = [wireOf(values), wireOf(kept)];
  const sent = SUPPLY_MEMBERS.filter((name) => isAll || JSON.stringify(now[name]) !== JSON.stringify(before[name]));
  return Object.fromEntries(sent.map((name) => [name, now[name]]));
}
