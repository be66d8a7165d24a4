// SQL that checks webhooks against the outbox: no event of an endpoint is missing. Reads only.
import { inScope, type Check } from "../ledger/index.ts";
import { INSTALLATION_EVENTS, INSTALLATION_OWNER, MERCHANT_EVENTS, type EventCatalog } from "./endpoint.ts";

/** A day less than the log's retention, so that rows that are just being deleted don't count as missing. */
const LOOKED_AT = "interval '29 days'";

/** Whether the endpoint receives events of the type: the same rule as `takesType` in endpoint.ts. */
const IS_TAKEN = `event.type = any (case event.merchant_id
    when ${INSTALLATION_OWNER.merchantId} then ${typesOf(INSTALLATION_EVENTS)} else ${typesOf(MERCHANT_EVENTS)} end) and (
  endpoint.event_types is null or event.type = any (endpoint.event_types)
  or split_part(event.type, '.', 1) || '.*' = any (endpoint.event_types))`;

export const WEBHOOK_CHECKS: readonly Check[] = [
  {
    name: "webhook_cursor",
    sql: `
      select
        endpoint.merchant_id, endpoint.endpoint_id as subject_id,
        'the last event that a webhook endpoint has settled' as what,
        'at most ' || coalesce(book.last_entry_no, 0) as expected, endpoint.cursor_event_no::text as found
      from webhook_endpoint endpoint
      left join ledger_book book using (bucket, merchant_id)
      where endpoint.cursor_event_no > coalesce(book.last_entry_no, 0) and ${inScope("endpoint")}`,
  },
  {
    name: "webhook_settled",
    sql: `
      select
        endpoint.merchant_id, endpoint.endpoint_id as subject_id,
        'what became of event ' || event.entry_no || ' (' || event.type || ') at a webhook endpoint that is past it' as what,
        'taken, waiting or failed' as expected, 'nothing is known of it' as found
      from webhook_endpoint endpoint
      join journal event
        on event.bucket = endpoint.bucket and event.merchant_id = endpoint.merchant_id
        and event.entry_no > endpoint.start_event_no and event.entry_no <= endpoint.cursor_event_no
      where event.created_at > now() - ${LOOKED_AT} and ${IS_TAKEN} and ${inScope("endpoint")}
        and not exists (
          select from webhook_attempt attempt
          where attempt.bucket = event.bucket and attempt.merchant_id = event.merchant_id
            and attempt.endpoint_id = endpoint.endpoint_id and attempt.event_no = event.entry_no and attempt.succeeded)
        and not exists (
          select from webhook_delivery delivery
          where delivery.bucket = event.bucket and delivery.merchant_id = event.merchant_id
            and delivery.endpoint_id = endpoint.endpoint_id and delivery.event_no = event.entry_no)`,
  },
];

/** The catalog's types as an SQL array. */
function typesOf({ types }: EventCatalog): string {
  return `'{${types.join(",")}}'::text[]`;
}
