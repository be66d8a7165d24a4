// The installation that is fuzzed: two merchants with a little of everything, and what must hold of it at any time.
import { saveColumn } from "../../src/customers/index.ts";
import { createMerchantsWithTemplate, sampleProfile } from "../../src/installation/index.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { GOOD_ACCOUNT, Installation, TestMerchant } from "../support/installation.ts";
import { INVOICE_SAVE, PLAIN } from "../support/invoices.ts";
import { CUSTOMER_SAVE } from "../support/merchant-wire.ts";
import type { Answer } from "../support/nodal.ts";
import { WRONG_TOKEN } from "./odd-http.ts";
import type { Sender } from "./odd-requests.ts";
import type { KnownValues } from "./schema-values.ts";

const FUNDS_PAISE = 1_000_000_000n;
/** The newest of what exists is used most: older ones may be deleted, paid or cancelled. */
const KNOWN_AT_MOST = 20;
/** What is another merchant's is refused as unknown. */
const FOREIGN_AT_MOST = 2;
/** A log line is about one request; nothing that a caller sends makes it longer. */
const LONGEST_LOG_LINE = 16 * 1024;

/** Sent where secrets stand, and looked for where they must not be. */
export const CANARIES = {
  secret: "ns_fuzzCanarySecretThatNobodyHasAtAll0123456789",
  password: "fuzz canary passw0rd",
  account: "77FUZZCANARY0042",
  aadhaar: "990817263545",
} as const;

/** Tables that work in the background moves, or that remember what was refused. */
const BACKGROUND_TABLES = [
  "transfer_dispatch",
  "dispatch_claim",
  "notification",
  "mail_address",
  "webhook_delivery",
  "webhook_attempt",
  "merchant_notice",
  "journal_seal",
  "book_balance",
  "payout_day_sum",
  "sealed_book",
  "sealed_thing",
  "message_day",
];

/** An installation with two merchants. */
export class Stage {
  readonly installation: Installation;
  readonly merchants: readonly TestMerchant[];
  readonly #templateIds: readonly string[];
  #stateSql = "";

  private constructor(installation: Installation, merchants: readonly TestMerchant[], templateIds: readonly string[]) {
    this.installation = installation;
    this.merchants = merchants;
    this.#templateIds = templateIds;
  }

  static async open(): Promise<Stage> {
    const installation = await Installation.startProcess({ LOG_LEVEL: "trace" });
    const ids = new IdSource(installation.pool);
    const profiles = ["First", "Second"].map((name) => ({
      ...sampleProfile(`${name} Fuzz Traders`, "fuzz@example.com"),
      gstin: "29AAACI1234K1Z5",
    }));
    const made = await createMerchantsWithTemplate({ pool: installation.pool, ids }, profiles);
    const merchants: TestMerchant[] = [];
    for (const { merchant, accessKeyId, secret } of made) {
      const keys = { access_key_id: accessKeyId, secret_access_key: secret };
      merchants.push(await TestMerchant.signIn(installation, String(merchant.merchantId), keys));
      const { bucket, merchantId } = merchant;
      const funding = { bucket, merchantId, amountPaise: FUNDS_PAISE, reference: "opening" };
      await fundMerchant(installation.pool, ids, funding);
      await saveColumn({ pool: installation.pool, ids, merchant }, { name: "Notes", type: "text" });
    }
    const stage = new Stage(
      installation,
      merchants,
      made.map(({ templateId }) => String(templateId)),
    );
    for (const merchant of merchants) await stage.#furnish(merchant);
    return stage;
  }

  get port(): number {
    return Number(new URL(this.installation.server.baseUrl).port);
  }

  get senders(): Sender[] {
    return this.merchants.map(({ keys, token }) => ({ keys, token }));
  }

