// Invoices for tests that talk to the database directly: merchants with a customer, invoices, payments, credit notes.
// What belongs here: setting the stage. No assertion.
import { fund, type LedgerDatabase } from "../../test/support/ledger.ts";
import { createEquippedMerchants } from "../cli/new-merchants.ts";
import type { Merchant } from "../merchants/index.ts";
import { refundPayer, verify, type RefundPayee } from "../payouts/index.ts";
import { readConfig } from "../platform/config.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { refundCreditNote, type AgreedRefund } from "./credit-note-refund.ts";
import type { CreditNote } from "./credit-note.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import { findInvoice } from "./invoice-store.ts";
import type { Invoice } from "./invoice.ts";
import { issueCreditNote, type CreditNoteRequest, type IssuedCreditNote } from "./issue-credit-note.ts";
import { saveInvoices } from "./save-invoices.ts";
import { reverseSettlement, settleInvoice } from "./settle-invoice.ts";
import { INVOICE_CHECKS } from "./verify-store.ts";

/** An account that the simulated bank pays. */
export const PAYEE: RefundPayee = {
  name: "Asha Rao",
  accountNumber: "026291800001191",
  ifsc: "YESB0000262",
  upi: null,
  emailId: "",
  mobile: "",
};

const BILL_DATE = Temporal.PlainDate.from("2026-06-01");

const PROFILE = {
  name: "Credit Traders",
  email: "credit@example.com",
  mobile: "",
  address: "1, MG Road",
  city: "Bengaluru",
  state: "Karnataka",
  zipcode: "560001",
  gstin: "29AAACI1234K1Z5",
  pan: "",
  bankAccount: "",
  ifsc: "",
  bankHolder: "",
  timeZone: "Asia/Kolkata",
};

export const INPUT: InvoiceInput = {
  customerCode: "C1",
  newCustomer: null,
  customerId: null,
  cycleName: null,
  billDate: BILL_DATE,
  dueDate: BILL_DATE.add({ days: 14 }),
  notify: false,
  headerFields: null,
  takesSeriesNumber: false,
  rows: [{ item: "Work", sacCode: "9983", description: "", gstThousandths: 18_000n, amountPaise: 10_000n }],
  taxRows: null,
  franchiseId: null,
  previousDuesPaise: null,
  carries: [],
};

/** A merchant's invoices on a database of the tests. */
export class Invoicing {
  readonly merchant: Merchant;
  readonly #db: LedgerDatabase;

  private constructor(db: LedgerDatabase, merchant: Merchant) {
    this.#db = db;
    this.merchant = merchant;
  }

  /** Those of a new merchant with this much money. */
  static async ofNewMerchant(db: LedgerDatabase, fundsPaise = 0n): Promise<Invoicing> {
    const [made] = await createEquippedMerchants(db.server, db.ids, [PROFILE]);
    if (fundsPaise > 0n) await fund(db, made!.merchant, fundsPaise, "opening");
    return new Invoicing(db, made!.merchant);
  }

  /** The same merchant's, as another process makes them: with ids of its own. */
  withIds(ids: IdSource): Invoicing {
    return new Invoicing({ ...this.#db, ids }, this.merchant);
  }

  /** An invoice of 118.00 with 9.00 of each CGST and SGST in it, but for these changes, for a new customer or a known one. */
  async save(changes: Partial<InvoiceInput> = {}): Promise<Invoice> {
    const { server, ids } = this.#db;
    const input = { ...INPUT, ...changes };
    const code = `C${await ids.next()}`;
    const newCustomer = {
      customerCode: code,
      customerName: "Asha Rao",
      email: "",
      mobile: "",
      address: "",
      city: "",
      state: "",
      zipcode: "",
      customFields: [],
      groups: [],
      path: "invoice[0].new_customer",
    };
    const invoices = [{ ...input, customerCode: null, newCustomer: input.customerId === null ? newCustomer : null }];
    const { answer } = await saveInvoices(server, ids, this.merchant, { templateId: null, invoices }, null);
    return this.read({ invoiceId: BigInt(answer[0]!.invoiceId) });
  }

  /** Records a payment and answers its id. */
  async pay({ invoiceId }: Invoice, amountPaise: bigint): Promise<bigint> {
    const payment = {
      invoiceId,
      amountPaise,
      paidDate: BILL_DATE,
      mode: "Cash",
      bankName: "",
      bankRefNo: "",
      chequeNo: "",
      cashPaidTo: "",
      notify: false,
    };
    const { answer } = await settleInvoice(this.#db.server, this.#db.ids, this.#key, payment, null);
    return BigInt(answer.settlementId);
  }

  /** Takes a payment back and answers the invoice as it is then. */
  async takeBack(settlementId: bigint): Promise<Invoice> {
    return (await reverseSettlement(this.#db.server, this.#db.ids, this.#key, settlementId, "Cheque bounced")).invoice;
  }

  /** Issues a credit note over an amount, or over all that is left. */
  credit(
    { invoiceId }: Invoice,
    amountPaise: bigint | null,
    changes: Partial<CreditNoteRequest> = {},
  ): Promise<IssuedCreditNote> {
    const request = { invoiceId, amountPaise, reason: "Goods returned", noteDate: null, refundTo: null, ...changes };
    return issueCreditNote(this.#parts, this.merchant, request);
  }

  /** Pays out what a note owes. */
  refund(
    { creditNoteId }: Pick<CreditNote, "creditNoteId">,
    payee: RefundPayee | null = PAYEE,
    agreed: AgreedRefund | null = null,
  ): Promise<CreditNote> {
    return refundCreditNote(this.#parts, this.merchant, creditNoteId, payee, agreed);
  }

  /** The invoice as it stands. */
  async read({ invoiceId }: Pick<Invoice, "invoiceId">): Promise<Invoice> {
    return (await findInvoice(this.#db.server, { ...this.#key, invoiceId }))!;
  }

  /** What `nodal verify` would find. */
  async violations(): Promise<readonly unknown[]> {
    return (await verify(this.#db.owner, this.merchant, INVOICE_CHECKS)).violations;
  }

  get #key() {
    return { bucket: this.merchant.bucket, merchantId: this.merchant.merchantId };
  }

  get #parts() {
    const { server: pool, ids } = this.#db;
    return { pool, ids, payRefund: refundPayer(readConfig({}), ids) };
  }
}
