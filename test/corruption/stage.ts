// A database in which a merchant has done a little of everything, all of it sealed, and verify finds nothing. No
// assertion.
import { sealBooks } from "../../src/audit/seal-books.ts";
import { verifyInstallation } from "../../src/installation/index.ts";
import { recordCommissionPayment } from "../../src/franchises/index.ts";
import { Invoicing, PAYEE } from "../support/invoicing.ts";
import {
  changeMerchant,
  createRole,
  createUser,
  issueAccessKey,
  changePayoutPolicy,
  type Merchant,
} from "../../src/merchants/index.ts";
import { fundMerchant, recordEvents } from "../../src/ledger/index.ts";
import { updatePayoutRails } from "../../src/merchants/merchant-store.ts";
import { OPERATORS } from "../../src/merchants/index.ts";
import { requestBatch, schedulePayout } from "../../src/payouts/bulk/request-batch.ts";
import { insertProviderAccount } from "../../src/payouts/providers/provider-account-store.ts";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { importStatement, reconcile, setAside } from "../../src/reconciliation/index.ts";
import { applyResolution } from "../../src/payouts/dispatch/resolve-transfer.ts";
import { insertBeneficiaries } from "../../src/payouts/beneficiaries/beneficiary-store.ts";
import type { NewTransfer } from "../../src/payouts/transfer-store.ts";
import type { Connection, Pool } from "../../src/platform/database/pool.ts";
import { secretsOf } from "../../src/platform/secrets/index.ts";
import { createEndpoint } from "../../src/webhooks/change-endpoint.ts";
import { makeFranchise } from "../support/franchises.ts";
import {
  accept,
  addVendor,
  BENEFICIARY_ID,
  claim,
  makeMerchants,
  newBeneficiary,
  newTransfer,
  openLedgerDatabase,
  report,
  VENDOR,
  type LedgerDatabase,
} from "../support/ledger.ts";
import { recordEventsOf } from "../support/record-events.ts";
import { NO_CREDENTIALS } from "../../src/payouts/providers/credentials.ts";

const OTHER_ACCOUNT = "60100000001191";
const FUNDS_PAISE = 10_000_000n;
const BOOK = `
  insert into simulator.payment (
    bucket, merchant_id, transfer_id, amount_paise, mode, payee_name, status, utr, acknowledged)
  select bucket, merchant_id, transfer_id, amount_paise, rail_mode, coalesce(payee.name, account_holder), 'SUCCESS',
    'UTR' || transfer_id, true
  from transfer left join beneficiary payee using (bucket, merchant_id, beneficiary_id) where transfer_id = $1`;

const PROVIDER_ACCOUNT = {
  provider: "cashfree",
  baseUrl: "https://payouts.example",
  keyId: "key",
  secret: "a secret",
  webhookSecret: "another",
  ...NO_CREDENTIALS,
  returnsFees: true,
  callsPerSecond: null,
  tag: "abc123",
  priorities: { IMPS: 1 },
  version: 1,
  olderWebhookSecret: null,
  credentialsChangedAt: null,
  failingSince: null,
  failingReason: null,
  connectedAt: Temporal.Instant.from("2026-05-01T00:00:00Z"),
  disconnectedAt: null,
} as const;

/** Two lines of an account, of which the second is set aside. */
const STATEMENT = [
  "Date,Narration,Ref No,Debit,Credit",
  "22/05/2026,NEFT FROM ASHA,R1,,50.00",
  "23/05/2026,FEES,,1.00,",
];

export type Found = { readonly check: string; readonly message: string };
export type Verdict = { readonly ok: boolean; readonly seal_head: string; readonly violations: readonly Found[] };

export class CorruptionStage {
  readonly db: LedgerDatabase;
  readonly merchant: Merchant;
  /** What `$name` stands for in statements. */
  readonly ids = new Map<string, string>();

  private constructor(db: LedgerDatabase, merchant: Merchant) {
    this.db = db;
    this.merchant = merchant;
  }