  async #furnish(merchant: TestMerchant): Promise<void> {
    const must = (answer: Answer): Answer["body"] => {
      if (answer.status !== 200) throw new Error(`refused: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const beneficiary_id = await merchant.addBeneficiary();
    await merchant.addBeneficiary({ ...GOOD_ACCOUNT, account_number: CANARIES.account, upi: "fuzz@upi" });
    must(await merchant.transfer({ beneficiary_id, amount: "10.00", reference_id: "first" }));
    must(await merchant.post("/api/v1/franchise/save", FRANCHISE_LEAST));
    const send = (path: string, body: object): Promise<Answer> =>
      this.installation.send("POST", path, { ...merchant.keys, ...body });
    const customer = ["C1", "C2"].map((code) => ({
      customer_code: code,
      customer_name: code,
      customer_group: "Retail",
    }));
    must(await send(CUSTOMER_SAVE, { customer }));
    must(await send(INVOICE_SAVE, { template_id: "", invoice: Array(KNOWN_AT_MOST).fill(PLAIN) }));
  }

  /** What exists now, by the names of the members that take it, with dates and amounts that suit. */
  async readKnownValues(): Promise<KnownValues> {
    const ids = (table: string, column: string, prefix = ""): Promise<string[]> => this.#newest(table, column, prefix);
    const beneficiaries = await ids("beneficiary", "beneficiary_id");
    const [transfers, references] = [await ids("transfer", "transfer_id"), await ids("transfer", "reference_id")];
    const day = (days: number): string => Temporal.Now.plainDateISO("Asia/Kolkata").add({ days }).toString();
    const [earlier, later] = [
      [day(-2), day(-1), day(0)],
      [day(1), day(9), day(40)],
    ];
    const amounts = ["1.00", 12.5, "590.00", 1, "0.01"];
    return {
      beneficiary_id: beneficiaries,
      id: [...transfers, ...references, ...(await ids("customer_column", "column_id"))],
      customer_id: (await ids("customer", "customer_id")).map(Number),
      customer_code: await ids("customer", "customer_code"),
      franchise_id: ["", ...(await ids("franchise", "franchise_id"))],
      invoice_id: await ids("invoice", "invoice_id", "R"),
      template_id: ["", "", ...this.#templateIds],
      account_number: [CANARIES.account, GOOD_ACCOUNT.account_number],
      ifsc: [GOOD_ACCOUNT.ifsc],
      aadhar_number: [CANARIES.aadhaar],
      password: [CANARIES.password],
      mobile: ["9876543210", 9876543210],
      role_name: ["Franchise"],
      new_customer: ["", { customer_code: "", customer_name: "" }],
      custom_header_fields: [[], ""],
      state: ["Karnataka", "MH", 27, ""],
      particular_rows: [PLAIN.particular_rows],
      customer_group: ["Retail", ""],
      group: ["Retail"],
      occurences: [1, "3"],
      ...Object.fromEntries(["amount", "total_amount", "applicable_on"].map((name) => [name, amounts])),
      previous_dues: ["", ...amounts],
      commission: [5, "2.50"],
      ...Object.fromEntries(["bill_date", "start_date", "from_date", "paid_date"].map((name) => [name, earlier])),
      ...Object.fromEntries(["due_date", "end_date", "to_date"].map((name) => [name, later])),
    };
  }

  /** The last part of the address of the newest invoices' pages. */
  async readPageNames(): Promise<string[]> {
    const { rows } = await this.installation.pool.query<{ name: string }>(
      `select concat_ws('-', bucket, merchant_id, lpad(invoice_id::text, 9, '0'), public_token) as name
       from invoice order by created_at desc limit ${KNOWN_AT_MOST}`,
    );
    return rows.map(({ name }) => name);
  }

  async #newest(table: string, column: string, prefix: string): Promise<string[]> {
    const value = prefix === "" ? `${column}::text` : `'${prefix}' || lpad(${column}::text, 9, '0')`;
    const { rows } = await this.installation.pool.query<{ value: string }>(
      `select value from (
         select ${value} as value, row_number() over (partition by merchant_id order by ${column} desc) as place, merchant_id
         from ${table} where ${column} is not null
       ) as kept where place <= case merchant_id when $1 then ${KNOWN_AT_MOST} else ${FOREIGN_AT_MOST} end order by merchant_id = $1 desc, place`,
      [this.merchants[0]!.id],
    );
    return rows.map((row) => row.value);
  }

  /** How many rows each table has, and every balance: what a refused request must leave as it is. */
  async readState(): Promise<string> {
    if (this.#stateSql === "") this.#stateSql = await this.#writeStateSql();
    const { rows } = await this.installation.pool.query<{ state: string }>({ name: "state", text: this.#stateSql });
    return rows[0]!.state;
  }

  async #writeStateSql(): Promise<string> {
    const { rows } = await this.installation.pool.query<{ name: string }>(
      `select table_name::text as name from information_schema.columns
       where table_schema = 'public' and column_name = 'merchant_id' and table_name <> all($1) order by table_name`,
      [BACKGROUND_TABLES],
    );
    const counts = rows.map(({ name }) => `'${name} ' || (select count(*) from ${name})`);
    const balances = `(select string_agg(concat_ws(' ', merchant_id, kind, owner_id, balance), ', '
      order by merchant_id, kind, owner_id) from ledger_balances)`;
    return `select concat_ws(', ', ${counts.join(", ")}, ${balances}) as state`;
  }

  /** The secrets of the merchants, and those that were made up. */
  get secrets(): string[] {
    const real = this.merchants.flatMap(({ keys, token }) => [keys.secret_access_key, token]);
    return [...real, CANARIES.secret, CANARIES.password, WRONG_TOKEN];
  }

  /** The lines of the log that hold what no log may, that are too long, or that tell of a failure. */
  findBadLogLines(): string[] {
    const hidden = [...this.secrets, CANARIES.account, CANARIES.aadhaar, GOOD_ACCOUNT.account_number];
    const isBad = (line: string): boolean =>
      hidden.some((text) => line.includes(text)) ||
      /\bns_[\w-]{20,}|nk_[0-9]+_[0-9]+_[0-9a-f]{12}\.[0-9]{10,}/.test(line) ||
      /"level":"(error|fatal)"/.test(line) ||
      line.length > LONGEST_LOG_LINE;
    // What is no JSON is for the person who started the server.
    const lines = this.installation.server.output.split("\n").filter((line) => line.startsWith("{"));
    const bad = lines.filter(isBad).map((line) => line.slice(0, 2000));
    // One of each kind is enough to read.
    return [...new Map(bad.map((line) => [line.replaceAll(/"(time|request_id)":"[^"]*"/g, ""), line])).values()];
  }
}
