-- What the invoices of a day and of a month come to, beside how many there are: totals of a list of any length. And the
-- messages about an invoice, found by it.

-- What of an invoice counts once in a sum over many: previous dues are counted with the invoices that they come from.
-- billed is its own amount, less what credit notes took off; paid is what was received for it and not passed on to
-- earlier invoices; due is what is still due, without dues that the merchant typed in. Previous dues are paid first.
create function invoice_sums(
  p_status text, p_amount_paise bigint, p_previous_dues_paise bigint, p_carried_paise bigint, p_paid_paise bigint,
  p_credited_paise bigint, out billed_paise bigint, out paid_paise bigint, out due_paise bigint
)
language sql immutable parallel safe as $$
  select
    case when p_status = 'Cancelled' then 0 else p_amount_paise - p_previous_dues_paise - p_credited_paise end,
    p_paid_paise - least(p_paid_paise, p_carried_paise),
    case when p_status in ('Cancelled', 'Carried forward') then 0 else greatest(0,
      p_amount_paise - p_paid_paise - p_credited_paise - greatest(0,
        p_previous_dues_paise - p_carried_paise - (p_paid_paise - least(p_paid_paise, p_carried_paise)))) end
$$;

alter table invoice_day
  add column billed_paise bigint not null default 0,
  add column paid_paise bigint not null default 0,
  add column due_paise bigint not null default 0;
alter table invoice_month
  add column billed_paise bigint not null default 0,
  add column paid_paise bigint not null default 0,
  add column due_paise bigint not null default 0;

update invoice_day set billed_paise = fallen.billed, paid_paise = fallen.paid, due_paise = fallen.due
from (
  select
    bucket, merchant_id, date.filter_by, date.day, status, franchise_id, sum(sums.billed_paise)::bigint as billed,
    sum(sums.paid_paise)::bigint as paid, sum(sums.due_paise)::bigint as due
  from invoice
  cross join lateral invoice_sums(
    status, amount_paise, previous_dues_paise, carried_paise, invoice.paid_paise, credited_paise) as sums
  cross join lateral (values
    ('bill_date', bill_date), ('due_date', due_date), ('sent_date', sent_date), ('paid_date', paid_date)
  ) as date (filter_by, day)
  where date.day is not null
  group by bucket, merchant_id, date.filter_by, date.day, status, franchise_id
) as fallen
where (invoice_day.bucket, invoice_day.merchant_id, invoice_day.filter_by, invoice_day.day, invoice_day.status,
    invoice_day.franchise_id)
  = (fallen.bucket, fallen.merchant_id, fallen.filter_by, fallen.day, fallen.status, fallen.franchise_id);

update invoice_month set billed_paise = summed.billed, paid_paise = summed.paid, due_paise = summed.due
from (
  select
    bucket, merchant_id, filter_by, date_trunc('month', day::timestamp)::date as month, status, franchise_id,
    sum(billed_paise)::bigint as billed, sum(paid_paise)::bigint as paid, sum(due_paise)::bigint as due
  from invoice_day
  group by bucket, merchant_id, filter_by, date_trunc('month', day::timestamp)::date, status, franchise_id
) as summed
where (invoice_month.bucket, invoice_month.merchant_id, invoice_month.filter_by, invoice_month.month,
    invoice_month.status, invoice_month.franchise_id)
  = (summed.bucket, summed.merchant_id, summed.filter_by, summed.month, summed.status, summed.franchise_id);

-- count_invoice_days, as 0008_invoices.sql describes it. The amounts are what each date's invoices come to more or less.
drop function count_invoice_days(smallint, bigint, text[], date[], text[], bigint[], bigint[]);
create function count_invoice_days(
  p_bucket smallint, p_merchant_id bigint, p_filter_by text[], p_day date[], p_status text[], p_franchise_id bigint[],
  p_change bigint[], p_billed_paise bigint[], p_paid_paise bigint[], p_due_paise bigint[]
) returns void
language sql as $$
  insert into invoice_day as counted (
    bucket, merchant_id, filter_by, day, status, franchise_id, invoices, billed_paise, paid_paise, due_paise)
  select
    p_bucket, p_merchant_id, filter_by, day, status, franchise_id, sum(change), sum(billed), sum(paid), sum(due)
  from unnest(p_filter_by, p_day, p_status, p_franchise_id, p_change, p_billed_paise, p_paid_paise, p_due_paise)
    as moved (filter_by, day, status, franchise_id, change, billed, paid, due)
  where day is not null
  group by filter_by, day, status, franchise_id
  having sum(change) <> 0 or sum(billed) <> 0 or sum(paid) <> 0 or sum(due) <> 0
  order by filter_by, day, status, franchise_id
  on conflict (bucket, merchant_id, filter_by, day, status, franchise_id)
  do update set
    invoices = counted.invoices + excluded.invoices, billed_paise = counted.billed_paise + excluded.billed_paise,
    paid_paise = counted.paid_paise + excluded.paid_paise, due_paise = counted.due_paise + excluded.due_paise;

  insert into invoice_month as counted (
    bucket, merchant_id, filter_by, month, status, franchise_id, invoices, billed_paise, paid_paise, due_paise)
  select
    p_bucket, p_merchant_id, filter_by, date_trunc('month', day::timestamp)::date as month, status, franchise_id,
    sum(change), sum(billed), sum(paid), sum(due)
  from unnest(p_filter_by, p_day, p_status, p_franchise_id, p_change, p_billed_paise, p_paid_paise, p_due_paise)
    as moved (filter_by, day, status, franchise_id, change, billed, paid, due)
  where day is not null
  group by filter_by, month, status, franchise_id
  having sum(change) <> 0 or sum(billed) <> 0 or sum(paid) <> 0 or sum(due) <> 0
  order by filter_by, month, status, franchise_id
  on conflict (bucket, merchant_id, filter_by, month, status, franchise_id)
  do update set
    invoices = counted.invoices + excluded.invoices, billed_paise = counted.billed_paise + excluded.billed_paise,
    paid_paise = counted.paid_paise + excluded.paid_paise, due_paise = counted.due_paise + excluded.due_paise;
$$;

create index notification_by_subject on notification (subject_id, bucket, merchant_id, notification_id);
-- The address that one message goes to in place of the customer's own; null where it goes there.
alter table notification add column send_to text;
