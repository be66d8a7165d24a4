// Very many transfers of one merchant, made by the database itself: copies of a few that the API made and the bank
// answered. `nodal verify` checks the result.
import { fundMerchant } from "../src/ledger/index.ts";
import type { IdSource } from "../src/platform/database/ids.ts";
import type { MerchantKey } from "../src/merchants/index.ts";
import { proveEnded, proveInstruction } from "../src/payouts/instruction-proof.ts";
import { INSTRUCTION_COLUMNS, instructionOf, type InstructionRow } from "../src/payouts/transfer-row.ts";
import { proveUtr } from "../src/payouts/utr-proof.ts";
import { inTransaction, type Connection, type Pool } from "../src/platform/database/pool.ts";
import { secretsOf } from "../src/platform/secrets/index.ts";
import { takeIds } from "./invoice-seed.ts";
import type { SeededMerchant } from "./invoice-reads.ts";
import type { WireClient } from "./wire-client.ts";

/** The bank of the sandbox pays to all of these but the last. */
const SAMPLES = 20;
const DECLINED_ACCOUNT = { account_number: "1234567890", ifsc: "ICIC0000001" };
const WAIT_MS = 60_000;

/** A merchant with transfers beside its invoices. */
export type GrownMerchant = SeededMerchant & {
  readonly token: string;
  readonly transfers: number;
  /** Of the payee that a twentieth of the transfers went to. */
  readonly beneficiaryId: string;
  /** The first and the last number of what the copies have in the journal. */
  readonly firstEntryNo: bigint;
  readonly lastEntryNo: bigint;
};

/**
 * The copies, numbered from 1, with the transfer that each is a copy of. $3 is the first id, $4 how many, $5 how many there
 * are to copy, $6 and $7 between which times they were made. Amounts are from ₹1.00 to ₹1,000.90.
 */
const COPIES = `
  sample as materialized (
    select *, row_number() over (order by transfer_id) - 1 as place
    from transfer where bucket = $1 and merchant_id = $2 and transfer_id <= $3
  ), copy as (
    select
      n, $3::bigint + n as copy_id, 100 + (n * 7919) % 99991 as copy_paise,
      $6::timestamptz + ($7::timestamptz - $6::timestamptz) / $4::bigint * n as made_at,
      sample.*
    from generate_series(1, $4::bigint) as n
    join sample on sample.place = n % $5::bigint
  )`;

const INSERT_TRANSFERS = `
  with ${COPIES}
  insert into transfer (
    bucket, merchant_id, transfer_id, kind, reference_id, beneficiary_id, mode, rail, rail_mode, amount_paise, narrative,
    state, utr, reason, acknowledged, added_at, processed_at)
  select
    bucket, merchant_id, copy_id, kind, 'copy-' || n, beneficiary_id, mode, rail, rail_mode, copy_paise, narrative,
    state, case when utr is not null then lpad(n::text, 12, '7') end, reason, acknowledged, made_at, made_at
  from copy`;

const INSERT_PAYMENTS = `
  with ${COPIES}
  insert into simulator.payment (
    bucket, merchant_id, transfer_id, amount_paise, mode, account_number, ifsc, upi, payee_name, status, utr, reason,
    acknowledged, booked_at, updated_at)
  select
    bucket, merchant_id, copy_id, copy_paise, paid.mode, paid.account_number, paid.ifsc, paid.upi, paid.payee_name,
    paid.status, case when copy.utr is not null then lpad(n::text, 12, '7') end, paid.reason, paid.acknowledged, made_at,
    made_at
  from copy
  join simulator.payment paid using (bucket, merchant_id, transfer_id)`;

/** Two entries each: the amount set aside, and what became of it. $8 is the last number before them. */
const INSERT_ENTRIES = `
  with ${COPIES}, posting as (
    select journal.*, row_number() over (partition by subject_id order by entry_no) as step
    from journal
    where bucket = $1 and merchant_id = $2 and kind in ('reserve', 'success', 'failed')
  )
  insert into journal (
    bucket, merchant_id, entry_no, type, subject_id, created_at, actor, address, before, after, kind, debit_kind,
    debit_owner_id, credit_kind, credit_owner_id, amount_paise)
  select
    bucket, merchant_id, $8::bigint + 2 * (n - 1) + posting.step, posting.type, copy_id, made_at, posting.actor,
    posting.address, posting.before, posting.after, posting.kind, posting.debit_kind, posting.debit_owner_id,
    posting.credit_kind, posting.credit_owner_id, copy_paise
  from copy
  join posting using (bucket, merchant_id)
  where posting.subject_id = copy.transfer_id
  order by n, posting.step`;

/** What the copies moved. $3 is the first id. */
const MOVE_BALANCES = `
  update ledger_book
  set
    last_entry_no = (
      select max(entry_no) from journal where bucket = $1 and merchant_id = $2),
    available_paise = available_paise - moved.paise, payout_clearing_paise = payout_clearing_paise + moved.paise
  from (
    select coalesce(sum(amount_paise), 0)::bigint as paise
    from transfer where bucket = $1 and merchant_id = $2 and transfer_id > $3 and state = 'SUCCESS'
  ) as moved
  where bucket = $1 and merchant_id = $2`;

