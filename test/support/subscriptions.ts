// Subscriptions for tests: a merchant's requests about them, its clock, and what the database then keeps. No assertion.
import { runChecks } from "../../src/ledger/index.ts";
import { changeMerchant, requireMerchant, type MerchantProfile } from "../../src/merchants/index.ts";
import { CommissionPayer } from "../../src/franchises/index.ts";
import { OwnPayouts } from "../../src/payouts/index.ts";
import { readConfig } from "../../src/platform/config.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { createPool, type OwnedPool } from "../../src/platform/database/pool.ts";
import { createLogger } from "../../src/platform/log.ts";
import {
  advanceClock,
  billDue,
  SUBSCRIPTION_CHECKS,
  subscriptionObjects,
  type ClockParts,
  type SubscriptionObject,
} from "../../src/subscriptions/index.ts";
import { makeFranchise } from "./franchises.ts";
import type { Installation, Members } from "./installation.ts";
import { TEST_ACTOR, withTestSecrets } from "./secrets.ts";
import { Invoices } from "./invoices.ts";
import type { Answer } from "./nodal.ts";
import { recordEventsOf } from "./record-events.ts";

export const SUBSCRIPTION_SAVE = "/api/v1/merchant/subscription/save";

/** The repeated invoice, with one row without tax unless the test changes it. */
export const REPEATED = { customer_code: "C1", particular_rows: [{ item: "Rent", gst: "0", total_amount: "100.00" }] };

/** The answer of a save. */
export type Saved = {
  readonly subscription_id: string;
  readonly status: string;
  readonly next_invoice_date: string;
  readonly next_invoice_dates: string[];
  readonly invoices_created: number;
  readonly invoice_ids: string[];
  readonly parked: Readonly<Record<"code" | "reason" | "since" | "retry_at", string>> | null;
};

/** An invoice created by a subscription, as stored. Amounts are paise as text. */
export type MadeInvoice = {
  readonly invoice_id: bigint;
  readonly invoice_number: string;
  readonly bill_date: string;
  readonly due_date: string;
  readonly amount_paise: bigint;
  readonly previous_dues_paise: bigint;
  readonly status: string;
};

/** Where billing runs in the test's own process, beside the server. */
export class Biller {
  readonly parts: ClockParts;
  readonly #pools: readonly OwnedPool[];

  constructor(databaseUrl: string, connections = 12) {
    const pool = withTestSecrets(
      createPool({ url: databaseUrl, size: connections, role: "nodal_server", actor: TEST_ACTOR }),
    );
    // Transactions that hold all connections may be waiting for ids.
    const idPool = createPool({ url: databaseUrl, size: 1, role: "nodal_server" });
    this.#pools = [pool, idPool];
    const commissionPayer = new CommissionPayer(new OwnPayouts(readConfig({})));
    this.parts = { pool, ids: new IdSource(idPool), commissionPayer, logger: createLogger("silent") };
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()));
  }
}

/** A merchant's subscriptions. */
export class Subscriptions {
  readonly invoices: Invoices;
  readonly #installation: Installation;
  readonly #biller: Biller;

  private constructor(installation: Installation, biller: Biller, invoices: Invoices) {
    this.#installation = installation;
    this.#biller = biller;
    this.invoices = invoices;
  }

  /** Those of a new merchant, which has none yet, and one customer, C1. */
  static async ofNewMerchant(
    installation: Installation,
    biller: Biller,
    profile: Partial<MerchantProfile> = {},
  ): Promise<Subscriptions> {
    return new Subscriptions(installation, biller, await Invoices.ofNewMerchant(installation, profile));
  }

  get merchantId(): bigint {
    return BigInt(this.invoices.merchant.id);
  }

