// The examples of the OpenAPI document: every operation once, as a program would send it, with the server's answer. No assertions.
import { fundMerchant } from "../../src/ledger/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { formatIndianDate } from "../../src/platform/indian-format.ts";
import { GOOD_ACCOUNT, type Installation, type Members, type TestMerchant } from "./installation.ts";
import { Invoices } from "./invoices.ts";
import { settledToday } from "./days.ts";
import { nodalJson } from "./nodal.ts";
import { walkV4 } from "./v4-examples.ts";

export type Example = {
  /** Of /api/v4: of the path and the query. */
  readonly params?: unknown;
  readonly request?: unknown;
  readonly response: unknown;
};
/** By method and path, as the document writes them. */
export type Examples = Readonly<Record<string, Example>>;

/** The day of the examples, on any day. */
const DAY = Temporal.PlainDate.from("2026-04-01");
const TIME_ZONE = "Asia/Kolkata";
const FRANCHISE = {
  franchise_code: "PUNE-01",
  franchise_name: "Pune Branch",
  contact_person_name: "Meera Shah",
  email_id: "pune@example.com",
  mobile: "9876543210",
  gst_number: "27AAACI1234K1Z5",
  city: "Pune",
  state: "Maharashtra",
  zipcode: "411001",
  enable_online_settlement: 1,
  commission_type: "Percentage",
  commission: "10",
  settlement_type: "Auto",
  bank_holder_name: "Meera Shah",
  account_number: "00789101112",
  bank_name: "HDFC Bank",
  account_type: "Current",
  ifsc: "HDFC0000789",
};
const CUSTOMER = {
  customer_code: "CUST-001",
  customer_name: "Ravi Kumar",
  email: "ravi@example.com",
  mobile: "9876543211",
  address: "12, Church Street",
  city: "Bengaluru",
  state: "Karnataka",
  zipcode: "560001",
};
const ROW = { item: "Consulting", sac_code: "998311", description: "April", gst: "18", total_amount: "10000.00" };
/** Members whose values are another installation's: those of one kind are numbered in the order in which they come. */
const NUMBERED = /(?:^|_)(?:id|ids)$|^(?:transferId|beneId|merchant_id|template_id|parent_id)$/;
const PUBLIC_LINK = /^https?:\/\/[^/]+\/i\/[^/]+/;

/** An event as `nodal event list` shows it: what receivers are sent, and how the command names it. */
type Listed = { readonly type: string; readonly [member: string]: unknown };
/** The example of each kind of event, by the kind. */
const EVENTS: Readonly<Record<string, string>> = {
  transfer: "transfer.success",
  withdrawal: "withdrawal.success",
  balance: "balance.funded",
  beneficiary: "beneficiary.created",
  payout_batch: "payout_batch.cancelled",
  scheduled_payout: "scheduled_payout.cancelled",
  invoice: "invoice.paid",
  settlement: "settlement.recorded",
  subscription: "subscription.created",
  commission_earned: "commission.accrued",
  commission: "commission.success",
  credit_note: "credit_note.issued",
  debit_note: "debit_note.issued",
  receipt: "receipt.recorded",
  receipt_refund: "receipt_refund.recorded",
  approval: "approval.requested",
};

/** The results of the walk: examples for the document, and every message that a receiver would have been sent. */
export type Walked = { readonly examples: Examples; readonly messages: readonly Listed[] };

