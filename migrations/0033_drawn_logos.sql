-- Logos are drawn once, when they are given, and kept as bitmaps. Those that there are were saved as they were sent: the
-- server draws them when it runs.

alter table template add column logo_state text
  constraint template_logo_state check (logo_state in ('given', 'drawn', 'refused'));
update template set logo_state = 'given' where logo is not null;
alter table template add constraint template_logo_has_state check ((logo is null) = (logo_state is null));

create index template_logo_given on template (bucket, merchant_id, template_id) where logo_state = 'given';
