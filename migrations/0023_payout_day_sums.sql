-- What a merchant's payouts of a day come to, for charts: kept once the day is over, since postings are never changed.
create table payout_day_sum (
  bucket smallint not null,
  merchant_id bigint not null,
  -- A day begins and ends in the merchant's time zone.
  time_zone text not null,
  day date not null,
  accepted_count bigint not null,
  accepted_paise bigint not null,
  paid_count bigint not null,
  paid_paise bigint not null,
  returned_count bigint not null,
  returned_paise bigint not null,
  primary key (bucket, merchant_id, time_zone, day)
);

grant select, insert, delete on payout_day_sum to nodal_server;
select protect_tenant_table('payout_day_sum');
