// SQL that checks transfers against the ledger, the dispatch queue, and the simulated bank's payments. Reads only.
import { inScope, rupees, type Check, type VerifyScope } from "../../ledger/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { APPROVAL_CHECKS } from "./approval-verify-store.ts";
import { BATCH_CHECKS } from "../bulk/verify-store.ts";
import { DUE_CHECKS } from "./due-verify-store.ts";
import { JOIN_PAYEE, PAYEE_COLUMNS } from "../transfer-store.ts";
import { FEE_CHECKS } from "./fee-verify-store.ts";

/** States of transfers that are being sent or are at the bank. */
const OPEN_STATES = "('RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')";
/** States of transfers whose amount is reserved. */
const HELD_STATES = "('AWAITING_APPROVAL', 'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')";

/** The kinds of postings that are about a transfer. */
const TRANSFER_POSTINGS = `(
  'reserve', 'success', 'failed', 'reversed', 'late_success', 'late_success_unfunded', 'commission_paid',
  'commission_unpaid')`;

/**
 * The postings that a transfer may have, in order, by its state and by whether it pays commission out (null for both).
 * docs/rules/payouts.md#life-of-a-transfer, docs/rules/payouts.md#postings
 */
const ALLOWED_POSTINGS = `
  (values
    ('AWAITING_APPROVAL', null::boolean, 'reserve'),
    ('RESERVED', null, 'reserve'),
    ('SUBMITTING', null, 'reserve'),
    ('UNKNOWN', null, 'reserve'),
    ('PENDING', null, 'reserve'),
    ('FAILED', null, 'reserve, failed'),
    ('REJECTED', null, 'reserve, failed'),
    ('REVERSED', null, 'reserve, failed'),
    ('SUCCESS', false, 'reserve, success'),
    ('SUCCESS', false, 'reserve, failed, late_success'),
    ('SUCCESS', false, 'reserve, failed, late_success_unfunded'),
    ('REVERSED', false, 'reserve, success, reversed'),
    ('REVERSED', false, 'reserve, failed, late_success, reversed'),
    ('REVERSED', false, 'reserve, failed, late_success_unfunded, reversed'),
    ('SUCCESS', true, 'reserve, success, commission_paid'),
    ('SUCCESS', true, 'reserve, failed, late_success, commission_paid'),
    ('SUCCESS', true, 'reserve, failed, late_success_unfunded, commission_paid'),
    ('REVERSED', true, 'reserve, success, commission_paid, reversed, commission_unpaid'),
    ('REVERSED', true, 'reserve, failed, late_success, commission_paid, reversed, commission_unpaid'),
    ('REVERSED', true, 'reserve, failed, late_success_unfunded, commission_paid, reversed, commission_unpaid')
  ) as allowed (state, commission, kinds)`;

const IS_ALLOWED = `
  allowed.state = transfer.state and coalesce(allowed.commission, transfer.kind = 'commission') = (transfer.kind = 'commission')`;