/** Asks for every operation of the API once, so that it succeeds, and returns what was sent, answered and told. */
export async function walkApi(installation: Installation): Promise<Walked> {
  const today = await settledToday(TIME_ZONE);
  const invoices = await Invoices.ofNewMerchant(installation, {
    name: "Asha Traders",
    bankHolder: "Asha Traders",
    bankAccount: GOOD_ACCOUNT.account_number,
    ifsc: GOOD_ACCOUNT.ifsc,
  });
  const walk = new Walk(installation, invoices.merchant, today);
  await walk.fund();
  await walk.call("POST /api/token", invoices.merchant.keys, "none");
  await walkPayouts(walk);
  await walkBatches(walk);
  const franchiseId = await walkFranchises(walk);
  await walkBilling(walk, { franchiseId, templateId: invoices.templateId });
  await walkV4(walk);
  await walkCommands(walk, franchiseId);
  await walk.call("POST /api/v1/franchise/delete", { franchise_id: franchiseId });
  const listed = await walk.listEvents();
  // How the command names an event is not sent.
  const messages = listed.map(({ seq: _seq, subject_id: _id, created_at: _at, ...message }) => message as Listed);
  return { examples: walk.examples(messages), messages };
}

async function walkPayouts(walk: Walk): Promise<void> {
  const beneficiary = { name: "Asha Rao", email_id: "asha@example.com", mobile: "9876543212", ...GOOD_ACCOUNT };
  await walk.call("POST /api/v1/beneficiary/save", beneficiary);
  await walk.call("POST /api/v1/beneficiary/detail", GOOD_ACCOUNT);
  await walk.call("GET /api/v1/beneficiary/list");
  const transfer = {
    beneficiary_id: walk.answered("POST /api/v1/beneficiary/save", "beneficiary_id"),
    amount: "590.00",
    reference_id: "order-1",
    narrative: "Order 1",
  };
  await walk.callUntil("POST /api/v1/beneficiary/transfer", transfer, { transfer_status: "SUCCESS" });
  const withdrawal = { amount: "1000.00", reference_id: "withdrawal-1", narrative: "To our bank" };
  await walk.callUntil("POST /api/v1/payout/withdraw", withdrawal, { withdrawal_status: "SUCCESS" });
  await walk.call("GET /api/v1/payout/transferstatus/{type}/{id}", { type: "referenceid", id: "order-1" });
  await walk.call("GET /api/v1/payout/balance");
}

async function walkBatches(walk: Walk): Promise<void> {
  const batch = "/api/v1/beneficiary/transfer/batch";
  const later = {
    beneficiary_id: walk.answered("POST /api/v1/beneficiary/save", "beneficiary_id"),
    amount: "250.00",
    scheduled_for: walk.day(3),
  };
  const transfers = ["salary-1", "salary-2"].map((reference_id) => ({ ...later, reference_id }));
  await walk.call(`POST ${batch}`, { name: "Salaries", transfers });
  const batchId = walk.answered(`POST ${batch}`, "batch_id");
  await walk.call(`GET ${batch}/status/{batch_id}`, { batch_id: batchId });
  await walk.call("GET /api/v1/beneficiary/transfer/scheduled");
  await walk.call("POST /api/v1/beneficiary/transfer/cancel", { reference_id: "salary-1" });
  await walk.call(`POST ${batch}/cancel`, { batch_id: batchId });
}

async function walkFranchises(walk: Walk): Promise<string> {
  await walk.call("POST /api/v1/franchise/save", FRANCHISE);
  const franchiseId = walk.answered("POST /api/v1/franchise/save", "franchise_id");
  await walk.call("POST /api/v1/franchise/update", { franchise_id: franchiseId, mobile: "9876543213" });
  return franchiseId;
}

