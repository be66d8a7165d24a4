-- An address may have a login at each of several merchants: so whoever takes one learns of no other.

alter table sign_in
  drop constraint sign_in_pkey,
  add primary key (email_hash, merchant_id),
  -- From when on the address signs this login in without a word of its merchant; null where the merchant has to be named.
  -- Of several the earliest counts. Only operators and commands give it: a merchant that could would see whether its login
  -- is the first, and so whether there is another.
  add column alone_since timestamptz;
update sign_in set alone_since = now();
alter table sign_in
  add constraint sign_in_operator_alone check (merchant_id <> 0 or alone_since is not null);
create index sign_in_alone on sign_in (email_hash, alone_since) where alone_since is not null;

-- Requests ask of their own merchant's addresses only.
drop policy every_address on sign_in;
