-- The log of a webhook endpoint by what was not taken, and by the event that was sent.

create index webhook_attempt_refused on webhook_attempt (bucket, merchant_id, endpoint_id, attempted_at, event_no)
  where not succeeded;
create index webhook_attempt_of_event on webhook_attempt (event_no, bucket, merchant_id, endpoint_id);
