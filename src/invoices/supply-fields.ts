// The fields of an invoice's supply: docs/rules/invoicing.md#kinds-of-supply. An update keeps missing members, and clears empty
// ones.
import { Type } from "typebox";
import { fail, requiredField, texts, type Field } from "../platform/http/field.ts";
import {
  date,
  flag,
  gstin,
  ifSent,
  object,
  oneOf,
  optional,
  requiredLines,
  text,
  type Decoded,
} from "../platform/http/fields.ts";
import { nearestStates, readState, type State } from "../platform/indian-states.ts";
import type { InvoiceContent } from "./invoice.ts";
import { SENT_SUPPLY_TYPES, type SaidSupply, type SentSupply, type Shipping } from "./supply.ts";

/** A place of supply: the code of a state, or its name in any spelling. */
export function placeOfSupply(): Field<State> {
  const hint = 'the code or name of a state of India, such as "29" or "Karnataka", or 96 for another country';
  const schema = { type: ["string", "number"], maxLength: 100 };
  return requiredField<State>(
    schema,
    hint,
    (value, path, errors) => {
      const said = String(value).trim();
      const state = readState(/^[0-9]$/.test(said) ? `0${said}` : said);
      if (state && state.code !== "99") return state;
      const nearest = nearestStates(said);
      const advice = nearest.length > 0 ? ` The nearest: ${nearest.join(", ")}.` : "";
      fail(errors, path, "not_allowed", `must be ${hint}.${advice}`);
      return { code: "", name: "" };
    },
    { encode: ({ code }) => code },
  );
}

const shipping = object({
  bill_no: optional(text({ hint: "3 to 7 digits", maxLength: 7, pattern: /^[0-9]{3,7}$/, takesNumber: true })),
  bill_date: optional(date()),
  port_code: optional(
    text({
      hint: "a port code of 6 letters and digits, such as INMAA1",
      maxLength: 6,
      pattern: /^[A-Za-z0-9]{6}$/,
      foldCase: true,
    }),
  ),
});

/** The members of an invoice object. */
export const supplyFields = {
  supply_type: ifSent(optional(oneOf(SENT_SUPPLY_TYPES))),
  place_of_supply: ifSent(optional(placeOfSupply())),
  reverse_charge: ifSent(optional(flag())),
  delivery_address: ifSent(optional(requiredLines(500))),
  shipping: ifSent(optional(shipping)),
  ecommerce_gstin: ifSent(optional(gstin())),
};

type WireSupply = { readonly [Name in keyof typeof supplyFields]?: Decoded<(typeof supplyFields)[Name]> };

/** Reads the members of a request. */
export function toSentSupply(wire: WireSupply): SentSupply {
  const { supply_type: type, place_of_supply: place, reverse_charge: reverse } = wire;
  const { delivery_address: address, shipping: sent, ecommerce_gstin: operator } = wire;
  return {
    type: type === null ? "auto" : type,
    place,
    reverseCharge: reverse === null ? false : reverse,
    deliveryAddress: address === null ? "" : address,
    shipping: sent ? toShipping(sent) : sent,
    ecommerceGstin: operator === null ? "" : operator,
  };
}

function toShipping(sent: Decoded<typeof shipping>): Shipping | null {
  const read = {
    billNo: sent.bill_no ?? "",
    billDate: sent.bill_date?.toString() ?? "",
    portCode: sent.port_code ?? "",
  };
  return Object.values(read).some((each) => each !== "") ? read : null;
}

/** Whether a request has a value that affects the tax. */
export function decidesSupply({ type, place, reverseCharge }: SentSupply): boolean {
  return type !== undefined || place !== undefined || reverseCharge !== undefined;
}

/** Kind and place from the request, else from the saved invoice. */
export function saidSupplyOf(sent: SentSupply, saved: InvoiceContent | null): SaidSupply {
  return {
    type: sent.type ?? saved?.saidSupply?.type ?? "auto",
    place: sent.place === undefined ? (saved?.saidSupply?.place ?? null) : sent.place,
    reverseCharge: sent.reverseCharge ?? saved?.reverseCharge ?? false,
  };
}

type Particulars = Pick<InvoiceContent, "deliveryAddress" | "shipping" | "ecommerceGstin">;

/** Other printed values of the supply: from the request, else from the saved invoice. */
export function particularsOf(sent: SentSupply, saved: InvoiceContent | null): Particulars {
  const deliveryAddress = sent.deliveryAddress ?? saved?.deliveryAddress ?? "";
  const ecommerceGstin = sent.ecommerceGstin ?? saved?.ecommerceGstin ?? "";
  const bill = sent.shipping === undefined ? (saved?.shipping ?? null) : sent.shipping;
  return {
    ...(deliveryAddress === "" ? {} : { deliveryAddress }),
    ...(bill === null ? {} : { shipping: bill }),
    ...(ecommerceGstin === "" ? {} : { ecommerceGstin }),
  };
}

/** The members of an answer, left out if the invoice doesn't have them. */
export const supplySchema = {
  supply_type: Type.Optional(Type.String()),
  place_of_supply: Type.Optional(Type.String()),
  reverse_charge: Type.Optional(Type.String()),
  delivery_address: Type.Optional(Type.String()),
  shipping: Type.Optional(Type.Object(texts("bill_no", "bill_date", "port_code"))),
  ecommerce_gstin: Type.Optional(Type.String()),
};

/** The supply in an answer: the kind that applies, and the rest as sent. */
export function describeSupply(content: InvoiceContent) {
  const { supplyType, saidSupply, reverseCharge = false, deliveryAddress, shipping: bill, ecommerceGstin } = content;
  const place = saidSupply?.place ?? null;
  const type = supplyType ?? (saidSupply?.type === "regular" ? "regular" : undefined);
  return {
    ...(type === undefined ? {} : { supply_type: type }),
    ...(place === null ? {} : { place_of_supply: place.code }),
    ...(reverseCharge ? { reverse_charge: "1" } : {}),
    ...(deliveryAddress === undefined ? {} : { delivery_address: deliveryAddress }),
    ...(bill === undefined
      ? {}
      : { shipping: { bill_no: bill.billNo, bill_date: bill.billDate, port_code: bill.portCode } }),
    ...(ecommerceGstin === undefined ? {} : { ecommerce_gstin: ecommerceGstin }),
  };
}