  static async open(): Promise<CorruptionStage> {
    const db = await openLedgerDatabase();
    const invoicing = await Invoicing.ofNewMerchant(db, FUNDS_PAISE);
    const [other] = await makeMerchants(db, 1, FUNDS_PAISE);
    const stage = new CorruptionStage(db, invoicing.merchant);
    stage.ids.set("merchant", String(invoicing.merchant.merchantId)).set("other", String(other!.merchantId));
    await stage.#fund();
    await stage.#know(other!);
    await stage.#pay();
    await stage.#employ();
    await stage.#bill(invoicing);
    await stage.#connect();
    await stage.#plan();
    await stage.seal();
    return stage;
  }

  /** Credits money that a statement gives two names. */
  async #fund(): Promise<void> {
    const { db, ids } = this;
    const { bucket, merchantId } = this.merchant;
    const money = { bucket, merchantId, amountPaise: 700n, reference: "twice", deposits: ["HDFCN52026112000000077"] };
    ids.set("twice", String((await fundMerchant(db.server, db.ids, money)).fundingId));
  }

  /** Has the payees of the transfers spoken of, and another account of theirs encrypted. */
  async #know(other: Merchant): Promise<void> {
    const { db, merchant, ids } = this;
    await addVendor(db, [merchant]);
    await recordEventsOf(db.owner, merchant.merchantId, "beneficiary.created", [BENEFICIARY_ID]);
    const beneficiaryId = await db.ids.next();
    await insertBeneficiaries(db.server, [
      newBeneficiary(other, { ...VENDOR, accountNumber: OTHER_ACCOUNT, beneficiaryId }),
    ]);
    await recordEventsOf(db.owner, other.merchantId, "beneficiary.created", [BENEFICIARY_ID, beneficiaryId]);
    const secrets = await secretsOf(db.owner);
    const path = [merchant.bucket, merchant.merchantId, BENEFICIARY_ID] as const;
    const index = secrets.blindIndex("beneficiary.account_index", path, [OTHER_ACCOUNT, VENDOR.ifsc]);
    ids.set("foreign", String(beneficiaryId)).set("index", index!.toString("hex"));
    ids.set("account", secrets.seal("beneficiary.account_number", path, OTHER_ACCOUNT));
  }

  async #pay(): Promise<void> {
    const { db, merchant, ids } = this;
    for (const name of ["paid", "waiting", "withdrawn"]) {
      const asked = newTransfer(merchant, await db.ids.next(), 10_050n, name);
      const transfer: NewTransfer =
        name === "withdrawn" ? { ...asked, kind: "withdrawal", beneficiaryId: null } : asked;
      ids.set(name, String(transfer.transferId));
      await accept(db.server, [transfer]);
      if (name === "waiting") continue;
      await claim(db.server, [transfer]);
      await db.owner.query(BOOK, [transfer.transferId]);
      await report(db.server, transfer, "SUCCESS");
    }
    await this.#resolve();
  }

  /** A transfer whose outcome people have recorded. */
  async #resolve(): Promise<void> {
    const { db, merchant, ids } = this;
    const transfer = newTransfer(merchant, await db.ids.next(), 10_050n, "resolved");
    ids.set("resolved", String(transfer.transferId));
    await accept(db.server, [transfer]);
    await claim(db.server, [transfer]);
    await report(db.server, transfer, "UNKNOWN");
    const said = {
      as: "failed",
      utr: null,
      reason: "No debit",
      evidence: "",
      unasked: null,
      operatorsOnly: false,
    } as const;
    const decision = { people: ["user:1", "user:2"], word: { status: "NOT_FOUND" } } as const;
    await inTransaction(db.server, (connection) =>
      applyResolution(connection, Temporal.Now.instant(), transfer, said, decision),
    );
  }

  async #employ(): Promise<void> {
    const { db, merchant, ids } = this;
    const parts = { pool: db.server, ids: db.ids };
    await changeMerchant({ ...parts, merchant }, { bankAccount: "00011020001772", ifsc: "HDFC0000001" });
    for (const name of ["ravi", "meena"]) {
      const draft = { kind: "user", email: `${name}@example.com`, name, roleName: "Viewer" } as const;
      ids.set(name, String((await createUser({ ...parts, merchant, by: null }, draft)).loginId));
    }
    await createRole({ pool: db.server, merchant, by: null }, { name: "Clerk", permissions: ["customers.view"] });
    await changePayoutPolicy({ ...parts, merchant }, { transferLimitPaise: 1_000_000n });
    const { accessKeyId } = await issueAccessKey({ pool: db.server, merchant }, null);
    ids.set("key", accessKeyId);
    const draft = { url: "https://example.com/hook", description: "", eventTypes: null };
    ids.set(
      "endpoint",
      String((await createEndpoint({ pool: db.server, ids: db.ids, merchant }, draft)).endpoint.endpointId),
    );
  }

  async #bill(invoicing: Invoicing): Promise<void> {
    const { db, merchant, ids } = this;
    const franchise = await makeFranchise(db, merchant);
    ids.set("franchise", String(franchise.franchiseId));
    const invoice = await invoicing.save({ franchiseId: franchise.franchiseId });
    ids.set("invoice", String(invoice.invoiceId)).set("customer", String(invoice.customerId));
    ids.set("settlement", String(await invoicing.pay(invoice, 11_800n)));
    const details = { paidDate: Temporal.PlainDate.from("2026-06-02"), mode: "Cash", bankRefNo: "", note: "" };
    const { paymentId } = await recordCommissionPayment(
      { pool: db.server, ids: db.ids, merchant, idempotency: null },
      { franchiseId: franchise.franchiseId, ...details, amountPaise: 100n },
    );
    ids.set("payment", paymentId);
    const { note } = await invoicing.credit(invoice, 1180n, { refundTo: PAYEE });
    ids.set("note", String(note.creditNoteId));
    const { rows } = await db.owner.query<{ transfer_id: bigint; refund_beneficiary_id: bigint }>(
      "select transfer_id, refund_beneficiary_id from credit_note_refund join credit_note using (credit_note_id)",
    );
    const { merchantId, bucket } = merchant;
    const refund = { bucket, merchantId, transferId: rows[0]!.transfer_id };
    ids.set("refund", String(refund.transferId)).set("payee", String(rows[0]!.refund_beneficiary_id));
    await claim(db.server, [refund]);
    await db.owner.query(BOOK, [refund.transferId]);
    await report(db.server, refund, "SUCCESS");
    ids.set("open", String((await invoicing.save()).invoiceId));
  }

  /** Accounts at providers, of the merchant and of the installation, and an operator. */
  async #connect(): Promise<void> {
    const { db, merchant, ids } = this;
    for (const [name, { bucket, merchantId }] of [
      ["account", merchant],
      ["default", OPERATORS],
    ] as const) {
      const accountId = await db.ids.next();
      ids.set(`provider${name}`, String(accountId));
      await inTransaction(db.owner, async (connection) => {
        await insertProviderAccount(connection, { ...PROVIDER_ACCOUNT, keyId: name, bucket, merchantId, accountId });
        await recordEvents(connection, { bucket, merchantId }, [{ type: "provider.connected", subjectId: accountId }]);
        if (merchantId !== OPERATORS.merchantId) return;
        const payoutRails = { IMPS: `cashfree:default:${accountId}` };
        await updatePayoutRails(connection, payoutRails);
        const after = { payout_rails: payoutRails };
        await recordEvents(connection, OPERATORS, [{ type: "installation.changed", subjectId: 0n, after }]);
      });
    }
    const draft = { kind: "operator", email: "op@example.com", name: "Op", roleName: "Operator" } as const;
    const { loginId } = await createUser({ pool: db.server, ids: db.ids, merchant: OPERATORS, by: null }, draft);
    ids.set("operator", String(loginId));
  }

  /** Payouts of a batch, of which one is for a later day, and a line of a statement. */
  async #plan(): Promise<void> {
    const { db, merchant, ids } = this;
    const payee = { beneficiaryId: BigInt(BENEFICIARY_ID), payeeName: "", accountNumber: null, ifsc: null, upi: null };
    const line = { ...payee, amountPaise: 100n, referenceId: null, mode: null, narrative: "" };
    const scheduledFor = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 40 });
    const { answer } = await requestBatch(
      { pool: db.server, ids: db.ids, merchant, idempotency: null },
      {
        name: "salaries",
        file: null,
        lines: [
          { ...line, scheduledFor: null },
          { ...line, scheduledFor },
        ],
      },
    );
    ids.set("batch", answer.batchId);
    await this.#schedule();
    await this.#import();
  }

  /** A payout for a later day, by itself. */
  async #schedule(): Promise<void> {
    const { db, merchant, ids } = this;
    const { transferId } = await schedulePayout(
      { pool: db.server, ids: db.ids, merchant, idempotency: null, desk: { check: () => Promise.resolve() } },
      {
        beneficiaryId: String(BENEFICIARY_ID),
        amountPaise: 100n,
        referenceId: "later",
        mode: null,
        narrative: "",
        scheduledFor: Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 40 }),
      },
    );
    ids.set("scheduled", String(transferId));
  }

  /** A statement, and what of the ledger statements have to show. */
  async #import(): Promise<void> {
    const { db, merchant, ids } = this;
    const context = { pool: db.server, ids: db.ids, merchant, accounts: db.server };
    const bytes = new TextEncoder().encode(STATEMENT.join("\n"));
    const { importId } = await importStatement(context, { account: "HDFC", fileName: "day.csv", bytes });
    ids.set("import", String(importId));
    const { rows } = await db.owner.query<{ line_id: bigint }>("select line_id from statement_line order by line_id");
    const [line, aside] = rows.map((row) => row.line_id);
    ids.set("line", String(line)).set("aside", String(aside));
    await setAside(context, { target: aside!, reason: "Known" });
    await reconcile(context);
  }

  /** Seals what is new, as the server does. */
  seal(): Promise<void> {
    return sealBooks(this.db.server);
  }

  /** What `nodal verify` says. */
  async verify(pool: Pool = this.db.owner, expectedHead: Buffer | null = null): Promise<Verdict> {
    const { summary, violations } = await verifyInstallation(pool, { deep: true, expectedHead });
    return { ...summary, violations };
  }

  /** Runs SQL as the database's owner in a transaction, then `look` inside it, and takes all of it back. */
  async corrupted<T>(statements: readonly string[], look: (pool: Pool) => Promise<T>): Promise<T> {
    const connection = await this.db.owner.connect();
    try {
      await connection.query("begin");
      for (const statement of statements) await connection.query(this.named(statement));
      return await look(poolOf(connection, this.db.owner));
    } finally {
      await connection.query("rollback");
      connection.release();
    }
  }

  named(statement: string): string {
    return statement.replaceAll(/\$([a-z]+)/g, (_, name: string) => {
      const id = this.ids.get(name);
      if (id === undefined) throw new Error(`nothing is called ${name}`);
      return id;
    });
  }
}

/** One connection as a pool, whose transactions are parts of the one under way. */
function poolOf(connection: Connection, owner: Pool): Pool {
  const within = new Proxy(connection, {
    get: (target, name) => {
      if (name === "release") return () => {};
      if (name !== "query") return Reflect.get(target, name) as unknown;
      return (query: string | { text: string }, values?: unknown[]) => {
        const isOfTransaction = typeof query === "string" && /^(begin|commit|rollback)\b/.test(query);
        return isOfTransaction ? Promise.resolve({ rows: [] }) : target.query(query as string, values);
      };
    },
  });
  // The secrets are found by the pool that the connection is of.
  const view = Object.assign(within, { beneath: owner }) as Connection;
  return { query: view.query.bind(view), connect: async () => view, beneath: owner } as unknown as Pool;
}
