-- The audit log by what it is about, and by the people who acted. Neither index holds what happens to transfers at the
-- API, so that money moves without them.

create index event_of_subject on event (subject_id, bucket, merchant_id, event_no) where type not like 'transfer.%';
create index event_of_person on event (actor, bucket, merchant_id, event_no)
  where actor not like 'key:%' and actor not like 'job:%' and actor <> 'bank';
