// A row that is deleted with SQL is found by `nodal verify`, or its absence moves no money and gives nobody a right. A new table
// fails here until somebody has said which.
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillEveryTable } from "../support/every-table.ts";
import { CorruptionStage, type Found } from "./stage.ts";

/** Why nothing is lost with a row of these tables. */
const HARMLESS: Readonly<Record<string, string>> = {
  idempotency_key: "references keep money from leaving twice",
  recovery_code: "one code fewer signs in",
  password_reset: "one link fewer works",
  email_change: "one link fewer works",
  login_session: "somebody has to sign in again",
  payout_day: "a day without payouts; `counted_day` finds any other",
  payout_day_sum: "charts, made of postings",
  transfer_tag: "how payouts are sorted",
  transfer_attachment: "files that people look at; the log says which there were",
  customer_group: "how customers are sorted",
  customer_group_member: "how customers are sorted",
  customer_column: "what custom fields may hold",
  invoice_revision: "what an invoice was, which the log says too",
  gst_problem: "what an accountant looks at again; the figures stay",
  notification: "messages to people",
  mail_address: "mail is refused again",
  message_day: "counts of mail",
  webhook_secret: "calls can't be signed, so that receivers refuse them",
  webhook_delivery: "receivers see a gap in the sequence",
  webhook_attempt: "a log of calls",
  merchant_notice: "the installation's webhooks are told less",
  book_balance: "kept for speed, made of postings",
  provider_payee: "the payee is made at the provider again",
  provider_downtime: "payouts are tried, and fail while the bank is down",
  provider_notice: "the provider is asked about each payout anyway",
  payment_review: "the server makes it again, and asks about all payments once more",
};

let stage: CorruptionStage;
let before: readonly Found[];

beforeAll(async () => {
  stage = await CorruptionStage.open();
  await fillEveryTable(stage);
  before = (await stage.verify()).violations;
});
afterAll(() => stage.db.close());

test("a deleted row of any table is found, or known to be harmless", async () => {
  const { rows } = await stage.db.owner.query<{ name: string }>(
    `select attrelid::regclass::text as name from pg_attribute join pg_class on pg_class.oid = attrelid
     join pg_namespace on pg_namespace.oid = relnamespace
     where attname = 'merchant_id' and relkind = 'r' and nspname in ('public', 'simulator') order by 1`,
  );
  const unseen: string[] = [];
  for (const { name } of rows) {
    const first = `select ctid from ${name} where merchant_id = $merchant order by ctid limit 1`;
    const { violations, deleted } = await stage.corrupted([], async (pool) => {
      const { rowCount } = await pool.query(stage.named(`delete from ${name} where ctid = (${first})`));
      return { ...(await stage.verify(pool)), deleted: rowCount };
    });
    expect({ name, deleted }).toEqual({ name, deleted: 1 });
    const known = new Set(before.map(({ check, message }) => `${check} ${message}`));
    if (violations.every(({ check, message }) => known.has(`${check} ${message}`))) unseen.push(name);
  }
  expect(unseen.toSorted()).toEqual(Object.keys(HARMLESS).toSorted());
});