const TRANSFER_CHECKS: readonly Check[] = [
  {
    name: "live_on_simulator",
    sql: `
      select
        transfer.merchant_id, transfer.transfer_id as subject_id, 'rail of a payout of a live merchant' as what,
        'a provider''s' as expected, transfer.rail || ', ' || transfer.state as found
      from merchant
      join transfer using (bucket, merchant_id)
      where merchant.live and transfer.rail = 'simulator' and ${inScope("merchant")}`,
  },
  {
    name: "held_balance",
    sql: `
      select
        merchant_id, null::bigint as subject_id, 'balance of held, as the sum of open transfers' as what,
        ${rupees("coalesce(open.amount_paise, 0)")} as expected, ${rupees("coalesce(account.balance, 0)")} as found
      from (
        select bucket, merchant_id, held_paise as balance from ledger_book where ${inScope("ledger_book")}
      ) as account
      full join (
        select bucket, merchant_id, sum(amount_paise) as amount_paise
        from transfer where state in ${HELD_STATES} and ${inScope("transfer")}
        group by bucket, merchant_id
      ) as open using (bucket, merchant_id)
      where coalesce(account.balance, 0) <> coalesce(open.amount_paise, 0)`,
  },
  {
    name: "transfer_postings",
    sql: `
      with posted as (
        select bucket, merchant_id, subject_id as transfer_id, string_agg(kind, ', ' order by entry_no) as kinds
        from journal where kind in ${TRANSFER_POSTINGS} and ${inScope("journal")}
        group by bucket, merchant_id, subject_id
      )
      select
        transfer.merchant_id, transfer.transfer_id as subject_id,
        'postings of a transfer that is ' || transfer.state as what,
        (select string_agg(kinds, ' or ') from ${ALLOWED_POSTINGS} where ${IS_ALLOWED}) as expected,
        coalesce(posted.kinds, 'none') as found
      from transfer
      left join posted using (bucket, merchant_id, transfer_id)
      left join ${ALLOWED_POSTINGS} on ${IS_ALLOWED} and allowed.kinds = posted.kinds
      where allowed.state is null and ${inScope("transfer")}`,
  },
  {
    name: "transfer_rail",
    sql: `
      with told as (
        select distinct on (bucket, merchant_id, subject_id)
          bucket, merchant_id, subject_id as transfer_id, after ->> 'rail' as rail
        from journal where type = 'transfer.rerouted' and ${inScope("journal")}
        order by bucket, merchant_id, subject_id, entry_no desc
      )
      select
        merchant_id, transfer_id as subject_id, 'rail of a transfer that left over another one than it was to' as what,
        coalesce(told.rail, first_rail) as expected, transfer.rail as found
      from transfer
      left join told using (bucket, merchant_id, transfer_id)
      where (first_rail is not null or told.rail is not null) and told.rail is distinct from transfer.rail
        and ${inScope("transfer")}`,
  },
  {
    name: "transfer_resolved",
    sql: `
      with told as (
        select distinct on (bucket, merchant_id, subject_id)
          bucket, merchant_id, subject_id as transfer_id, after ->> 'resolved_as' as resolved_as
        from journal where type = 'transfer.resolved' and ${inScope("journal")}
        order by bucket, merchant_id, subject_id, entry_no desc
      ), kept as (
        select bucket, merchant_id, transfer_id, resolved_as from transfer
        where resolved_as is not null and ${inScope("transfer")}
      )
      select
        merchant_id, transfer_id as subject_id, 'outcome of a transfer that people recorded' as what,
        coalesce(told.resolved_as, 'none') as expected, coalesce(kept.resolved_as, 'none') as found
      from told
      full join kept using (bucket, merchant_id, transfer_id)
      where told.resolved_as is distinct from kept.resolved_as`,
  },
  {
    name: "transfer_amount",
    sql: `
      select
        transfer.merchant_id, transfer.transfer_id as subject_id,
        'amount of posting ' || posting.entry_no || ' (' || posting.kind || ')' as what,
        ${rupees("transfer.amount_paise")} as expected, ${rupees("posting.amount_paise")} as found
      from journal posting
      join transfer
        on transfer.bucket = posting.bucket and transfer.merchant_id = posting.merchant_id
        and transfer.transfer_id = posting.subject_id
      where posting.kind in ${TRANSFER_POSTINGS} and posting.amount_paise <> transfer.amount_paise and ${inScope("posting")}`,
  },
  {
    // Accepted with its first posting, and processed with its last one.
    name: "transfer_time",
    sql: `
      with posted as (
        select
          bucket, merchant_id, subject_id as transfer_id, min(created_at) filter (where kind = 'reserve') as reserved_at,
          -- The last by number: two servers' clocks, or two batches, may be in another order than the book.
          (array_agg(created_at order by entry_no desc) filter (where kind <> 'reserve'))[1] as finished_at
        from journal where kind in ${TRANSFER_POSTINGS} and ${inScope("journal")}
        group by bucket, merchant_id, subject_id
      )
      select
        transfer.merchant_id, transfer.transfer_id as subject_id, 'times of a transfer, as its postings have them' as what,
        posted.reserved_at || ' and ' || coalesce(posted.finished_at::text, 'none') as expected,
        transfer.added_at || ' and ' || coalesce(transfer.processed_at::text, 'none') as found
      from transfer
      join posted using (bucket, merchant_id, transfer_id)
      where ${inScope("transfer")} and (
        transfer.added_at is distinct from posted.reserved_at
        or transfer.processed_at is distinct from posted.finished_at)`,
  },
  {
    name: "posting_subject",
    sql: `
      select
        posting.merchant_id, posting.subject_id, 'transfer of posting ' || posting.entry_no as what,
        'a transfer' as expected, 'none with this id' as found
      from journal posting
      where posting.kind in ${TRANSFER_POSTINGS} and ${inScope("posting")} and not exists (
        select from transfer
        where transfer.bucket = posting.bucket and transfer.merchant_id = posting.merchant_id
          and transfer.transfer_id = posting.subject_id)`,
  },
  {
    name: "commission_payee",
    sql: `
      select
        transfer.merchant_id, transfer.transfer_id as subject_id,
        'franchise of posting ' || posting.entry_no || ' (' || posting.kind || ')' as what,
        coalesce(transfer.franchise_id::text, 'none') as expected, posting.debit_owner_id::text as found
      from journal posting
      join transfer
        on transfer.bucket = posting.bucket and transfer.merchant_id = posting.merchant_id
        and transfer.transfer_id = posting.subject_id
      where posting.kind in ('commission_paid', 'commission_unpaid')
        and posting.debit_owner_id is distinct from transfer.franchise_id and ${inScope("posting")}`,
  },
  {
    name: "transfer_payee",
    sql: `
      select
        transfer.merchant_id, transfer.transfer_id as subject_id, 'beneficiary of a transfer' as what,
        'a beneficiary of its merchant' as expected, 'none with the id ' || transfer.beneficiary_id as found
      from transfer ${JOIN_PAYEE}
      where transfer.beneficiary_id is not null and payee.beneficiary_id is null and ${inScope("transfer")}`,
  },
  {
    // Waiting transfers are in the queue, and claimed ones are listed in a claim, which others can take over. A transfer in neither
    // would never be finished.
    name: "dispatch_missing",
    sql: `
      select
        transfer.merchant_id, transfer.transfer_id as subject_id,
        'place in the dispatch queue of a transfer that is ' || transfer.state as what,
        'in the queue, or in a process''s hand' as expected,
        'neither' || coalesce(', and no claim ' || transfer.claim_id, '') || ': nobody will finish this transfer' as found
      from transfer
      where transfer.state in ${OPEN_STATES} and ${inScope("transfer")} and not exists (
        select from transfer_dispatch queued
        where queued.bucket = transfer.bucket and queued.merchant_id = transfer.merchant_id
          and queued.transfer_id = transfer.transfer_id)
        and (transfer.merchant_id, transfer.transfer_id) not in (
          select merchant_id, transfer_id from transfer_in_hand)`,
  },
  {
    name: "dispatch_in_hand",
    sql: `
      select
        transfer.merchant_id, transfer.transfer_id as subject_id, 'a transfer in a process''s hand' as what,
        'may have been sent, and not in the queue' as expected,
        transfer.state || case when queued.transfer_id is null then '' else ', and in the queue' end as found
      from transfer
      left join transfer_dispatch queued using (bucket, merchant_id, transfer_id)
      where transfer.claim_id is not null and ${inScope("transfer")}
        and (transfer.state not in ('SUBMITTING', 'UNKNOWN', 'PENDING') or queued.transfer_id is not null)`,
  },
  {
    name: "dispatch_finished",
    sql: `
      select
        queued.merchant_id, queued.transfer_id as subject_id, 'state of a transfer in the dispatch queue' as what,
        'open' as expected, coalesce(transfer.state, 'no such transfer') as found
      from transfer_dispatch queued
      left join transfer using (bucket, merchant_id, transfer_id)
      where coalesce(transfer.state not in ${OPEN_STATES}, true) and ${inScope("queued")}`,
  },
];

