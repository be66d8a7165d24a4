// Messages to customers for tests: merchants with messages to a customer, and the status of what they owe. No assertions.
import { vi } from "vitest";
import type { Installation } from "./installation.ts";
import { Invoices } from "./invoices.ts";

const TIMES = { timeout: 120_000, interval: 50 };

/** The members of an invoice whose customer gets a message. */
export const NOTIFY = { customer_code: "C2", invoice_properties: { notify_patron: "1" } };

/** A message as the database has it. */
export type MessageRow = {
  readonly notification_id: string;
  readonly channel: string;
  readonly state: string;
  readonly reason: string | null;
  readonly attempts: number;
  readonly reminder_days: number | null;
};

/** A merchant's messages to its customers. */
export class Messages {
  readonly invoices: Invoices;
  readonly #installation: Installation;

  private constructor(installation: Installation, invoices: Invoices) {
    this.#installation = installation;
    this.invoices = invoices;
  }

  /** Those of a new merchant, Asha Traders, which has none yet, and the customer C2 at this address. */
  static async ofNewMerchant(installation: Installation, email: string): Promise<Messages> {
    const invoices = await Invoices.ofNewMerchant(installation, {
      name: "Asha Traders",
      email: "asha@traders.example",
    });
    await invoices.addCustomer({ customer_code: "C2", customer_name: "Rohan Mehta", email, mobile: "09876500000" });
    return new Messages(installation, invoices);
  }

  get merchantId(): string {
    return this.invoices.merchant.id;
  }

  /** All of them, oldest first. */
  async read(): Promise<MessageRow[]> {
    const { rows } = await this.#installation.pool.query<MessageRow>(
      `select notification_id::text, channel, state, reason, attempts, reminder_days from notification
       where merchant_id = $1 order by created_at, notification_id`,
      [this.merchantId],
    );
    return rows;
  }

  /** Waits until all of them have these statuses, oldest first. */
  async until(...states: string[]): Promise<MessageRow[]> {
    return vi.waitFor(async () => {
      const rows = await this.read();
      const found = rows.map((row) => row.state).join(", ");
      if (found !== states.join(", ")) throw new Error(`the messages are ${found}, not ${states.join(", ")}`);
      return rows;
    }, TIMES);
  }

  /** Waits until the last one has failed this often and waits for its next attempt; does `before`; makes it due. */
  async retryAfter(attempts: number, before: () => unknown = () => {}): Promise<MessageRow> {
    const row = await vi.waitFor(async () => {
      const last = (await this.read()).at(-1);
      if (last?.state === "Queued" && last.attempts === attempts) return last;
      throw new Error(`no message has failed ${attempts} times: ${JSON.stringify(last)}`);
    }, TIMES);
    await before();
    await this.#installation.pool.query("update notification set due_at = now() where notification_id = $1", [
      row.notification_id,
    ]);
    return row;
  }

  /** Runs SQL whose $1 is the merchant's id. */
  async change(sql: string, ...values: unknown[]): Promise<void> {
    await this.#installation.pool.query(sql, [this.merchantId, ...values]);
  }
}
