// The public address of an invoice: anybody with the link can see it. It contains the merchant's key, and an unguessable token.
import type { Invoice, InvoiceKey, Linked } from "../invoices/index.ts";
import { isSame } from "../platform/bytes.ts";

/** The canonical spelling: numbers without leading zeros, and a valid last character of 16 bytes in base64url. */
const NAME = /^(0|[1-9][0-9]{0,2})-([1-9][0-9]{0,15})-([1-9][0-9]{0,15})-([A-Za-z0-9_-]{21}[AQgw])$/;

/**
 * Writes the addresses of invoices (docs/rules/invoicing.md#public-page), and of other links in messages, below this server's
 * public address.
 */
export class PublicLinks {
  readonly #publicUrl: () => string;

  /** @param publicUrl read each time: the port may be known only once the server listens */
  constructor(publicUrl: () => string) {
    this.#publicUrl = publicUrl;
  }

  /** The page that the customer opens. */
  shortUrl({ bucket, merchantId, invoiceId, publicToken }: Linked): string {
    return `${this.#publicUrl().replace(/\/$/, "")}/i/${bucket}-${merchantId}-${invoiceId}-${publicToken}`;
  }

  /** A page of the dashboard, by its path: `/approvals`. It needs a sign-in. */
  dashboardUrl(path: string): string {
    return `${this.#publicUrl().replace(/\/$/, "")}${path}`;
  }

  /** The invoice as a PDF. */
  pdfUrl(invoice: Linked): string {
    return `${this.shortUrl(invoice)}/pdf`;
  }
}

/** Reads the part of the address that names an invoice; `null` if it is invalid. */
export function parsePublicName(name: string): (InvoiceKey & { readonly token: string }) | null {
  const match = NAME.exec(name);
  if (!match) return null;
  return {
    bucket: Number(match[1]),
    merchantId: BigInt(match[2]!),
    invoiceId: BigInt(match[3]!),
    token: match[4]!,
  };
}

/** Whether the token is the invoice's, compared in constant time. */
export function opensInvoice(invoice: Invoice, token: string): boolean {
  return isSame(Buffer.from(invoice.publicToken), Buffer.from(token));
}
