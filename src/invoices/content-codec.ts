// How what is printed on an invoice is kept: as JSON.
import { asDigits, asJson, asList, asRecord, asText } from "../platform/json-codec.ts";
import type { Json } from "../platform/json.ts";
import type { CustomField, InvoiceContent } from "./invoice.ts";
import { storedLine } from "./lines/line-forms.ts";
import type { Tax } from "./totals.ts";

const storedTax = asRecord<Tax>({
  name: asText(),
  percentThousandths: asDigits(),
  applicableOnPaise: asDigits(),
  amountPaise: asDigits(),
});

const storedContent = asRecord<InvoiceContent>({
  headerFields: asList(asJson<CustomField>()),
  rows: asList(storedLine),
  taxes: asList(storedTax),
  ownTaxes: asJson(),
  supply: asJson(),
  placeOfSupply: asJson(),
  supplier: asJson(),
  recipient: asJson(),
});

/** An invoice's content as JSON text. */
export function contentToJson(content: InvoiceContent): string {
  return JSON.stringify(storedContent.write(content));
}

/**
 * Reads what `contentToJson` wrote, once the driver has parsed it.
 * @throws Error for anything else
 */
export function contentFromJson(json: unknown): InvoiceContent {
  return storedContent.read(json as Json);
}