/** A payment in the bank's book beside its transfer, which is null where there is none. */
const BOOKED = `
  from simulator.payment
  left join (
    select transfer.*, ${PAYEE_COLUMNS} from transfer ${JOIN_PAYEE} where rail = 'simulator'
  ) as transfer using (bucket, merchant_id, transfer_id)`;

const BOOK_CHECKS: readonly Check[] = [
  {
    name: "paid_but_failed_in_ledger",
    sql: `
      select
        payment.merchant_id, payment.transfer_id as subject_id,
        'the bank''s payment of ' || ${rupees("payment.amount_paise")} || ' that the ledger has as ' || transfer.state
          as what,
        'not paid' as expected, payment.status as found
      ${BOOKED}
      where transfer.state in ('FAILED', 'REJECTED') and payment.status in ('SUCCESS', 'PENDING')
        and ${inScope("payment")}`,
  },
  {
    name: "paid_but_reversed_in_ledger",
    sql: `
      select
        payment.merchant_id, payment.transfer_id as subject_id,
        'the bank''s payment that the ledger has as REVERSED' as what, 'taken back' as expected, payment.status as found
      ${BOOKED}
      where transfer.state = 'REVERSED' and payment.status in ('SUCCESS', 'PENDING') and ${inScope("payment")}`,
  },
  {
    name: "booked_without_transfer",
    sql: `
      select
        payment.merchant_id, payment.transfer_id as subject_id, 'transfer of a payment in the bank''s book' as what,
        'a transfer' as expected, 'none with this id' as found
      ${BOOKED}
      where transfer.transfer_id is null and ${inScope("payment")}`,
  },
  {
    // The attempt must be durable before the bank is called, so an unsent transfer can't be in its book.
    name: "booked_before_submitted",
    sql: `
      select
        payment.merchant_id, payment.transfer_id as subject_id, 'state of a transfer that is in the bank''s book' as what,
        'submitted' as expected, transfer.state as found
      ${BOOKED}
      where transfer.state in ('AWAITING_APPROVAL', 'RESERVED') and ${inScope("payment")}`,
  },
  {
    name: "booked_amount",
    sql: `
      select
        payment.merchant_id, payment.transfer_id as subject_id, 'amount in the bank''s book' as what,
        ${rupees("transfer.amount_paise")} as expected, ${rupees("payment.amount_paise")} as found
      ${BOOKED}
      where payment.amount_paise <> transfer.amount_paise and ${inScope("payment")}`,
  },
  {
    name: "booked_payee",
    sql: `
      select
        payment.merchant_id, payment.transfer_id as subject_id, 'payee and way in the bank''s book' as what,
        concat_ws(', ', transfer.payee_name, transfer.payee_ifsc, transfer.rail_mode) as expected,
        concat_ws(', ', payment.payee_name, payment.ifsc, payment.mode) as found
      ${BOOKED}
      where ${inScope("payment")} and transfer.transfer_id is not null and (
        payment.payee_name <> transfer.payee_name or payment.mode <> transfer.rail_mode
        or (payment.account_number is not null and payment.ifsc is distinct from transfer.payee_ifsc))`,
  },
  {
    name: "booked_utr",
    sql: `
      select
        payment.merchant_id, payment.transfer_id as subject_id, 'UTR of a transfer that is paid' as what,
        payment.utr as expected, coalesce(transfer.utr, 'none') as found
      ${BOOKED}
      where transfer.state = 'SUCCESS' and payment.status = 'SUCCESS' and payment.utr is distinct from transfer.utr
        and ${inScope("payment")}`,
  },
  {
    // Taken back by the bank, with the report still on its way, is not a violation yet.
    name: "success_not_paid",
    sql: `
      select
        transfer.merchant_id, transfer.transfer_id as subject_id,
        'the bank''s payment of a transfer that the ledger has as SUCCESS' as what, 'SUCCESS' as expected,
        coalesce(payment.status, 'not in the bank''s book') as found
      from transfer
      left join simulator.payment using (bucket, merchant_id, transfer_id)
      where transfer.rail = 'simulator' and transfer.state = 'SUCCESS' and ${inScope("transfer")}
        and payment.status is distinct from 'SUCCESS'
        and (payment.status is distinct from 'REVERSED' or payment.delivered)`,
  },
];