  /** Saves a subscription that begins tomorrow, monthly without end, except for these members. */
  save(members: Members, headers?: Record<string, string>): Promise<Answer> {
    const start = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 1 });
    const plain = {
      template_id: "",
      mode: "Monthly",
      repeat_every: "1",
      start_date: start.toString(),
      due_date: members["start_date"] ?? start.toString(),
      end_mode: "Never",
      occurences: "",
      end_date: "",
      carry_forword_dues: "0",
      invoice: REPEATED,
    };
    return this.invoices.ask(SUBSCRIPTION_SAVE, { ...plain, ...members }, headers);
  }

  /** Saves one that must be accepted. */
  async add(members: Members = {}): Promise<Saved> {
    const { status, body } = await this.save(members);
    if (status !== 200) throw new Error(`refused: ${status} ${JSON.stringify(body)}`);
    return body.srvrsp as Saved;
  }

  /** Moves the clock and bills, as `nodal clock advance` does. Returns how many invoices were made. */
  async advanceTo(date: string | Temporal.PlainDate): Promise<number> {
    const to = Temporal.PlainDate.from(date);
    return Number(
      (await advanceClock({ ...this.#biller.parts, merchant: { merchantId: this.merchantId } }, { to })).invoices,
    );
  }

  /** Moves the clock alone. */
  async setClock(date: string | Temporal.PlainDate): Promise<void> {
    const clockDate = Temporal.PlainDate.from(date);
    await changeMerchant({ ...this.#biller.parts, merchant: { merchantId: this.merchantId } }, { clockDate });
  }

  /** The answer to a request that must not change anything; throws if it did. */
  async unmoved(ask: () => Promise<Answer>): Promise<Answer> {
    const count = async (): Promise<string> => {
      const { rows } = await this.#installation.pool.query<{ count: string }>(
        `select subscriptions.count || ' ' || entries.count as count
         from (select count(*) from subscription where merchant_id = $1) as subscriptions,
           (select count(*) from journal where merchant_id = $1) as entries`,
        [this.merchantId],
      );
      return rows[0]!.count;
    };
    const before = await count();
    const answer = await this.invoices.unmoved(ask);
    if ((await count()) !== before) throw new Error(`${answer.status} changed subscriptions or events`);
    return answer;
  }

  /** Gives the merchant a franchise. Returns its id. */
  async addFranchise(): Promise<string> {
    const { pool, ids } = this.#biller.parts;
    const franchise = await makeFranchise({ server: pool, ids }, await requireMerchant(pool, this.merchantId));
    return String(franchise.franchiseId);
  }

  /** Deletes a franchise, or brings it back, which nobody but a test can. */
  async setFranchiseDeleted(franchiseId: string, isDeleted: boolean): Promise<void> {
    const deletedAt = isDeleted ? Temporal.Now.instant().toString() : null;
    await this.#installation.pool.query("update franchise set deleted_at = $2 where franchise_id = $1", [
      franchiseId,
      deletedAt,
    ]);
    await recordEventsOf(this.#installation.pool, this.merchantId, "franchise.created", [franchiseId]);
  }

  /**
   * The checks of subscriptions that fail for the merchant, once a statement on a subscription has broken something.
   */
  async findViolations(sql?: string, saved?: Saved): Promise<string[]> {
    const connection = await this.#installation.pool.connect();
    try {
      await connection.query("begin");
      if (sql) await connection.query(sql, [saved!.subscription_id]);
      const merchant = await requireMerchant(connection, this.merchantId);
      const { violations } = await runChecks(connection, SUBSCRIPTION_CHECKS, merchant, 100);
      return violations.map(({ check }) => check);
    } finally {
      await connection.query("rollback");
      connection.release();
    }
  }

  /** Suspends the merchant, or activates it again. */
  async suspend(isSuspended: boolean): Promise<void> {
    const status = isSuspended ? "suspended" : "active";
    await changeMerchant({ ...this.#biller.parts, merchant: { merchantId: this.merchantId } }, { status });
  }

  /** Bills what is due now. */
  async bill(): Promise<number> {
    const merchant = await requireMerchant(this.#biller.parts.pool, this.merchantId);
    return billDue({ ...this.#biller.parts, merchant });
  }

  /** A subscription as `nodal subscription show` has it. */
  async show({ subscription_id }: Pick<Saved, "subscription_id">): Promise<SubscriptionObject> {
    const id = BigInt(subscription_id);
    const { pool } = this.#biller.parts;
    const merchant = await requireMerchant(pool, this.merchantId);
    const found = (await subscriptionObjects(pool, merchant, [id])).get(id);
    if (!found) throw new Error(`there is no subscription ${subscription_id}`);
    return found;
  }

  /** The invoices of a subscription, or of all, in the order of subscriptions and occurrences. */
  async made(saved?: Pick<Saved, "subscription_id">): Promise<MadeInvoice[]> {
    const { rows } = await this.#installation.pool.query<MadeInvoice>(
      `select invoice_id, invoice_number, invoice.bill_date::text, invoice.due_date::text, amount_paise,
         previous_dues_paise, status
       from subscription_occurrence
       join invoice using (bucket, merchant_id, invoice_id)
       join subscription using (bucket, merchant_id, subscription_id)
       where merchant_id = $1 and ($2::bigint is null or subscription_id = $2)
       order by subscription.created_at, subscription_id, occurrence_no`,
      [this.merchantId, saved?.subscription_id ?? null],
    );
    return rows;
  }

  /** The bill dates of a subscription's invoices, in order. */
  async dates(saved?: Pick<Saved, "subscription_id">): Promise<string[]> {
    return (await this.made(saved)).map((invoice) => invoice.bill_date);
  }

  /** The merchant's events about subscriptions, in order. */
  async events(): Promise<string[]> {
    const { rows } = await this.#installation.pool.query<{ type: string }>(
      "select type from journal where merchant_id = $1 and type like 'subscription.%' order by entry_no",
      [this.merchantId],
    );
    return rows.map(({ type }) => type);
  }
}
