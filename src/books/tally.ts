// Vouchers and ledgers as a file that Tally Prime imports: docs/accounts.md#tally
import { formatPaise } from "../platform/money.ts";

/** A ledger in vouchers. Names compare exactly. */
export type TallyLedger = {
  readonly name: string;
  /** The group above it, such as `Sundry Debtors`. */
  readonly parent: string;
  /** A customer's GSTIN; empty for others and for customers without one. */
  readonly gstin: string;
  /** The tax of a tax ledger: `CGST`, `SGST/UTGST`, `IGST` or `Cess`; empty for others. */
  readonly dutyHead: string;
};

/** The bill of a line on a customer's ledger: opened by it, settled by it, or opened by money paid in advance. */
export type TallyBill = { readonly name: string; readonly type: "New Ref" | "Agst Ref" | "Advance" };

/** A positive amount debits the ledger, in paise. `bill` is only for the customer's ledger. */
export type TallyLine = { readonly ledger: string; readonly debitPaise: bigint; readonly bill?: TallyBill };

export type TallyVoucher = {
  /** The same in each export, so that a second import changes the voucher instead of adding another. */
  readonly remoteId: string;
  readonly type: "Sales" | "Credit Note" | "Debit Note" | "Receipt" | "Payment" | "Journal";
  readonly date: Temporal.PlainDate;
  readonly number: string;
  /** The bank's reference, or the invoice of a note. */
  readonly reference: string;
  readonly narration: string;
  readonly partyGstin: string;
  /** A state's name; empty if unknown. */
  readonly placeOfSupply: string;
  /** The change of the party's dues, positive if they rise, and its ledger. */
  readonly party: TallyLine & { readonly bill: TallyBill };
  /** Together with the party's they add up to 0. */
  readonly lines: readonly TallyLine[];
};

/** The file of ledgers, which is imported first, in pieces. */
export function tallyMasters(company: string, ledgers: AsyncIterable<TallyLedger>): AsyncGenerator<string> {
  return envelope("All Masters", company, ledgers, ledgerXml);
}

/** The file of vouchers, in pieces. @throws Error for a voucher whose lines don't add up to 0 */
export function tallyVouchers(company: string, vouchers: AsyncIterable<TallyVoucher>): AsyncGenerator<string> {
  return envelope("Vouchers", company, vouchers, voucherXml);
}

async function* envelope<Row>(
  report: string,
  company: string,
  rows: AsyncIterable<Row>,
  write: (row: Row) => string,
): AsyncGenerator<string> {
  const asked = `${tag("REPORTNAME", report)}<STATICVARIABLES>${tag("SVCURRENTCOMPANY", company)}</STATICVARIABLES>`;
  yield `<ENVELOPE>
<HEADER><TALLYREQUEST>Import Data</TALLYREQUEST></HEADER>
<BODY><IMPORTDATA>
<REQUESTDESC>${asked}</REQUESTDESC>
<REQUESTDATA>
`;
  for await (const row of rows) yield `${write(row)}\n`;
  yield `</REQUESTDATA>
</IMPORTDATA></BODY>
</ENVELOPE>
`;
}

function ledgerXml({ name, parent, gstin, dutyHead }: TallyLedger): string {
  const isParty = parent === "Sundry Debtors";
  return message([
    `<LEDGER NAME="${escaped(name)}" ACTION="Create">`,
    tag("NAME", name),
    tag("PARENT", parent),
    ...(isParty ? [tag("ISBILLWISEON", "Yes")] : []),
    ...(gstin === "" ? [] : [tag("PARTYGSTIN", gstin)]),
    ...(dutyHead === "" ? [] : [tag("TAXTYPE", "GST"), tag("GSTDUTYHEAD", dutyHead)]),
    "</LEDGER>",
  ]);
}

function voucherXml(voucher: TallyVoucher): string {
  const { remoteId, type, number, reference, narration, party, lines, partyGstin, placeOfSupply } = voucher;
  const sumPaise = lines.reduce((sum, { debitPaise }) => sum + debitPaise, party.debitPaise);
  if (sumPaise !== 0n) throw new Error(`the voucher ${remoteId} does not add up to 0`);
  const day = voucher.date.toString().replaceAll("-", "");
  const isInvoice = type === "Sales" || type === "Credit Note" || type === "Debit Note";
  const view = isInvoice ? "Invoice Voucher View" : "Accounting Voucher View";
  const list = isInvoice ? "LEDGERENTRIES.LIST" : "ALLLEDGERENTRIES.LIST";
  return message([
    `<VOUCHER REMOTEID="${escaped(remoteId)}" VCHTYPE="${type}" ACTION="Create" OBJVIEW="${view}">`,
    tag("DATE", day),
    tag("EFFECTIVEDATE", day),
    tag("GUID", remoteId),
    tag("VOUCHERTYPENAME", type),
    tag("VOUCHERNUMBER", number),
    tag("REFERENCE", reference || number),
    tag("PARTYLEDGERNAME", party.ledger),
    tag("PARTYNAME", party.ledger),
    tag("PERSISTEDVIEW", view),
    tag("ISINVOICE", isInvoice ? "Yes" : "No"),
    tag("NARRATION", narration),
    tag("GSTREGISTRATIONTYPE", partyGstin === "" ? "Unregistered/Consumer" : "Regular"),
    ...(partyGstin === "" ? [] : [tag("PARTYGSTIN", partyGstin)]),
    ...(placeOfSupply === "" ? [] : [tag("PLACEOFSUPPLY", placeOfSupply)]),
    // Tax on an advance moves nothing on the customer's ledger.
    ...[party, ...lines].filter(({ debitPaise }) => debitPaise !== 0n).map((line) => lineXml(list, line)),
    "</VOUCHER>",
  ]);
}

/** A debit is `Yes` with a negative amount; a credit is `No` with a positive one. */
function lineXml(list: string, { ledger, debitPaise, bill }: TallyLine): string {
  const amount = formatPaise(-debitPaise);
  return [
    `<${list}>`,
    tag("LEDGERNAME", ledger),
    tag("ISDEEMEDPOSITIVE", debitPaise > 0n ? "Yes" : "No"),
    tag("ISPARTYLEDGER", bill === undefined ? "No" : "Yes"),
    tag("AMOUNT", amount),
    ...(bill === undefined
      ? []
      : [
          `<BILLALLOCATIONS.LIST>${tag("NAME", bill.name)}${tag("BILLTYPE", bill.type)}${tag("AMOUNT", amount)}</BILLALLOCATIONS.LIST>`,
        ]),
    `</${list}>`,
  ].join("");
}

function message(lines: readonly string[]): string {
  return `<TALLYMESSAGE xmlns:UDF="TallyUDF">${lines.join("")}</TALLYMESSAGE>`;
}

function tag(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** As XML in ASCII: Tally reads other characters as numeric entities, and control characters not at all. */
function escaped(text: string): string {
  return [...text]
    .map((character) => {
      const point = character.codePointAt(0)!;
      if (point < 0x20 || point === 0x7f) return " ";
      return point > 0x7e ? `&#${point};` : (ENTITIES[character] ?? character);
    })
    .join("");
}
