// A ledger with live merchants, payments that the bank has reported, and imported statements. No assertions.
import {
  accept,
  applyReports,
  claim,
  makeLiveMerchants,
  newTransfer,
  openLedgerDatabase,
  reportOn,
  type LedgerDatabase,
} from "../../test/support/ledger.ts";
import { readOwed, recordEvents } from "../ledger/index.ts";
import { requireMerchant, type Merchant, type WriteContext } from "../merchants/index.ts";
import { verify } from "../payouts/index.ts";
import { newTag } from "../payouts/providers/payment-id.ts";
import { NO_CREDENTIALS } from "../payouts/providers/credentials.ts";
import { INSTALLATION } from "../payouts/providers/provider-account.ts";
import { insertProviderAccount } from "../payouts/providers/provider-account-store.ts";
import type { PaymentStatus, ProviderFee } from "../payouts/rails/rail.ts";
import type { NewTransfer } from "../payouts/transfer-store.ts";
import { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type OwnedPool, type Pool } from "../platform/database/pool.ts";
import { formatPaise } from "../platform/money.ts";
import { importStatement, type ImportContext } from "./import-statement.ts";
import { reconcile } from "./reconcile.ts";
import type { StatementImport } from "./statement-import.ts";
import { searchLines, type StatementLine } from "./statement-store.ts";
import { RECONCILIATION_CHECKS } from "./verify-store.ts";

const FUNDS_PAISE = 10_000_000n;

/** A provider account of the installation, used by merchants without their own. Returns the tag in its payments' ids. */
export async function makeSharedAccount(pool: Pool): Promise<string> {
  const tag = newTag();
  const account = {
    ...INSTALLATION,
    accountId: await new IdSource(pool).next(),
    provider: "cashfree" as const,
    baseUrl: "https://cashfree.example",
    keyId: "key",
    secret: "secret",
    webhookSecret: "secret",
    returnsFees: false,
    callsPerSecond: null,
    ...NO_CREDENTIALS,
    tag,
    priorities: {},
    version: 1,
    olderWebhookSecret: null,
    credentialsChangedAt: null,
    failingSince: null,
    failingReason: null,
    connectedAt: Temporal.Now.instant(),
    disconnectedAt: null,
  };
  await inTransaction(pool, async (connection) => {
    await insertProviderAccount(connection, account);
    await recordEvents(connection, INSTALLATION, [{ type: "provider.connected", subjectId: account.accountId }]);
  });
  return tag;
}

/** A line for a statement; amounts in paise. */
export type Written = { reference?: string; narration?: string; out?: bigint; in?: bigint; day?: string };

export const utrOf = ({ transferId }: NewTransfer): string => `UTR${transferId}`;

/** A statement of these lines, without balances. */
export function csv(lines: readonly Written[]): Uint8Array {
  const rupees = (paise: bigint | undefined): string => (paise === undefined ? "" : formatPaise(paise));
  const rows = lines.map(({ reference = "", narration = "NEFT", out, in: came, day = "20/11/2026" }) =>
    [day, narration, reference, rupees(out), rupees(came)].join(","),
  );
  return new TextEncoder().encode(["Date,Narration,Ref No,Debit,Credit", ...rows].join("\n"));
}

/**
 * Runs `work` on a server that is killed after its first SQL statement, then after its second, and so on, until one lives long
 * enough. `afterDeath` checks what each of the others left.
 */
export async function killEachTime<T>(
  pool: Pool,
  work: (pool: Pool) => Promise<T>,
  afterDeath: () => Promise<void>,
): Promise<T> {
  for (let statements = 1; ; statements += 1) {
    try {
      return await work(new DyingPool(pool, statements));
    } catch (error) {
      if ((error as Error).message !== KILLED) throw error;
    }
    await afterDeath();
  }
}

const KILLED = "killed";

/** A pool that sends this many SQL statements and no more, not even a rollback. */
class DyingPool {
  /** Shares the pool's caches. */
  readonly beneath: OwnedPool;
  readonly #pool: Pool;
  #left: number;

  constructor(pool: Pool, statements: number) {
    this.beneath = pool.beneath ?? (pool as OwnedPool);
    this.#pool = pool;
    this.#left = statements;
  }

