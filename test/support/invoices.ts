// Invoices for tests: a merchant's requests about them, and what the database then keeps. No assertion.
import { profileRecord } from "../../src/merchants/index.ts";
import { createMerchantsWithTemplate } from "../../src/installation/index.ts";
import type { MerchantDraft } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { TestMerchant, type Installation, type Members } from "./installation.ts";
import { ask, CUSTOMER_SAVE } from "./merchant-wire.ts";
import type { Answer } from "./nodal.ts";

export const INVOICE_SAVE = "/api/v3/merchant/invoice/save";
export const INVOICE_UPDATE = "/api/v3/merchant/invoice/update";
export const INVOICE_CANCEL = "/api/v3/merchant/invoice/deleteInvoice";
export const INVOICE_SETTLE = "/api/v2/merchant/invoice/settle";
export const INVOICE_DETAIL = "/api/v1/merchant/invoice/detail";
const INVOICE_LIST = "/api/v1/merchant/invoice/getlist";

/** The new customer of an invoice that bills an existing one: docs/rules/invoicing.md#new-customer. */
export const NO_NEW_CUSTOMER = {
  customer_code: "",
  customer_name: "",
  email: "",
  mobile: "",
  address: "",
  city: "",
  state: "",
  zipcode: "",
  custom_fields: [],
};

/** An invoice of one row without tax, for tests that need no more. */
export const PLAIN = {
  customer_code: "C1",
  bill_date: "2026-06-01",
  due_date: "2026-06-15",
  particular_rows: [{ item: "Work", total_amount: "100.00" }],
};

/** A payment without its invoice and amount. */
export const PAYMENT = { paid_date: "2026-06-10", mode: "Online" };

/** The header field that gives an invoice its number. */
export function numbered(value: string) {
  return { custom_header_fields: [{ id: "9", name: "Invoice no", type: "text", value }] };
}

const PROFILE: MerchantDraft = {
  ...profileRecord.blank,
  name: "Invoice Traders",
  email: "traders@example.com",
  mobile: "",
  address: "1, MG Road",
  city: "Bengaluru",
  state: "Karnataka",
  zipcode: "560001",
  gstin: "29AAACI1234K1Z5",
  pan: "",
  bankHolder: "",
  bankAccount: "",
  ifsc: "",
  timeZone: "Asia/Kolkata",
};

/** A merchant's invoices. */
export class Invoices {
  readonly merchant: TestMerchant;
  /** Of the merchant's default template. */
  readonly templateId: string;
  readonly #installation: Installation;

  private constructor(installation: Installation, merchant: TestMerchant, templateId: string) {
    this.#installation = installation;
    this.merchant = merchant;
    this.templateId = templateId;
  }

  /** Those of a new merchant, which has none yet, and one customer without address, C1. */
  static async ofNewMerchant(installation: Installation, profile: Partial<MerchantDraft> = {}): Promise<Invoices> {
    const ids = new IdSource(installation.pool);
    const [made] = await createMerchantsWithTemplate({ pool: installation.pool, ids }, [{ ...PROFILE, ...profile }]);
    const keys = { access_key_id: made!.accessKeyId, secret_access_key: made!.secret };
    const merchant = await TestMerchant.signIn(installation, String(made!.merchant.merchantId), keys);
    const invoices = new Invoices(installation, merchant, String(made!.templateId));
    await invoices.addCustomer({ customer_code: "C1", customer_name: "Asha Rao" });
    return invoices;
  }

  ask(path: string, body: Members, headers?: Record<string, string>): Promise<Answer> {
    return ask(this.#installation, this.merchant, path, body, headers);
  }

  /** Saves a batch from the default template. */
  save(invoice: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.ask(INVOICE_SAVE, { template_id: "", invoice }, headers);
  }

  update(invoiceId: unknown, invoice: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.ask(INVOICE_UPDATE, { invoice_id: invoiceId, invoice }, headers);
  }

  settle(payment: Members, headers?: Record<string, string>): Promise<Answer> {
    return this.ask(INVOICE_SETTLE, { ...PAYMENT, ...payment }, headers);
  }

  cancel(invoiceId: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.ask(INVOICE_CANCEL, { invoice_id: invoiceId }, headers);
  }

  list(filter: Members = {}): Promise<Answer> {
    return this.ask(INVOICE_LIST, filter);
  }

  /** Saves a customer. */
  async addCustomer(customer: Members): Promise<void> {
    must(await this.ask(CUSTOMER_SAVE, { customer: [customer] }));
  }

  /** Saves an invoice, plain except for these members, and returns the answer. */
  async add(invoice: Members = {}): Promise<Record<string, string>> {
    return must(await this.save([{ ...PLAIN, ...invoice }]))[0] as Record<string, string>;
  }

  /** Settles an invoice and returns the answer. */
  async pay(invoiceId: unknown, amount: string): Promise<Record<string, string>> {
    return must(await this.settle({ invoice_id: invoiceId, amount })) as Record<string, string>;
  }

  /** The detail of an invoice. */
  async read(invoiceId: unknown): Promise<Record<string, unknown>> {
    return must(await this.ask(INVOICE_DETAIL, { invoice_id: invoiceId }));
  }

  /** The answer to a request that must not change anything; throws if it did. */
  async unmoved(ask: () => Promise<Answer>): Promise<Answer> {
    const before = await this.stored();
    const answer = await ask();
    const after = await this.stored();
    const moved = Object.keys(before).filter((table) => before[table] !== after[table]);
    const said = `${answer.status} ${JSON.stringify(answer.body)}`;
    if (moved.length > 0) throw new Error(`${said} changed ${moved.join(", ")}`);
    return answer;
  }

  /** A digest of everything that a refused request must not change, by table. */
  async stored(): Promise<Record<string, string>> {
    const tables = ["invoice", "invoice_day", "invoice_revision", "number_counter", "settlement", "customer"];
    const more = ["customer_group", "notification", "idempotency_key", "journal"];
    const digests: Record<string, string> = {};
    for (const table of [...tables, ...more]) {
      // The server sends messages meanwhile: what counts is which are owed, and not how far it is with them.
      const columns = table === "notification" ? "notification_id, kind, subject_id, customer_id, channel" : "*";
      const { rows } = await this.#installation.pool.query<{ digest: string }>(
        `select count(*) || coalesce(md5(string_agg(kept::text, ';' order by kept::text)), '') as digest
         from (select ${columns} from ${table} where merchant_id = $1) as kept`,
        [this.merchant.id],
      );
      digests[table] = rows[0]!.digest;
    }
    return digests;
  }
}

function must({ status, body }: Answer): Members & { readonly 0?: unknown } {
  if (status !== 200) throw new Error(`refused: ${status} ${JSON.stringify(body)}`);
  return body.srvrsp;
}
