-- Dues that are carried forward: what of an invoice moved onto a later one, and payments that are passed on to it.

alter table invoice
  -- Of the previous dues: what comes from earlier invoices that point here.
  add column carried_paise bigint not null default 0,
  -- The later invoice that what was due here moved onto, and how much that was.
  add column carried_to bigint,
  add column carried_due_paise bigint not null default 0,
  add constraint invoice_carries_dues check (carried_paise between 0 and previous_dues_paise),
  add constraint invoice_carried check ((carried_to is null) = (carried_due_paise = 0) and carried_due_paise >= 0);
create index invoice_carried_to on invoice (carried_to, bucket, merchant_id) where carried_to is not null;

-- A payment of an invoice that carries earlier dues settles the oldest of them first: for each, a settlement of the
-- earlier invoice, which names the payment that it is a part of.
alter table settlement add column via_settlement_id bigint;
create index settlement_via on settlement (via_settlement_id, bucket, merchant_id) where via_settlement_id is not null;
