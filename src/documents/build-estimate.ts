// Turns an estimate into the customer's document: printed like the invoice that it may become, but without payment details.
import { findCustomers } from "../customers/index.ts";
import type { Estimate } from "../estimates/index.ts";
import { estimateKindOf, findLogo, newInvoice, requireTemplate } from "../invoices/index.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { formatIndianDate } from "../platform/indian-format.ts";
import { buildDocument } from "./build-document.ts";
import type { InvoiceDocument } from "./document.ts";

/** The document of an estimate, in its template's current design. docs/rules/estimates.md#printing */
export async function buildEstimateDocument(
  pool: Pool,
  merchant: Merchant,
  estimate: Estimate,
): Promise<InvoiceDocument> {
  const { templateId, customerId } = estimate;
  const { template, logo, customers } = await inTransaction(pool, async (connection) => ({
    template: await requireTemplate(connection, merchant, templateId),
    logo: await findLogo(connection, merchant, templateId),
    customers: await findCustomers(connection, merchant, [customerId]),
  }));
  const { customerCode } = customers.get(customerId)!;
  const invoice = asInvoice(estimate);
  const today = todayOf(merchant);
  const printed = buildDocument({ invoice, merchant, customerCode, template, logo, refunds: [], publicUrl: "", today });
  return toEstimateDocument(printed, estimate.validUntil);
}

/** The document of an estimate, from that of the invoice that it may become. */
export function toEstimateDocument(printed: InvoiceDocument, validUntil: Temporal.PlainDate): InvoiceDocument {
  return {
    ...printed,
    kind: estimateKindOf(printed.kind),
    cycleName: "",
    headerFields: [{ name: "Valid until", value: formatIndianDate(validUntil) }, ...printed.headerFields],
    duePaise: 0n,
    status: "",
    upi: null,
    bank: null,
  };
}

/** Only for printing. */
function asInvoice({ bucket, merchantId, customerId, templateId, seriesId, content, ...estimate }: Estimate) {
  const { subTotalPaise, taxTotalPaise, amountPaise } = estimate;
  const roundOffPaise = content.roundOffPaise ?? 0n;
  const totals = { subTotalPaise, taxTotalPaise, amountPaise, taxes: content.taxes, roundOffPaise };
  return newInvoice(
    { ...totals, previousDuesPaise: 0n, content },
    {
      bucket,
      merchantId,
      invoiceId: 0n,
      customerId,
      templateId,
      franchiseId: 0n,
      seriesId,
      invoiceNumber: estimate.estimateNumber,
      cycleName: "",
      billDate: estimate.estimateDate,
      dueDate: estimate.estimateDate,
      carriedPaise: 0n,
      publicToken: "",
      createdAt: estimate.createdAt,
    },
  );
}
