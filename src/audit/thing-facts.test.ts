// That each column of what is sealed is sealed, or is known not to be.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { THING_KINDS } from "./thing-facts.ts";

/** In every table: whose row it is is sealed with it, and when it was made or changed with its entries. */
const ANYWHERE = ["bucket", "merchant_id", "created_at", "updated_at"];

/**
 * Columns that are not sealed, most of them because they change without an entry about the thing or follow from what is sealed. One that
 * is new goes into thing-facts.ts, unless it is like these.
 */
const LEFT_OUT: Readonly<Record<string, string>> = {
  approval: "expires_at told_at",
  beneficiary: "account_number upi",
  commission_payment: "",
  credit_note: "reduces_due_paise refund_paise",
  customer: "",
  franchise: "next_payout_at",
  invoice:
    "number_key sent_at sent_date paid_date carried_paise paid_paise credited_paise carried_to carried_due_paise",
  login: "must_change_password approval_mail totp_secret totp_last_step last_sign_in_at",
  merchant: "fees_paid_by payout_rails when_down give_up_minutes clock_date",
  settlement: "",
  subscription:
    "franchise_id next_occurrence next_bill_date paused_date parked_code parked_reason parked_since parked_attempts retry_at",
  webhook_endpoint:
    "status disabled_reason start_event_no cursor_event_no head_tries head_first_at failing_since next_attempt_at delivery_due_at holder lease_until released_at",
};

let db: LedgerDatabase;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

test("name every column of their tables, but for those that are known to be left out", async () => {
  const { rows } = await db.owner.query<{ table: string; columns: string[] }>(
    `select relname::text as table, array_agg(attname::text order by attnum) as columns
     from pg_class join pg_attribute on attrelid = pg_class.oid
     where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
     group by relname`,
  );
  const columnsOf = new Map(rows.map(({ table, columns }) => [table, columns]));
  const left = [...Map.groupBy(THING_KINDS, ({ kind, table }) => table ?? kind)].map(([table, kinds]) => {
    const said = kinds.flatMap(({ id, facts, secrets, where }) => [id, facts, ...secrets, where ?? ""]).join(" ");
    const unsaid = columnsOf
      .get(table)!
      .filter((column) => !ANYWHERE.includes(column) && !new RegExp(String.raw`\b${column}\b`).test(said));
    return [table, unsaid.join(" ")];
  });
  expect(Object.fromEntries(left)).toEqual(LEFT_OUT);
});
