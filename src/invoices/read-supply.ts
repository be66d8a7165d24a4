// Query: how an invoice that is being written will be taxed. Nothing is created or changed.
import { findCustomersByCode } from "../customers/index.ts";
import { todayOf, type Merchant, type ReadContext } from "../merchants/index.ts";
import { readState, stateOfGstin } from "../platform/indian-states.ts";
import { isRegistered } from "./document-kind.ts";
import { templateNotFound } from "./invoice-references.ts";
import { billedTo, supplierOf } from "./saves/draft.ts";
import { TAXES_OF_SUPPLY } from "./gst-row.ts";
import { supplyOf, type SupplyParties } from "./supply.ts";
import { findTemplate } from "./templates/template-store.ts";

export type SupplyQuestion = {
  /** `null` for the merchant's default template. */
  readonly templateId: bigint | null;
  /** `null` if the following members describe the recipient. */
  readonly customerCode: string | null;
  /** As typed, in either case. */
  readonly gstin: string;
  readonly state: string;
};

export type SupplyAnswer = {
  readonly gstin: string;
  /** The names of the states in the GSTIN and the address; empty if they have none. */
  readonly gstinState: string;
  readonly addressState: string;
  /** Such as CGST and SGST; empty if the merchant charges no tax. `null` if unknown. */
  readonly taxes: readonly string[] | null;
};

/**
 * How GST is charged to a customer, or to a recipient with this GSTIN and state: docs/rules/invoicing.md#place-of-supply.
 * @throws NodalError `template_not_found`
 */
export async function readSupply(
  { pool, merchant }: ReadContext<Merchant>,
  { templateId, customerCode, gstin, state }: SupplyQuestion,
): Promise<SupplyAnswer> {
  const template = await findTemplate(pool, merchant, templateId);
  if (!template && templateId !== null) throw templateNotFound();
  const customers = customerCode === null ? null : await findCustomersByCode(pool, merchant, [customerCode]);
  const customer = customers?.get(customerCode!);
  const typed = { recipient: { gstin: gstin.trim().toUpperCase(), state: state.trim() }, customerCode: "" };
  const billed: Pick<SupplyParties, "recipient" | "customerCode" | "buyer"> = customer ? billedTo(customer) : typed;
  const supplier = supplierOf(merchant, template?.company ?? {});
  const errors: Parameters<typeof supplyOf>[2] = [];
  const isTaxed = isRegistered({ supplier });
  const parties = { supplier, ...billed, isTaxed, lut: merchant, billDate: todayOf(merchant) };
  const { supply } = supplyOf(parties, "invoice", errors);
  const { recipient } = billed;
  return {
    gstin: recipient.gstin,
    gstinState: stateOfGstin(recipient.gstin)?.name ?? "",
    addressState: readState(recipient.state)?.name ?? "",
    taxes: errors.length > 0 ? null : TAXES_OF_SUPPLY[supply],
  };
}