async function walkBilling(
  walk: Walk,
  { franchiseId, templateId }: { readonly franchiseId: string; readonly templateId: string },
): Promise<void> {
  await walk.call("POST /api/v1/merchant/customer/save", { customer: [CUSTOMER] }, "body");
  const customerId = (walk.body("POST /api/v1/merchant/customer/save")["srvrsp"] as Members[][])[0]![0]!["customer_id"];
  const change = { customer_id: customerId, mobile: "9876543214" };
  await walk.call("POST /api/v1/merchant/customer/update", { customer: [change] }, "body");
  const invoice = {
    customer_code: CUSTOMER.customer_code,
    bill_cycle_name: "April 2026",
    bill_date: walk.day(0),
    due_date: walk.day(14),
    invoice_properties: { notify_patron: "0" },
    particular_rows: [ROW],
    franchise_id: franchiseId,
  };
  const { franchise_id: _, ...open } = invoice;
  await walk.call("POST /api/v3/merchant/invoice/save", { template_id: templateId, invoice: [invoice, open] }, "body");
  const saved = walk.body("POST /api/v3/merchant/invoice/save")["srvrsp"] as Members[];
  const [paidId, openId] = saved.map(({ invoice_id: id }) => id);
  const replaced = { bill_cycle_name: "April", particular_rows: [{ ...ROW, total_amount: "12000.00" }] };
  await walk.call("POST /api/v3/merchant/invoice/update", { invoice_id: openId, invoice: replaced }, "body");
  await walk.call("POST /api/v3/merchant/invoice/deleteInvoice", { invoice_id: openId }, "body");
  const payment = { paid_date: walk.day(0), amount: "11800.00", mode: "NEFT", bank_ref_no: "N091260001", notify: "0" };
  await walk.call("POST /api/v2/merchant/invoice/settle", { invoice_id: paidId, ...payment }, "body");
  await walk.call("POST /api/v1/merchant/invoice/detail", { invoice_id: paidId }, "body");
  const filter = { from_date: walk.day(0), to_date: walk.day(30), filter_by: "bill_date", invoice_status: "" };
  await walk.call("POST /api/v1/merchant/invoice/getlist", filter, "body");
  await walk.call("POST /api/v1/merchant/customer/detail", { customer_code: CUSTOMER.customer_code }, "body");
  await walk.call("POST /api/v1/merchant/customer/getlist", { searchby: "name", keyword: "ravi" }, "body");
  const subscription = {
    template_id: templateId,
    mode: "Weekly",
    repeat_every: "1",
    start_date: walk.day(7),
    due_date: walk.day(14),
    end_mode: "Occurences",
    occurences: "12",
    end_date: "",
    carry_forword_dues: "1",
    invoice: { customer_code: CUSTOMER.customer_code, particular_rows: [{ ...ROW, description: "Retainer" }] },
  };
  await walk.call("POST /api/v1/merchant/subscription/save", subscription, "body");
}

/** Events that no operation of the API causes. */
async function walkCommands(walk: Walk, franchiseId: string): Promise<void> {
  await walk.command("franchise settle", { franchise: franchiseId });
  const { invoice_id: paidId } = walk.body("POST /api/v2/merchant/invoice/settle")["srvrsp"] as Members;
  await walk.command("credit-note create", { invoice: String(paidId), amount: "1180.00", reason: "Half a day less" });
  await walk.command("policy set", { "approve-payees": "on" });
  const payee = { name: "Ravi Kumar", email_id: "ravi@example.com", mobile: "9876543215", ...GOOD_ACCOUNT };
  await walk.send("POST", "/api/v1/beneficiary/save", { ...payee, account_number: "00123456789012" });
}

/** Where the credentials of a request are. */
type Credentials = "token" | "body" | "none";
type Called = { readonly params?: unknown; readonly sent: unknown; readonly body: Members };
/** The request to an operation of /api/v4. */
export type V4Request = { readonly params?: Members; readonly query?: Members; readonly body?: Members };

export class Walk {
  readonly #installation: Installation;
  readonly #merchant: TestMerchant;
  readonly #called = new Map<string, Called>();
  readonly #today: Temporal.PlainDate;

  constructor(installation: Installation, merchant: TestMerchant, today: Temporal.PlainDate) {
    this.#today = today;
    this.#installation = installation;
    this.#merchant = merchant;
  }

