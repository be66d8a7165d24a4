// Invoices for tests that talk to the database directly: merchants with a customer, invoices, payments, credit notes.
// No assertion.
import { cancelCreditNote } from "../../src/invoices/index.ts";
import { profileRecord } from "../../src/merchants/index.ts";
import { fund, type LedgerDatabase } from "./ledger.ts";
import { createMerchantsWithTemplate } from "../../src/installation/index.ts";
import type { Merchant } from "../../src/merchants/index.ts";
import { customerRecord } from "../../src/customers/index.ts";
import { BOOK_CHECKS } from "../../src/books/index.ts";
import { COMMISSION_CHECKS } from "../../src/franchises/index.ts";
import { OwnPayouts, verify, type RefundPayee } from "../../src/payouts/index.ts";
import { readConfig } from "../../src/platform/config.ts";
import { inTransaction } from "../../src/platform/database/pool.ts";
import type { IdSource } from "../../src/platform/database/ids.ts";
import { refundCreditNote, type AgreedRefund } from "../../src/invoices/credit-notes/credit-note-refund.ts";
import type { CreditNote } from "../../src/invoices/credit-notes/credit-note.ts";
import { findInvoice } from "../../src/invoices/invoice-store.ts";
import type { Invoice, InvoiceInput } from "../../src/invoices/invoice.ts";
import {
  issueCreditNote,
  type CreditNoteRequest,
  type IssuedCreditNote,
} from "../../src/invoices/credit-notes/issue-credit-note.ts";
import { recordReceipt, type NewReceipt, type ReceiptContext } from "../../src/invoices/receipts/record-receipt.ts";
import { billInvoices } from "../../src/invoices/saves/save-group.ts";
import { reverseSettlement, settleInvoice } from "../../src/invoices/settlements/settle-invoice.ts";
import { bankLines } from "../../src/reconciliation/index.ts";
import { INVOICE_CHECKS } from "../../src/invoices/verify-store.ts";

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
  ...profileRecord.blank,
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
  roundsTotal: null,
  supply: {},
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
    const [made] = await createMerchantsWithTemplate({ pool: db.server, ids: db.ids }, [PROFILE]);
    if (fundsPaise > 0n) await fund(db, made!.merchant, fundsPaise, "opening");
    return new Invoicing(db, made!.merchant);
  }

  /** The same merchant's, as another process creates them: with its own ids. */
  withIds(ids: IdSource): Invoicing {
    return new Invoicing({ ...this.#db, ids }, this.merchant);
  }

  /** An invoice of 118.00 with 9.00 of each CGST and SGST in it, but for these changes, for a new customer or a known one. */
  async save(changes: Partial<InvoiceInput> = {}): Promise<Invoice> {
    const { server, ids } = this.#db;
    const input = { ...INPUT, ...changes };
    const code = `C${await ids.next()}`;
    const newCustomer = {
      ...customerRecord.blank,
      customerCode: code,
      customerName: "Asha Rao",
      customFields: [],
      groups: [],
      path: "invoice[0].new_customer",
    };
    const invoices = [{ ...input, customerCode: null, newCustomer: input.customerId === null ? newCustomer : null }];
    const [saved] = await inTransaction(server, (connection) =>
      billInvoices({ connection, ids, merchant: this.merchant }, { templateId: null, invoices }),
    );
    return this.read(saved!);
  }

  /** Records a payment, of which `tdsPaise` was deducted, and returns its id. */
  async pay({ invoiceId }: Invoice, amountPaise: bigint, tdsPaise = 0n): Promise<bigint> {
    const payment = {
      invoiceId,
      amountPaise,
      paidDate: BILL_DATE,
      mode: "Cash",
      bankName: "",
      bankRefNo: "",
      chequeNo: "",
      cashPaidTo: "",
      tdsPaise,
      tdsCode: "",
      notify: false,
    };
    const { answer } = await settleInvoice({ ...this.#context, idempotency: null }, payment);
    return BigInt(answer.settlementId);
  }

  /** Records cash of a customer, of which `tdsPaise` was deducted, and answers the receipt's id. Without `allocations` invoices use it. */
  async receive(
    customerId: bigint,
    amountPaise: bigint,
    tdsPaise = 0n,
    allocations: NewReceipt["allocations"] = null,
    advanceGst: NewReceipt["advanceGst"] = null,
  ): Promise<bigint> {
    const bank = { bankName: "", bankRefNo: "", chequeNo: "", cashPaidTo: "", reference: "" };
    const line = { statementLineId: null, importKey: null };
    const payment = { amountPaise, paidDate: BILL_DATE, mode: "Cash", tdsPaise, tdsCode: "", ...bank, ...line };
    const { answer } = await recordReceipt(this.alone, {
      customerId,
      payment,
      allocations,
      advanceGst,
      notify: false,
    });
    return BigInt(answer);
  }

  /** The use cases' context, without waiting for other saves. */
  get alone(): ReceiptContext {
    const { pool, ids, merchant } = this.#context;
    return { pool, ids, merchant, idempotency: null, inTurn: (_merchant, work) => work(), bankLines };
  }

  /** Reverses a payment and returns the changed invoice. */
  async takeBack(settlementId: bigint): Promise<Invoice> {
    return (await reverseSettlement(this.#context, { settlementId, reason: "Cheque bounced" })).invoice;
  }

  /** Issues a credit note over an amount, or over all that is left. */
  credit(
    { invoiceId }: Invoice,
    amountPaise: bigint | null,
    changes: Partial<CreditNoteRequest> = {},
  ): Promise<IssuedCreditNote> {
    const request = {
      invoiceId,
      amountPaise,
      rows: null,
      reason: "Goods returned",
      noteDate: null,
      refundTo: null,
      ...changes,
    };
    return issueCreditNote({ ...this.#context, idempotency: null }, request);
  }

  /** Pays out what a note owes. */
  refund(
    { creditNoteId }: Pick<CreditNote, "creditNoteId">,
    payee: RefundPayee | null = PAYEE,
    agreed: AgreedRefund | null = null,
  ): Promise<CreditNote> {
    return refundCreditNote(this.#context, { creditNoteId, payee, agreed });
  }

  /** Cancels a note, and answers it as it is then. */
  cancelNote({ creditNoteId }: Pick<CreditNote, "creditNoteId">): Promise<CreditNote> {
    return cancelCreditNote(this.#context, creditNoteId);
  }

  /** The invoice as it stands. */
  async read({ invoiceId }: Pick<Invoice, "invoiceId">): Promise<Invoice> {
    return (await findInvoice(this.#db.server, { ...this.#key, invoiceId }))!;
  }

  /** What `nodal verify` would find. */
  async violations(): Promise<readonly unknown[]> {
    return (await verify(this.#db.owner, this.merchant, [...COMMISSION_CHECKS, ...INVOICE_CHECKS, ...BOOK_CHECKS]))
      .violations;
  }

  get #key() {
    return { bucket: this.merchant.bucket, merchantId: this.merchant.merchantId };
  }

  get #context() {
    const { server: pool, ids } = this.#db;
    return { pool, ids, merchant: this.merchant, ownPayouts: new OwnPayouts(readConfig({})) };
  }
}
