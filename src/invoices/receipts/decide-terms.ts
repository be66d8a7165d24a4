// The GST in an advance, by its customer and purpose. docs/rules/receipts.md#gst-of-advances
import type { Customer } from "../../customers/index.ts";
import type { Merchant } from "../../merchants/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { fieldsRefusal, validationError, type FieldError } from "../../platform/errors.ts";
import { gstRatesOn } from "../../platform/gst.ts";
import type { State } from "../../platform/indian-states.ts";
import { formatThousandths } from "../../platform/money.ts";
import { isRegistered } from "../document-kind.ts";
import { TAXES_OF_SUPPLY } from "../gst-row.ts";
import { requireTemplate } from "../invoice-references.ts";
import { billedTo, supplierOf } from "../saves/draft.ts";
import { supplyOf, type PlacedSupply, type SupplyParties } from "../supply.ts";
import type { AdvanceTerms } from "../advances/advance-gst.ts";

/** A request's values for the GST in an advance. */
export type AskedGst = {
  readonly rateThousandths: bigint;
  readonly description: string;
  /** `null` to derive it from the customer. */
  readonly place: State | null;
};

const FIELD = "advance_gst";

/**
 * The terms of an advance of this customer.
 * @throws NodalError `validation_failed` for an invalid GST rate, a merchant without a GSTIN, a supply without tax, or an unknown
 * state
 */
export async function decideTerms(
  connection: Connection,
  merchant: Merchant,
  customer: Customer,
  { rateThousandths, description, place }: AskedGst,
  date: Temporal.PlainDate,
): Promise<AdvanceTerms> {
  const template = await requireTemplate(connection, merchant, null);
  const supplier = supplierOf(merchant, template.company);
  refuseRate(rateThousandths, date);
  if (!isRegistered({ supplier })) {
    throw refusal("", "needs a GSTIN of the supplier: enter it in the company's settings, or leave advance_gst out.");
  }
  const billed = billedTo(customer);
  const said = { type: "auto", place, reverseCharge: false } as const;
  const { supply, placeOfSupply } = placed({ supplier, ...billed, isTaxed: true, said, lut: merchant, billDate: date });
  if (TAXES_OF_SUPPLY[supply].length === 0) {
    throw refusal("", "can't be taken: supplies to this customer are made without tax. Leave advance_gst out.");
  }
  return {
    rateThousandths,
    supply,
    placeOfSupply: placeOfSupply?.code ?? "",
    content: { supplier, recipient: billed.recipient, description },
  };
}

function refuseRate(rateThousandths: bigint, date: Temporal.PlainDate): void {
  const rates = gstRatesOn(date.toString()).filter((rate) => rate > 0n);
  if (rates.includes(rateThousandths)) return;
  const listed = rates.map(formatThousandths).join(", ");
  throw refusal(".rate", `must be a rate of GST on ${date.toString()}: ${listed}. Send 18 if it is not known yet.`);
}

/** If the customer's state is unknown, the supply is inter-state: CGST Rules, rule 50. */
function placed(parties: SupplyParties): PlacedSupply {
  const { recipient, said } = parties;
  const isUnknown = said?.place === null && recipient.gstin === "" && recipient.state === "";
  const errors: FieldError[] = [];
  const found = supplyOf(parties, FIELD, errors);
  if (errors.length > 0) throw fieldsRefusal("validation_failed", errors.map(named));
  return isUnknown && found.supplyType === undefined ? { supply: "inter_state", placeOfSupply: null } : found;
}

/** Errors of a supply name the members of an invoice: here only the place is a member. */
function named(error: FieldError): FieldError {
  const field = error.field.endsWith(".place_of_supply") ? error.field : FIELD;
  return { ...error, field };
}

function refusal(member: string, problem: string) {
  return validationError([{ field: `${FIELD}${member}`, code: "not_allowed", problem }]);
}
