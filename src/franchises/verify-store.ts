// SQL that checks commission against the ledger. Reads only.
import { inScope, rupees, type Check } from "../ledger/index.ts";

export const COMMISSION_CHECKS: readonly Check[] = [
  {
    name: "commission_posting",
    sql: `
      with posting as (
        select
          bucket, merchant_id, subject_id as settlement_id, credit_owner_id as franchise_id, sum(amount_paise) as amount_paise
        from journal where kind = 'commission_accrued' and ${inScope("journal")}
        group by bucket, merchant_id, subject_id, credit_owner_id
      ), earned as (
        select * from commission where ${inScope("commission")}
      )
      select
        merchant_id, settlement_id as subject_id, 'commission that a settlement earned' as what,
        coalesce(${rupees("earned.amount_paise")} || ' for ' || earned.franchise_id, 'none') as expected,
        coalesce(${rupees("posting.amount_paise")} || ' for ' || posting.franchise_id, 'no posting') as found
      from earned
      full join posting using (bucket, merchant_id, settlement_id)
      where earned.amount_paise is distinct from posting.amount_paise
        or earned.franchise_id is distinct from posting.franchise_id`,
  },
  {
    name: "commission_reversed",
    sql: `
      with posted as (
        select bucket, merchant_id, debit_owner_id as franchise_id, sum(amount_paise) as amount_paise
        from journal where kind = 'commission_reversed' and ${inScope("journal")}
        group by bucket, merchant_id, debit_owner_id
      ), noted as (
        select bucket, merchant_id, franchise_id, sum(reversed_paise) as amount_paise
        from commission where reversed_paise > 0 and ${inScope("commission")}
        group by bucket, merchant_id, franchise_id
      )
      select
        merchant_id, franchise_id as subject_id, 'commission that was taken back from a franchise' as what,
        ${rupees("coalesce(noted.amount_paise, 0)")} as expected, ${rupees("coalesce(posted.amount_paise, 0)")} as found
      from noted
      full join posted using (bucket, merchant_id, franchise_id)
      where noted.amount_paise is distinct from posted.amount_paise`,
  },
  {
    name: "commission_payment",
    sql: `
      with recorded as (
        select bucket, merchant_id, payment_id, franchise_id, amount_paise, side.kind
        from commission_payment
        cross join lateral (values ('commission_paid_outside', true), (
          'commission_payment_reversed', reversed_at is not null)) as side (kind, applies)
        where side.applies and ${inScope("commission_payment")}
      ), posted as (
        select
          bucket, merchant_id, subject_id as payment_id, debit_owner_id as franchise_id, sum(amount_paise) as amount_paise, kind
        from journal
        where kind in ('commission_paid_outside', 'commission_payment_reversed') and ${inScope("journal")}
        group by bucket, merchant_id, subject_id, debit_owner_id, kind
      )
      select
        merchant_id, payment_id as subject_id, 'commission paid by other means, ' || kind as what,
        coalesce(${rupees("recorded.amount_paise")} || ' to ' || recorded.franchise_id, 'none') as expected,
        coalesce(${rupees("posted.amount_paise")} || ' to ' || posted.franchise_id, 'no posting') as found
      from recorded
      full join posted using (bucket, merchant_id, payment_id, kind)
      where recorded.amount_paise is distinct from posted.amount_paise
        or recorded.franchise_id is distinct from posted.franchise_id`,
  },
  {
    name: "commission_hold",
    sql: `
      with waiting as (
        select bucket, merchant_id, franchise_id, sum(amount_paise - reversed_paise) as amount_paise
        from commission where waits and ${inScope("commission")}
        group by bucket, merchant_id, franchise_id
      ), hold as (
        select * from commission_hold where ${inScope("commission_hold")}
      )
      select
        merchant_id, franchise_id as subject_id, 'commission on hold of a franchise' as what,
        ${rupees("coalesce(waiting.amount_paise, 0)")} as expected, coalesce(${rupees("hold.waiting_paise")}, 'none') as found
      from (select bucket, merchant_id, franchise_id from franchise where ${inScope("franchise")}) as franchise
      full join waiting using (bucket, merchant_id, franchise_id)
      full join hold using (bucket, merchant_id, franchise_id)
      where coalesce(waiting.amount_paise, 0) is distinct from hold.waiting_paise`,
  },
  {
    name: "commission_accounts",
    sql: `
      with account as (
        select bucket, merchant_id, owner_id as franchise_id, count(*) as accounts
        from ledger_account where owner_id <> 0 and ${inScope("ledger_account")}
        group by bucket, merchant_id, owner_id
      )
      select
        merchant_id, franchise_id as subject_id, 'commission accounts of a franchise' as what,
        case when franchise.franchise_code is null then 'no such franchise' else '2' end as expected,
        coalesce(accounts, 0)::text as found
      from (select * from franchise where ${inScope("franchise")}) as franchise
      full join account using (bucket, merchant_id, franchise_id)
      where franchise.franchise_code is null or accounts is distinct from 2`,
  },
];
