// The stored form of an invoice's printed content: JSON.
import { asDigits, asJson, asList, asRecord, asText } from "../platform/json-codec.ts";
import type { Json } from "../platform/json.ts";
import { DOCUMENT_KINDS, isRegistered, type DocumentKind } from "./document-kind.ts";
import type { CustomField, InvoiceContent, OriginalInvoice } from "./invoice.ts";
import { storedLine } from "./lines/line-forms.ts";
import type { Tax } from "./totals.ts";

const storedTax = asRecord<Tax>({
  name: asText(),
  percentThousandths: asDigits(),
  applicableOnPaise: asDigits(),
  amountPaise: asDigits(),
});

const storedContent = asRecord<InvoiceContent>(
  {
    kind: asJson(),
    original: asRecord<OriginalInvoice>({ invoiceId: asDigits(), number: asText(), date: asText() }),
    headerFields: asList(asJson<CustomField>()),
    rows: asList(storedLine),
    taxes: asList(storedTax),
    ownTaxes: asJson(),
    supply: asJson(),
    placeOfSupply: asJson(),
    supplyType: asJson(),
    saidSupply: asJson(),
    reverseCharge: asJson(),
    buyer: asJson(),
    lutNumber: asJson(),
    deliveryAddress: asJson(),
    shipping: asJson(),
    ecommerceGstin: asJson(),
    roundsTotal: asJson(),
    roundOffPaise: asDigits(),
    supplier: asJson(),
    recipient: asJson(),
  },
  [
    "original",
    "supplyType",
    "saidSupply",
    "reverseCharge",
    "buyer",
    "lutNumber",
    "deliveryAddress",
    "shipping",
    "ecommerceGstin",
    "roundsTotal",
    "roundOffPaise",
  ],
);

/** An invoice's content as JSON text. */
export function contentToJson(content: InvoiceContent): string {
  return JSON.stringify(storedContent.write(content));
}

/**
 * Parses the output of `contentToJson`, already decoded by the driver. Content saved before it had a kind is of `kind`, or of the
 * kind of its supplier's invoices.
 * @throws Error for anything else
 */
export function contentFromJson(json: unknown, kind?: DocumentKind): InvoiceContent {
  const content = storedContent.read(json as Json);
  return DOCUMENT_KINDS[content.kind]
    ? content
    : { ...content, kind: kind ?? (isRegistered(content) ? "tax_invoice" : "invoice") };
}