/** The worst first: a payment that the ledger does not know of. */
export const PAYOUT_CHECKS: readonly Check[] = [
  ...BOOK_CHECKS,
  ...TRANSFER_CHECKS,
  ...DUE_CHECKS,
  ...FEE_CHECKS,
  ...APPROVAL_CHECKS,
  ...BATCH_CHECKS,
];

export type TransferCounts = {
  readonly transfers: number;
  /** Those that are not finished. */
  readonly pending: number;
  /** Those of them that were accepted before the given time, and that the bank has yet to answer. */
  readonly stale: number;
};

/** Counts transfers and withdrawals. */
export async function countTransfers(
  db: Queryable,
  scope: VerifyScope,
  staleBefore: Temporal.Instant,
): Promise<TransferCounts> {
  const { rows } = await db.query<{ transfers: bigint; pending: bigint; stale: bigint }>(
    `select
       count(*) as transfers, count(*) filter (where state in ${HELD_STATES}) as pending,
       count(*) filter (where state in ${OPEN_STATES} and added_at < $3::timestamptz) as stale
     from transfer where ${inScope("transfer")}`,
    [scope?.bucket ?? null, scope?.merchantId ?? null, staleBefore.toString()],
  );
  const { transfers, pending, stale } = rows[0]!;
  return { transfers: Number(transfers), pending: Number(pending), stale: Number(stale) };
}