  readonly query = ((...statement: [string]) =>
    this.#left-- > 0 ? this.#pool.query(...statement) : Promise.reject(new Error(KILLED))) as Pool["query"];

  readonly connect = (async () => {
    const connection = await this.#pool.connect();
    const run = connection.query.bind(connection) as (...statement: [string]) => Promise<unknown>;
    const release = connection.release.bind(connection);
    connection.query = ((...statement: [string]) =>
      this.#left-- > 0 ? run(...statement) : Promise.reject(new Error(KILLED))) as typeof connection.query;
    connection.release = (destroy) => {
      Object.assign(connection, { query: run });
      release(destroy ?? this.#left < 0);
    };
    return connection;
  }) as Pool["connect"];
}

export class Stage {
  readonly db: LedgerDatabase;
  #merchant: Merchant | null = null;

  constructor(db: LedgerDatabase) {
    this.db = db;
  }

  static async open(): Promise<Stage> {
    return new Stage(await openLedgerDatabase());
  }

  /** The merchant of the test. */
  get merchant(): Merchant {
    return this.#merchant!;
  }

  get context(): WriteContext<Merchant> & Pick<ImportContext, "accounts"> {
    return { pool: this.db.server, ids: this.db.ids, merchant: this.merchant, accounts: this.db.server };
  }

  async newMerchant(fundsPaise = FUNDS_PAISE): Promise<void> {
    const [made] = (await makeLiveMerchants(this.db, 1, fundsPaise)) as [Merchant];
    this.#merchant = await requireMerchant(this.db.server, made.merchantId);
  }

  /** The findings of `nodal verify` for the merchant's money. */
  async violations(): Promise<readonly unknown[]> {
    return (await verify(this.db.owner, this.merchant, RECONCILIATION_CHECKS)).violations;
  }

  /** The merchant's available balance, in paise. */
  async available(): Promise<bigint> {
    const { rows } = await this.db.owner.query<{ paise: bigint }>(
      "select available_paise as paise from ledger_book where merchant_id = $1",
      [this.merchant.merchantId],
    );
    return rows[0]!.paise;
  }

  /** The merchant's debt, in paise. */
  async owed(): Promise<bigint> {
    const { bucket, merchantId } = this.merchant;
    return readOwed(this.db.owner, bucket, merchantId);
  }

  /** The fees booked from statements. */
  async lateFees(): Promise<bigint[]> {
    const { rows } = await this.db.owner.query<{ fee_id: bigint }>(
      "select fee_id from late_fee where merchant_id = $1 order by fee_id",
      [this.merchant.merchantId],
    );
    return rows.map((row) => row.fee_id);
  }

  /** A transfer with these reports from the bank. Its UTR is `UTR` and its id. */
  async pay(amountPaise: bigint, statuses: PaymentStatus[], fee?: ProviderFee): Promise<NewTransfer> {
    const { db, merchant } = this;
    const transferId = await db.ids.next();
    const wanted = { ...newTransfer(merchant, transferId, amountPaise, `ORDER-${transferId}`), rail: "provider" };
    const [transfer] = await accept(db.server, [wanted]);
    await claim(db.server, [transfer!]);
    for (const status of statuses) await this.report(transfer!, status, fee);
    return transfer!;
  }

  async report(
    transfer: NewTransfer,
    status: PaymentStatus,
    fee?: ProviderFee,
    at: Temporal.Instant = Temporal.Now.instant(),
  ): Promise<void> {
    const returned = status === "REVERSED" && fee ? { returnsFee: true } : {};
    const report = { ...reportOn(transfer, status), ...(status === "SUCCESS" && fee ? { fee } : {}), ...returned };
    await applyReports(this.db.server, at, [{ ...report, utr: utrOf(transfer) }]);
  }

  async take(lines: readonly Written[], account = "HDFC"): Promise<StatementImport> {
    const taken = await importStatement(this.context, { account, fileName: "day.csv", bytes: csv(lines) });
    await reconcile(this.context);
    return taken;
  }

  lines(): Promise<StatementLine[]> {
    const all = { accountId: null, from: null, to: null, state: null, after: null, limit: 1000 };
    return searchLines(this.db.server, this.merchant, all);
  }

  /** Each line as a text: its reference, status, matched item, and difference. */
  async statuses(): Promise<string[]> {
    return (await this.lines()).map(({ reference, state, matchedBy, difference }) =>
      [reference ?? "none", state, matchedBy ?? difference].filter((part) => part !== null).join(" "),
    );
  }

  /** The sums of transfers' postings on payout_clearing, in paise. */
  async clearingOf(...transfers: readonly NewTransfer[]): Promise<bigint[]> {
    const { rows } = await this.db.owner.query<{ sum: bigint }>(
      `select coalesce(sum(case when credit_kind = 'payout_clearing' then amount_paise
         when debit_kind = 'payout_clearing' then -amount_paise else 0 end), 0)::bigint as sum
       from unnest($2::bigint[]) with ordinality as wanted (subject_id, place)
       left join journal on journal.subject_id = wanted.subject_id and merchant_id = $1
       group by place order by place`,
      [this.merchant.merchantId, transfers.map(({ transferId }) => transferId)],
    );
    return rows.map(({ sum }) => sum);
  }

  async countPostings(kind: string): Promise<number> {
    const { rows } = await this.db.owner.query<{ count: bigint }>(
      "select count(*) as count from journal where merchant_id = $1 and kind = $2",
      [this.merchant.merchantId, kind],
    );
    return Number(rows[0]!.count);
  }
}
