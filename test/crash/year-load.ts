// A year of billing over HTTP: batches of invoices, and what happens to each of them and to their customers. Every write has
// a key and is sent until it is answered, also by the server that comes after one that was killed. No assertion.
import { randomUUID } from "node:crypto";
import { send, type Answer } from "../support/nodal.ts";
import type { Members } from "../support/installation.ts";

export type Dice = (limit: number) => number;
export const BATCH = 50;
/** How far back the year begins. The last two months of it are ahead of today. */
export const DAYS_BACK = 300;
/** The invoices of a batch are of so many days. */
const SPREAD = 5;
/** After each batch, at most, besides one of the first customer, whose receipts bounce. */
const RECEIPTS = 4;
/** Their receipts bounce, so that their invoices are never credited: what a credit note owes back could be due again. */
const BOUNCING = "B";
const STATES = ["Karnataka", "Maharashtra", "Kerala"];

type Saved = { readonly invoice_id: string; readonly amount: string };
type Receipt = { readonly receipt_id: string; readonly vouchers: readonly object[] };
/** An invoice as it was sent and answered. */
type Billed = Saved & { readonly code: string; readonly billed: Temporal.PlainDate; readonly roll: Dice };

export class YearLoad {
  readonly #headers: Readonly<Record<string, string>>;
  readonly #today: Temporal.PlainDate;
  readonly codes: readonly string[];
  /** Ids of customers by code. */
  readonly #customers = new Map<string, string>();
  /** Where requests go, once there is a server. */
  server: Promise<string>;
  /** How many writes were done and refused, by what they do. */
  readonly done = new Map<string, number>();
  readonly refused = new Map<string, string>();

  constructor(server: string, headers: Readonly<Record<string, string>>, today: Temporal.PlainDate, customers: number) {
    this.server = Promise.resolve(server);
    this.#headers = headers;
    this.#today = today;
    this.codes = Array.from({ length: customers }, (_, place) => `${place % 8 === 0 ? BOUNCING : "C"}${place}`);
  }

  get(path: string): Promise<Answer> {
    return this.#ask("GET", path);
  }

  /** Sends a write until it is answered; a refusal is counted and answered with null. */
  async write(what: string, method: string, path: string, body: Members): Promise<Members | null> {
    const { status, body: answer } = await this.#ask(method, path, body, { "idempotency-key": randomUUID() });
    if (status === 200) {
      this.done.set(what, (this.done.get(what) ?? 0) + 1);
      return answer as Members;
    }
    if (status >= 500) throw new Error(`${what}: ${status} ${JSON.stringify(answer)}`);
    this.refused.set(what, JSON.stringify(answer));
    return null;
  }