/** The proofs of the copies, which have all ended. `first` is the first id. */
async function proveUtrs(connection: Connection, { bucket, merchantId }: MerchantKey, first: bigint): Promise<void> {
  const secrets = await secretsOf(connection);
  const { rows } = await connection.query<InstructionRow & { readonly utr: string | null }>(
    `select ${INSTRUCTION_COLUMNS}, utr from transfer where bucket = $1 and merchant_id = $2 and transfer_id > $3`,
    [bucket, merchantId, first],
  );
  await connection.query(
    `update transfer set utr_proof = proved.utr_proof, instruction_proof = proved.instruction_proof
     from unnest($3::bigint[], $4::bytea[], $5::bytea[]) as proved (transfer_id, utr_proof, instruction_proof)
     where bucket = $1 and merchant_id = $2 and transfer.transfer_id = proved.transfer_id`,
    [
      bucket,
      merchantId,
      rows.map((row) => row.transfer_id),
      rows.map((row) => proveUtr(secrets, { bucket, merchantId, transferId: row.transfer_id }, row.utr)),
      rows.map((row) => proveEnded(proveInstruction(secrets, instructionOf(row), "sent", 0))),
    ],
  );
}

/**
 * Gives a merchant so many transfers, one in twenty of which the bank declined. Nobody writes to its book meanwhile. Since
 * entries are in the order of time, all copies are from between now and the merchant's last entry.
 */
export async function seedTransfers(
  { client, pool, ids }: { readonly client: WireClient; readonly pool: Pool; readonly ids: IdSource },
  seeded: SeededMerchant,
  transfers: number,
): Promise<GrownMerchant> {
  const { bucket, merchantId } = seeded.merchant;
  const funds = {
    bucket,
    merchantId,
    amountPaise: 100_000n * BigInt(transfers + SAMPLES),
    reference: "for the copies",
  };
  await fundMerchant(pool, ids, funds);
  const token = await signIn(client, seeded);
  const beneficiaryId = await makeSamples(client, token);
  await waitUntilFinished(pool, merchantId);
  const first = await takeIds(pool, transfers + 1);
  const last = await inTransaction(pool, async (connection) => {
    await connection.query("set local work_mem = '256MB'");
    const { rows } = await connection.query<{ last_entry_no: bigint; at: Temporal.Instant; now: Temporal.Instant }>(
      `select last_entry_no, created_at as at, clock_timestamp() as now
       from ledger_book
       join journal using (bucket, merchant_id)
       where bucket = $1 and merchant_id = $2 and entry_no = last_entry_no
       for update of ledger_book`,
      [bucket, merchantId],
    );
    const { last_entry_no: lastEntryNo, at, now } = rows[0]!;
    const values = [bucket, merchantId, first, transfers, SAMPLES, at.toString(), now.toString()];
    await connection.query(INSERT_TRANSFERS, values);
    await proveUtrs(connection, seeded.merchant, first);
    await connection.query(INSERT_PAYMENTS, values);
    await connection.query(INSERT_ENTRIES, [...values, lastEntryNo]);
    await connection.query(MOVE_BALANCES, [bucket, merchantId, first]);
    return lastEntryNo;
  });
  const range = { firstEntryNo: last + 1n, lastEntryNo: last + 2n * BigInt(transfers) };
  return { ...seeded, token, transfers, beneficiaryId, ...range };
}

async function signIn(client: WireClient, { keys }: SeededMerchant): Promise<string> {
  const { success } = await post<{ success: { token: string } }>(client, "/api/token", keys);
  return success.token;
}

/** One transfer each to as many payees. Returns the first payee. */
async function makeSamples(client: WireClient, token: string): Promise<string> {
  const payees: string[] = [];
  for (let number = 1; number <= SAMPLES; number += 1) {
    const account =
      number === SAMPLES ? DECLINED_ACCOUNT : { account_number: String(500_100_000_000 + number), ifsc: "HDFC0000001" };
    const { beneficiary_id } = await post<{ beneficiary_id: string | number }>(
      client,
      "/api/v1/beneficiary/save",
      { name: `Payee ${number}`, ...account },
      token,
    );
    payees.push(String(beneficiary_id));
    await post(
      client,
      "/api/v1/beneficiary/transfer",
      { beneficiary_id: payees.at(-1), amount: "100.00", reference_id: `sample-${number}`, narrative: "Sample" },
      token,
    );
  }
  return payees[0]!;
}

async function waitUntilFinished(pool: Pool, merchantId: bigint): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const { rows } = await pool.query<{ finished: bigint }>(
      "select count(*) as finished from transfer where merchant_id = $1 and state in ('SUCCESS', 'FAILED')",
      [merchantId],
    );
    if (rows[0]!.finished === BigInt(SAMPLES)) return;
    if (performance.now() > deadline)
      throw new Error(`${rows[0]!.finished} of ${SAMPLES} samples finished in a minute`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function post<T>(client: WireClient, path: string, body: object, token?: string): Promise<T> {
  const text = JSON.stringify(body);
  const answer = await client.send({ method: "POST", path, body: text, ...(token === undefined ? {} : { token }) });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.bytes.toString()}`);
  return JSON.parse(answer.bytes.toString()) as T;
}
