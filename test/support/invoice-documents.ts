// Invoices for the tests of what the customer sees. Imported only by tests.
import type { InvoiceDocument } from "../../src/documents/document.ts";
import type { Row } from "../../src/invoices/index.ts";

/** Text with special characters of Typst, HTML, URLs and JSON, which must be printed unchanged. */
export const HOSTILE_TEXT = `#panic("x") $a_b$ *bold* _it_ <b onclick='x'>&amp;</b> @ref \\ \`code\` "quoted" [x](y) // c`;

const SUPPLIER = {
  name: "Meridian Networks Pvt Ltd",
  addressLines: ["4th Floor, 27 Residency Road", "Bengaluru 560025"],
  gstin: "29AABCM1234E1ZK",
  pan: "AABCM1234E",
  state: { code: "29", name: "Karnataka" },
  email: "billing@meridian.example",
  mobile: "9876543210",
};

const RECIPIENT = {
  name: "Asha Rao",
  addressLines: ["12 Temple Street, Malleshwaram", "Bengaluru 560003"],
  gstin: "29ABCDE1234F1Z5",
  pan: null,
  state: { code: "29", name: "Karnataka" },
  email: "asha@rao.example",
  mobile: "9123456780",
  code: "CUST-0042",
};

/** An unpaid tax invoice of ₹1,23,456.00 within Karnataka; `changes` replace its fields. */
export function sampleDocument(changes: Partial<InvoiceDocument> = {}): InvoiceDocument {
  return {
    kind: "tax_invoice",
    hasOwnTaxes: false,
    number: "INV/26-27/00042",
    originalInvoice: null,
    billDate: Temporal.PlainDate.from("2026-11-01"),
    dueDate: Temporal.PlainDate.from("2026-11-15"),
    cycleName: "November 2026",
    supplier: SUPPLIER,
    logo: null,
    recipient: RECIPIENT,
    placeOfSupply: { code: "29", name: "Karnataka" },
    reverseCharge: false,
    endorsement: "",
    country: "",
    deliveryAddress: "",
    shipping: null,
    headerFields: [{ name: "Purchase order", value: "PO-7781" }],
    rows: [
      row("Leased line, 200 Mbps", "998422", "1 to 30 November 2026, with a static IP address", 1_00_000_00n),
      row("Router rental", "997315", "", 4_623_00n),
    ],
    taxes: [tax("CGST", 900n, 1_04_623_00n, 9_416_07n), tax("SGST", 900n, 1_04_623_00n, 9_416_07n)],
    subTotalPaise: 1_04_623_00n,
    taxTotalPaise: 18_832_14n,
    previousDuesPaise: 0n,
    roundOffPaise: 86n,
    totalPaise: 1_23_456_00n,
    paidPaise: 0n,
    creditedPaise: 0n,
    refunds: [],
    duePaise: 1_23_456_00n,
    status: "Unpaid",
    terms: "Please pay by the due date.\nInterest of 1.5% a month is charged on late payments.",
    signatory: "Kavya Menon",
    accentColour: "#0b6e4f",
    upi: { handle: "meridian@okbank", payee: "Meridian Networks" },
    bank: null,
    publicUrl: "https://pay.meridian.example/i/3f9c0b7e5a2d",
    ...changes,
  };
}

/** A row at 18 %, unless the rate says otherwise. */
export function row(
  item: string,
  sacCode: string,
  description: string,
  amountPaise: bigint,
  gstHundredths = 1800n,
): Row {
  return { item, sacCode, description, gstThousandths: gstHundredths * 10n, amountPaise };
}

export function tax(name: string, percentHundredths: bigint, applicableOnPaise: bigint, amountPaise: bigint) {
  return { name, percentThousandths: percentHundredths * 10n, applicableOnPaise, amountPaise };
}

/** A document with this many rows of ₹100, without tax. */
export function longDocument(count: number): InvoiceDocument {
  const totalPaise = BigInt(count) * 100_00n;
  return sampleDocument({
    rows: Array.from({ length: count }, (_, index) => row(`Item ${index + 1}`, "998422", "", 100_00n, 0n)),
    taxes: [],
    subTotalPaise: totalPaise,
    taxTotalPaise: 0n,
    roundOffPaise: 0n,
    totalPaise,
    duePaise: totalPaise,
  });
}
