// Errors between the parts of an invoice.
import type { FieldError } from "../../platform/errors.ts";
import { gstRatesOn } from "../../platform/gst.ts";
import { fail } from "../../platform/http/field.ts";
import { formatPaise, formatThousandths } from "../../platform/money.ts";
import { documentFacts, type DocumentKind } from "../document-kind.ts";
import type { Supply } from "../gst-row.ts";
import type { Row } from "../lines/line.ts";
import type { Shipping, SupplyType } from "../supply.ts";
import type { TaxRow, Totals } from "../totals.ts";

/** Larger totals exceed the API's 13 integer digits. */
const MAX_AMOUNT_PAISE = 999_999_999_999_999n;
const MAX_AMOUNT = formatPaise(MAX_AMOUNT_PAISE);

/** Adds an error for each row whose GST rate does not exist on the bill date. */
export function checkRates(
  { rows, billDate }: { readonly rows: readonly Row[]; readonly billDate: Temporal.PlainDate },
  path: string,
  errors: FieldError[],
): void {
  const rates = gstRatesOn(billDate.toString());
  for (const [place, { gstThousandths }] of rows.entries()) {
    if (rates.includes(gstThousandths)) continue;
    const all = rates.map(formatThousandths).join(", ");
    const problem =
      `must be a rate of GST that exists on ${billDate.toString()}: ${all}. ` +
      "If another rate applies under section 14 of the CGST Act, send it in tax_rows.";
    fail(errors, `${path}.particular_rows[${place}].gst`, "not_allowed", problem);
  }
}

/** Adds an error for a tax-inclusive price if the taxes are sent separately: its taxable value is unknown then. */
export function checkPrices(
  { rows, taxRows }: { readonly rows: readonly Row[]; readonly taxRows: readonly TaxRow[] },
  path: string,
  errors: FieldError[],
): void {
  if (taxRows.length === 0) return;
  for (const [place, { priceIncludesTax }] of rows.entries()) {
    const problem = "can't be 1 with tax_rows: send prices without tax, or leave out tax_rows.";
    if (priceIncludesTax) fail(errors, `${path}.particular_rows[${place}].price_includes_tax`, "not_allowed", problem);
  }
}

/** Adds an error for a total that the API can't express, naming the part that exceeds it. */
export function checkTotal(
  { subTotalPaise, taxTotalPaise, amountPaise }: Totals,
  hasOwnTaxes: boolean,
  path: string,
  errors: FieldError[],
): void {
  if (amountPaise <= MAX_AMOUNT_PAISE) return;
  const taxedPaise = subTotalPaise + taxTotalPaise;
  // Taxes computed from the rows can only be reduced by the rows.
  if ((hasOwnTaxes ? subTotalPaise : taxedPaise) > MAX_AMOUNT_PAISE) {
    const what = hasOwnTaxes ? "come" : "come, with their taxes,";
    fail(errors, `${path}.particular_rows`, "invalid", `${what} to more than ${MAX_AMOUNT}: split the invoice.`);
  } else if (taxedPaise > MAX_AMOUNT_PAISE) {
    fail(errors, `${path}.tax_rows`, "invalid", `bring the total to more than ${MAX_AMOUNT}: send less tax.`);
  } else {
    fail(errors, `${path}.previous_dues`, "invalid", `bring the total to more than ${MAX_AMOUNT}: send less.`);
  }
}

type Supplied = {
  readonly rows: readonly Row[];
  readonly taxRows: readonly TaxRow[];
  readonly particulars?: { readonly shipping?: Shipping; readonly ecommerceGstin?: string };
  readonly supplier: { readonly gstin: string };
  readonly kind: DocumentKind;
  readonly supply: Supply;
  readonly supplyType: SupplyType | null;
  readonly reverseCharge: boolean;
};

/** Adds errors for values that contradict the kind of supply. */
export function checkSupply(
  { kind, supplier, supply, supplyType, reverseCharge, rows, taxRows, particulars }: Supplied,
  path: string,
  errors: FieldError[],
): void {
  const refuse = (field: string, problem: string): void => {
    fail(errors, `${path}.${field}`, "not_allowed", problem);
  };
  if (reverseCharge && !documentFacts(kind).isTaxed) {
    refuse("reverse_charge", "can't be 1 where none of the rows is taxable: leave it out.");
  }
  if (reverseCharge && documentFacts(kind).isTaxed && !rows.some(({ gstThousandths }) => gstThousandths > 0n)) {
    refuse(
      "reverse_charge",
      "can't be 1 where every row has a rate of 0: send the rates in the rows' gst, or leave it out.",
    );
  }
  if (reverseCharge && taxRows.length > 0) {
    refuse("reverse_charge", "can't be 1 with tax_rows: the recipient pays the tax. Send the rates in the rows' gst.");
  }
  if (supply === "zero_rated" && taxRows.length > 0) {
    refuse("tax_rows", "can't be sent for a supply without tax: leave them out, or send supply_type with tax.");
  }
  checkOperator(particulars?.ecommerceGstin ?? "", supplier.gstin, refuse);
  if (particulars?.shipping && supplyType !== "export_with_tax" && supplyType !== "export_without_tax") {
    refuse("shipping", "is for exports: leave it out, or send an export as supply_type.");
  }
}

/** Refuses an impossible GSTIN of a platform: the supplier's own, and a tax deductor's. */
function checkOperator(operator: string, own: string, refuse: (field: string, problem: string) => void): void {
  if (operator === "") return;
  if (operator === own.toUpperCase()) {
    refuse("ecommerce_gstin", "is the supplier's own GSTIN: send that of the platform's operator, or leave it out.");
  } else if (operator[13] === "D") {
    refuse(
      "ecommerce_gstin",
      "is the registration of a buyer that deducts tax (TDS): send the GSTIN of the platform's operator.",
    );
  }
}
