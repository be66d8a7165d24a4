// The load's process for the yardstick: the plain interactive transaction that a payout service is usually written as.
// What belongs here: that transaction, prepared, over one connection per lane, and the tables that it works on.
import pg from "pg";
import { serveLoad, type Lane, type Phase } from "./load.ts";

export type TransactionLoadSetup = {
  readonly url: string;
  readonly connections: number;
  readonly merchants: number;
};

/**
 * Keys of the same kind as Nodal's (bucket and merchant first), with no more indexes than the least that such a service
 * needs: the ids, and the reference that keeps a transfer from being made twice.
 */
const CREATE_TABLES = `
  create schema yardstick;
  create table yardstick.account (
    bucket smallint not null,
    merchant_id bigint not null,
    balance bigint not null check (balance >= 0),
    primary key (bucket, merchant_id)
  ) with (fillfactor = 50);
  create table yardstick.transfer (
    bucket smallint not null,
    merchant_id bigint not null,
    transfer_id bigint not null,
    reference_id text not null,
    beneficiary_id bigint not null,
    payee_name text not null,
    account_number text not null,
    ifsc text not null,
    mode text not null,
    amount_paise bigint not null check (amount_paise > 0),
    narrative text not null,
    state text not null,
    added_at timestamptz not null,
    primary key (bucket, merchant_id, transfer_id),
    unique (bucket, merchant_id, reference_id)
  );
  create table yardstick.entry (
    bucket smallint not null,
    merchant_id bigint not null,
    entry_id bigint not null,
    transfer_id bigint not null,
    kind text not null,
    amount_paise bigint not null,
    balance bigint not null,
    posted_at timestamptz not null,
    primary key (bucket, merchant_id, entry_id)
  )`;
const BUCKETS = 128;
const FUNDS_PAISE = 1_000_000_000_000n;
const FILL_ACCOUNTS = `insert into yardstick.account (bucket, merchant_id, balance)
  select number % ${BUCKETS}, number, ${FUNDS_PAISE} from generate_series(1, $1::integer) as number`;

const LOCK = {
  name: "lock",
  text: "select balance from yardstick.account where bucket = $1 and merchant_id = $2 for update",
};
const INSERT_TRANSFER = {
  name: "insert-transfer",
  text: `insert into yardstick.transfer (
      bucket, merchant_id, transfer_id, reference_id, beneficiary_id, payee_name, account_number, ifsc, mode,
      amount_paise, narrative, state, added_at)
    values ($1, $2, $3, $4, $5, 'Asha Rao', '026291800001191', 'YESB0000262', 'banktransfer', $6, 'Benchmark',
      'RESERVED', now())`,
};
const UPDATE_ACCOUNT = {
  name: "update-account",
  text: "update yardstick.account set balance = $3 where bucket = $1 and merchant_id = $2",
};
const INSERT_ENTRY = {
  name: "insert-entry",
  text: `insert into yardstick.entry (
      bucket, merchant_id, entry_id, transfer_id, kind, amount_paise, balance, posted_at)
    values ($1, $2, $3, $4, 'reserve', $5, $6, now())`,
};

let lastId = 0;

/** One transfer the plain way: six round trips, one commit. */
async function transact(client: pg.Client, merchants: number): Promise<void> {
  const merchant = 1 + Math.floor(Math.random() * merchants);
  const key = [merchant % BUCKETS, merchant];
  const transferId = (lastId += 1);
  const amountPaise = BigInt(100 + Math.floor(Math.random() * 900));
  await client.query("begin");
  try {
    const { rows } = await client.query<{ balance: string }>({ ...LOCK, values: key });
    const balance = BigInt(rows[0]!.balance) - amountPaise;
    if (balance < 0n) throw new Error("the yardstick's account is empty");
    const transfer = [...key, transferId, `bench-${transferId}`, merchant, amountPaise];
    await client.query({ ...INSERT_TRANSFER, values: transfer });
    await client.query({ ...UPDATE_ACCOUNT, values: [...key, balance] });
    await client.query({ ...INSERT_ENTRY, values: [...key, transferId, transferId, amountPaise, balance] });
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** Transactions one after the other on one connection. */
function laneOn(client: pg.Client, merchants: number): Lane {
  return async (phase: Phase) => {
    while (!phase.isOver) {
      const startedAtMs = performance.now();
      try {
        await transact(client, merchants);
        phase.succeeded(performance.now() - startedAtMs);
      } catch (error) {
        phase.failed((error as Error).message);
      }
    }
  };
}

serveLoad(async ({ url, connections, merchants }: TransactionLoadSetup) => {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  await clients[0]!.query(CREATE_TABLES);
  await clients[0]!.query(FILL_ACCOUNTS, [merchants]);
  await clients[0]!.query("analyze yardstick.account");
  return clients.map((client) => laneOn(client, merchants));
});