  get #bearer(): Record<string, string> {
    return { authorization: `Bearer ${this.#merchant.token}` };
  }

  async fund(): Promise<void> {
    const { pool } = this.#installation;
    const [row] = (
      await pool.query<{ bucket: number }>("select bucket from merchant where merchant_id = $1", [this.#merchant.id])
    ).rows;
    const key = { bucket: row!.bucket, merchantId: BigInt(this.#merchant.id) };
    await fundMerchant(pool, new IdSource(pool), { ...key, amountPaise: 10_000_000n, reference: "bank-credit-1" });
  }

  /** The day this many days after today, as requests write it. */
  day(days: number): string {
    return this.#today.add({ days }).toString();
  }

  /** Sends one request; members in braces of the path are filled from what is sent. @throws where it is refused */
  async call(operation: string, sent?: Members, credentials: Credentials = "token"): Promise<Members> {
    const [method = "", template = ""] = operation.split(" ");
    const inPath = new Set<string>();
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      inPath.add(name);
      return encodeURIComponent(String(sent?.[name]));
    });
    const request = credentials === "body" ? { ...this.#merchant.keys, ...sent } : sent;
    const headers = credentials === "token" ? this.#bearer : {};
    const body = method === "POST" ? request : undefined;
    const answer = await this.send(method, path, body, headers);
    this.#called.set(operation, { sent: request, body: answer });
    return answer;
  }

  /** Sends a request that is no example. @throws where it is refused */
  async send(method: string, path: string, body: unknown, headers = this.#bearer): Promise<Members> {
    const answer = await this.#installation.send(method, path, body, headers);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Members;
  }

  /** Sends one request of /api/v4, with the access key. @throws where it is refused */
  async callV4(operation: string, { params = {}, query = {}, body }: V4Request = {}): Promise<Members> {
    const [method = "", template = ""] = operation.split(" ");
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
    const search = new URLSearchParams(query as Record<string, string>).toString();
    const { access_key_id: id, secret_access_key: secret } = this.#merchant.keys;
    const headers = { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` };
    const answer = await this.send(method, search === "" ? path : `${path}?${search}`, body, headers);
    const named = { ...params, ...query };
    const isNamed = Object.keys(named).length > 0;
    this.#called.set(operation, { ...(isNamed ? { params: named } : {}), sent: body, body: answer });
    return answer;
  }

  /** Runs one of the merchant's commands. @throws where it is refused */
  command<T = unknown>(words: string, flags: Readonly<Record<string, string>>): Promise<T> {
    const given = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    return nodalJson(this.#installation.environment, ...words.split(" "), "--merchant", this.#merchant.id, ...given);
  }

  /** The messages to a receiver, once the bank has answered all requests. */
  async listEvents(): Promise<Listed[]> {
    for (let tries = 0; tries < 20; tries += 1) {
      const listed = await this.command<Listed[]>("event list --reveal", { limit: "1000" });
      if (listed.some(({ type }) => type === EVENTS["commission"])) return listed;
    }
    throw new Error("the bank has not paid the commission");
  }

  /** Sends a transfer under its reference until its outcome is there: the same reference moves nothing again. */
  async callUntil(operation: string, sent: Members, wanted: Members): Promise<void> {
    const [[name, value] = ["", ""]] = Object.entries(wanted);
    for (let tries = 0; tries < 5; tries += 1) if ((await this.call(operation, sent))[name] === value) return;
    throw new Error(`${operation} has not come to ${String(value)}`);
  }

  body(operation: string): Members {
    return this.#called.get(operation)!.body;
  }

  answered(operation: string, member: string): string {
    return String(this.body(operation)[member]);
  }

  examples(messages: readonly Listed[]): Examples {
    const plain = new Plain(this.#today);
    const operations = Object.fromEntries(
      [...this.#called].map(([operation, { params, sent, body }]) => [
        operation,
        {
          ...(params === undefined ? {} : { params: plain.write(params) }),
          ...(sent === undefined ? {} : { request: plain.write(sent) }),
          response: plain.write(body),
        },
      ]),
    );
    const told = Object.entries(EVENTS).map(([kind, type]) => {
      const message = messages.find((each) => each.type === type);
      if (!message) throw new Error(`the walk makes no ${type}`);
      return [`webhook ${kind}`, { response: plain.write(message) }];
    });
    return { ...operations, ...(Object.fromEntries(told) as Examples) };
  }
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const PRINTED_DAY = new RegExp(`\\b[0-9]{1,2} (?:${MONTHS.join("|")}) [0-9]{4}\\b`, "g");

/** Writes values so that every run gives the same: ids are numbered, times and days are those of one day. */
class Plain {
  readonly #today: Temporal.PlainDate;
  readonly #ids = new Map<string, number>();

  constructor(today: Temporal.PlainDate) {
    this.#today = today;
  }

  write(value: unknown, name = ""): unknown {
    if (Array.isArray(value)) return value.map((each) => this.write(each, name));
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, this.write(each, member)]));
    }
    // How many entries came before depends on when the bank answered.
    if (name === "sequence" || name === "entry_no" || name === "event_no") return typeof value === "string" ? "42" : 42;
    if (typeof value === "number") return NUMBERED.test(name) ? this.#numberOf(String(value)) : value;
    return typeof value === "string" ? this.#text(value, name) : value;
  }

  #text(text: string, name: string): string {
    if (text === "" || text === "0") return text;
    if (name === "token") return "nt_sandbox_…";
    if (name === "access_key_id") return "nk_sandbox_…";
    if (name === "secret_access_key") return "ns_sandbox_…";
    if (text.startsWith("key:")) return "key:nk_sandbox_…";
    if (name === "utr" || name === "utr_number") return "609112345678";
    if (text.startsWith("OB_R")) return `OB_${this.#text(text.slice(3), "invoice_id")}`;
    if (name === "invoice_number") return text.replace(/[0-9]{4}([/-][0-9]+)$/, "2627$1");
    if (PUBLIC_LINK.test(text)) return text.replace(PUBLIC_LINK, "https://pay.example.com/i/Vx3nE2rT8c");
    if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return `${DAY.toString()} 10:30:00`;
    if (/^\d{4}-\d\d-\d\dT.*Z$/.test(text)) return `${DAY.toString()}T05:00:00.000Z`;
    if (/^\d{4}-\d\d-\d\dT.*[+]05:30$/.test(text)) return `${DAY.toString()}T10:30:00+05:30`;
    if (/^\d{4}-\d\d-\d\d$/.test(text)) return this.#day(text);
    const sentence = text
      .replaceAll(/\d{4}-\d\d-\d\d/g, (day) => this.#day(day))
      .replaceAll(PRINTED_DAY, (day) => this.#printedDay(day));
    // The last id of a page, alone or behind its day.
    if (name === "next") return sentence.replace(/\d{5,}$/, (id) => String(this.#numberOf(id)));
    if (!NUMBERED.test(name)) return sentence;
    if (/^R[0-9]{9,}$/.test(text)) return `R${String(this.#numberOf(text)).padStart(9, "0")}`;
    return /^[0-9]{5,}$/.test(text) ? String(this.#numberOf(text)) : sentence;
  }

  /** A day near today, moved to those of examples. Others do not depend on today: the first and last day of a rule. */
  #day(text: string): string {
    const { days } = this.#today.until(text);
    return Math.abs(days) > 1000 ? text : DAY.add({ days }).toString();
  }

  /** A day as documents print it. */
  #printedDay(text: string): string {
    const [day = "", month = "", year = ""] = text.split(" ");
    const date = Temporal.PlainDate.from({ year: Number(year), month: MONTHS.indexOf(month) + 1, day: Number(day) });
    return formatIndianDate(Temporal.PlainDate.from(this.#day(date.toString())));
  }

  #numberOf(id: string): number {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const number = 1_000_001 + this.#ids.size;
    this.#ids.set(id, number);
    return number;
  }
}
