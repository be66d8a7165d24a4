// Saves that are queued together, for tests that use the database directly: behind row-level security, as requests are. No
// assertions.
import { openLedgerDatabase, type LedgerDatabase } from "./ledger.ts";
import { withTestSecrets } from "./secrets.ts";
import { customerRecord, type NewCustomer } from "../../src/customers/index.ts";
import type { Answered, IdempotencyKey } from "../../src/merchants/index.ts";
import { createPool, type OwnedPool } from "../../src/platform/database/pool.ts";
import { TenantGroups } from "../../src/platform/database/tenant.ts";
import { NodalError } from "../../src/platform/errors.ts";
import { actorOf, type Origin } from "../../src/platform/origin.ts";
import type { InvoiceInput } from "../../src/invoices/invoice.ts";
import { InvoiceSaves } from "../../src/invoices/saves/invoice-saves.ts";
import type { SavedInvoice } from "../../src/invoices/invoice-wire.ts";
import { INPUT, Invoicing } from "./invoicing.ts";

export const ORIGIN: Origin = { actor: actorOf("key", "one"), address: "192.0.2.1", mayMoveMoney: true };
/** How long a save waits for rows of its merchant. */
export const HELD_MS = 1500;
export const YEAR = "INV-2627-";

function newCustomer(customerCode: string): NewCustomer {
  const texts = { ...customerRecord.blank, customerName: "Asha Rao" };
  return { ...texts, customerCode, customFields: [], groups: ["Retail"], path: "invoice[0].new_customer" };
}

/** An invoice with a new customer. */
export const bringing = (code: string): InvoiceInput => ({
  ...INPUT,
  customerCode: null,
  newCustomer: newCustomer(code),
});

/** A header field that sets the invoice's number. */
export const withNumber = (value: string): Partial<InvoiceInput> => ({
  headerFields: [{ id: "", name: "Invoice no", type: "text", value }],
});

export const keyed = (key: string, request = key): IdempotencyKey => ({ key, requestHash: Buffer.from(request) });

type SaveRequest = {
  readonly invoices?: readonly Partial<InvoiceInput>[];
  readonly templateId?: bigint;
  readonly origin?: Origin;
  readonly key?: IdempotencyKey;
};
export type Outcome = PromiseSettledResult<Answered<SavedInvoice[]>>;

/** The numbers of each saved invoice, and the code of each refusal. */
export function told(outcomes: readonly Outcome[]): string[] {
  return outcomes.map((outcome) =>
    outcome.status === "fulfilled"
      ? outcome.value.answer.map(({ invoiceNumber }) => invoiceNumber.replace(YEAR, "")).join(" ")
      : outcome.reason instanceof NodalError
        ? outcome.reason.code
        : String(outcome.reason),
  );
}

export const numbersFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(first + index).padStart(5, "0"));

export class SavesStage {
  readonly db: LedgerDatabase;
  /** Connections like those of requests. */
  readonly requests: OwnedPool;
  readonly saves: InvoiceSaves;

  private constructor(db: LedgerDatabase, requests: OwnedPool) {
    this.db = db;
    this.requests = requests;
    this.saves = this.otherProcess();
  }

  static async open(): Promise<SavesStage> {
    const db = await openLedgerDatabase();
    const settings = { statement_timeout: "20000" };
    const pool = createPool({ url: db.url, size: 2, role: "nodal_invoices", pipelined: true, settings });
    return new SavesStage(db, withTestSecrets(pool));
  }

  async close(): Promise<void> {
    await this.requests.end();
    await this.db.close();
  }

  /** The saves of another process on the same database. */
  otherProcess(): InvoiceSaves {
    return new InvoiceSaves(new TenantGroups(this.requests), this.db.ids, HELD_MS);
  }

  /** A merchant with the customer C1 and one invoice, number 1. */
  async newShop(): Promise<Invoicing> {
    const made = await Invoicing.ofNewMerchant(this.db);
    await this.saves.save(
      { merchant: made.merchant, origin: ORIGIN, idempotency: null },
      { templateId: null, invoices: [bringing("C1")] },
    );
    return made;
  }

  /** Requests saves at once, of a merchant's plain invoices with the given changes. */
  atOnce(by: Invoicing, asked: readonly SaveRequest[]): Promise<Outcome[]> {
    return Promise.allSettled(
      asked.map(({ invoices = [{}], templateId = null, origin = ORIGIN, key = null }) => {
        const inputs = invoices.map((changes) => ({ ...INPUT, ...changes }));
        return this.saves.save({ merchant: by.merchant, origin, idempotency: key }, { templateId, invoices: inputs });
      }),
    );
  }

  /** How many transactions have written the invoices of a merchant, but for its first one. */
  async countCommits({ merchant }: Invoicing): Promise<number> {
    const { rows } = await this.db.owner.query<{ commits: number }>(
      `select count(distinct journal.xmin::text)::integer - 1 as commits from journal
       where merchant_id = $1 and type = 'invoice.created'`,
      [merchant.merchantId],
    );
    return rows[0]!.commits;
  }

  /** How many transactions have written invoices of several of these merchants. */
  async countShared(...shops: readonly Invoicing[]): Promise<number> {
    const { rowCount } = await this.db.owner.query(
      `select from journal where merchant_id = any ($1) and type = 'invoice.created'
       group by xmin::text having count(distinct merchant_id) > 1`,
      [shops.map(({ merchant }) => merchant.merchantId)],
    );
    return rowCount!;
  }
}