  async #ask(method: string, path: string, body?: Members, more: Record<string, string> = {}): Promise<Answer> {
    for (;;) {
      const server = await this.server;
      try {
        const answer = await send(server, method, `/api/v4${path}`, body, { ...this.#headers, ...more });
        if (answer.status !== 503 && answer.status !== 429) return answer;
      } catch (error) {
        // Fetch's own words for a connection that broke: the server was killed.
        if (!(error instanceof TypeError)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Makes the customers, and an opening balance for each fifth. */
  async begin(): Promise<void> {
    for (const [place, code] of this.codes.entries()) {
      const state = STATES[place % STATES.length]!;
      const answer = await this.write("customer", "POST", "/customers", {
        customer_code: code,
        customer_name: `Shop ${code}`,
        state,
      });
      this.#customers.set(code, String(answer!["customer_id"]));
      if (place % 5 === 0) {
        const date = this.#day(DAYS_BACK - (place % 50)).toString();
        const opening = { customer_code: code, date, due_date: date, amount: `${100 + place}.25` };
        await this.write("opening balance", "POST", "/opening-balances", opening);
      }
    }
  }

  #day(back: number): Temporal.PlainDate {
    return this.#today.subtract({ days: Math.max(back, 0) });
  }

  #after(day: Temporal.PlainDate, days: number): string {
    const later = day.add({ days });
    return (Temporal.PlainDate.compare(later, this.#today) > 0 ? this.#today : later).toString();
  }

  /** One batch of invoices, and all that happens to them. `part` of the year has passed, from 0 to 1. */
  async live(part: number, roll: Dice): Promise<void> {
    const first = DAYS_BACK - SPREAD - Math.floor(part * (DAYS_BACK - SPREAD));
    const sent = Array.from({ length: BATCH }, () => {
      const billed = this.#day(first + roll(SPREAD));
      const code = this.codes[roll(this.codes.length)]!;
      const dates = { bill_date: billed.toString(), due_date: billed.add({ days: roll(60) }).toString() };
      return {
        code,
        billed,
        invoice: { customer_code: code, ...dates, particular_rows: rowsOf(roll), round_off: roll(3) === 0 ? "1" : "" },
      };
    });
    const answer = await this.write("invoices", "POST", "/invoices", { invoice: sent.map(({ invoice }) => invoice) });
    if (answer === null) throw new Error(this.refused.get("invoices"));
    const saved = (answer["invoices"] as Saved[]).map((each, place) => ({ ...each, ...sent[place]!, roll }));
    await Promise.all([saved.slice(0, 25), saved.slice(25)].map((some) => this.#liveThrough(some)));
    const payers = Array.from({ length: RECEIPTS }, () => this.codes[roll(this.codes.length)]!);
    for (const code of new Set([...payers, this.codes[0]!])) {
      const own = saved.filter((each) => each.code === code);
      await this.#receive(code, own, roll);
    }
  }

  async #liveThrough(invoices: readonly Billed[]): Promise<void> {
    for (const invoice of invoices) await this.#happen(invoice);
  }

  async #happen(invoice: Billed): Promise<void> {
    const { invoice_id: id, billed, roll, code } = invoice;
    const chance = roll(100);
    if (chance < 10) await this.#change(id, roll);
    else if (chance < 15) await this.write("cancellation", "POST", `/invoices/${id}/cancel`, {});
    else if (chance < 40) await this.#pay(invoice, invoice.amount);
    else if (chance < 48) {
      // Bank charges were kept back: the rest is written off.
      await this.#pay(invoice, less(invoice.amount, 150n));
      const written = { reason: "Bank charges", date: this.#after(billed, 70) };
      await this.write("write-off", "POST", `/invoices/${id}/write-off`, written);
    } else if (chance < 53) {
      const payment = await this.#pay(invoice, less(invoice.amount, 100n));
      const paid = (payment?.["payment"] as { transaction_id: string } | undefined)?.transaction_id;
      if (paid) {
        const reason = { reason: "Cheque bounced" };
        await this.write("reversal", "POST", `/invoices/${id}/payments/${paid}/reverse`, reason);
      }
    } else if (!code.startsWith(BOUNCING) && chance < 70) await this.#note(invoice);
  }

  async #change(id: string, roll: Dice): Promise<void> {
    const moved = roll(3) === 0 ? { bill_date: this.#day(roll(DAYS_BACK)).toString() } : {};
    const due = moved.bill_date ? { due_date: this.#today.toString() } : {};
    const invoice = { ...moved, ...due, particular_rows: rowsOf(roll) };
    await this.write("change", "PUT", `/invoices/${id}`, { invoice });
  }

  /** A payment; a third of them with TDS. */
  async #pay({ invoice_id: id, billed, roll }: Billed, amount: string): Promise<Members | null> {
    const tds = roll(3) === 0 ? 1n + BigInt(roll(900)) : 0n;
    const paid = {
      amount: less(amount, tds),
      ...(tds > 0n ? { tds_amount: less("0.00", -tds), tds_code: "1027" } : {}),
      paid_date: this.#after(billed, roll(60)),
      mode: ["NEFT", "UPI", "Cash"][roll(3)]!,
    };
    return this.write(tds > 0n ? "payment with TDS" : "payment", "POST", `/invoices/${id}/payments`, paid);
  }

  async #note({ invoice_id, billed, roll }: Billed): Promise<void> {
    const note = { invoice_id, reason: "Returned", date: this.#after(billed, roll(40)) };
    if (roll(3) === 0) {
      await this.write("debit note", "POST", "/debit-notes", { ...note, rows: [{ row: 1, amount: "10.40" }] });
      return;
    }
    const credited = await this.write("credit note", "POST", "/credit-notes", {
      ...note,
      rows: [{ row: 1, quantity: "1" }],
    });
    if (credited && roll(4) === 0) {
      const path = `/credit-notes/${String(credited["credit_note_id"])}/cancel`;
      await this.write("credit note cancelled", "POST", path, {});
    }
  }

  /** Money for several invoices, or in advance: used later, given back in part, or bounced. */
  async #receive(code: string, invoices: readonly Billed[], roll: Dice): Promise<void> {
    const latest = invoices.map(({ billed }) => billed).sort((one, other) => Temporal.PlainDate.compare(one, other));
    const date = this.#after(latest.at(-1) ?? this.#today, roll(30));
    const named = invoices.slice(0, 3).map(({ invoice_id }) => ({ invoice_id, amount: "25.00" }));
    const money = { amount: `${200 + roll(3000)}.75`, date, mode: roll(4) === 0 ? "Cash" : "NEFT" };
    const body = {
      customer_id: this.#customers.get(code)!,
      ...money,
      ...(roll(3) === 0 ? { tds_amount: "20.10" } : {}),
      ...(roll(3) === 0 ? { advance_gst: { description: "Services", rate: ["5", "18"][roll(2)]! } } : {}),
      ...[{}, { allocations: [] }, { allocations: code.startsWith(BOUNCING) ? [] : named }][roll(3)],
    };
    const answer = await this.write("receipt", "POST", "/receipts", body);
    const receipt = answer?.["receipt"] as Receipt | undefined;
    if (!receipt) return;
    if (receipt.vouchers.length > 0) this.done.set("taxed advance", (this.done.get("taxed advance") ?? 0) + 1);
    const path = `/receipts/${receipt.receipt_id}`;
    if (roll(2) === 0) await this.write("refund", "POST", `${path}/refund`, { amount: "5.00", date, mode: "NEFT" });
    if (roll(2) === 0) await this.write("use of an advance", "POST", `${path}/allocate`, { date });
    if (code.startsWith(BOUNCING) && roll(3) > 0) {
      await this.write("receipt reversed", "POST", `${path}/reverse`, { reason: "Cheque bounced" });
    }
  }
}

function rowsOf(roll: Dice): Members[] {
  return Array.from({ length: 1 + roll(3) }, () => ({
    item: `Item ${roll(9)}`,
    sac_code: ["998311", "8471", "6907"][roll(3)]!,
    quantity: `${1 + roll(9)}`,
    unit: "NOS",
    unit_price: `${50 + roll(900)}.${10 + roll(90)}`,
    gst: ["0", "5", "18"][roll(3)]!,
    cess_percentage: roll(6) === 0 ? "12" : "",
  }));
}

/** An amount in rupees less so many paise. */
function less(rupees: string, paise: bigint): string {
  const rest = BigInt(rupees.replace(".", "")) - paise;
  return `${rest / 100n}.${String(rest % 100n).padStart(2, "0")}`;
}
