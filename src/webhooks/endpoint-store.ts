// SQL of webhook endpoints, the table webhook_endpoint: settings, and the claims of sending processes. Times are the
// database's, so that the clocks of several machines don't matter.
import type { MerchantKey } from "../merchants/index.ts";
import { findOnNodes } from "../platform/database/citus/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { NOW, table, type Row } from "../platform/database/table.ts";
import { RowProof, secretsOf } from "../platform/secrets/index.ts";
import type { Endpoint, EndpointKey } from "./endpoint.ts";

type StoredEndpoint = Endpoint & { readonly proof: Uint8Array | null };

const ENDPOINTS = table<StoredEndpoint, EndpointKey>("webhook_endpoint", ["bucket", "merchantId", "endpointId"], {
  bucket: "smallint",
  merchantId: "bigint",
  endpointId: "bigint",
  url: "text",
  description: "text",
  eventTypes: "text[]",
  status: "text",
  disabledReason: "text",
  createdAt: "timestamptz",
  startEventNo: "bigint",
  cursorEventNo: "bigint",
  headTries: "integer",
  headFirstAt: "timestamptz",
  failingSince: "timestamptz",
  nextAttemptAt: "timestamptz",
  deliveryDueAt: "timestamptz",
  proof: "bytea",
});

/** The proof of an endpoint's URL and event types. */
const PROOF = new RowProof<EndpointKey & Pick<Endpoint, "url" | "eventTypes">>(
  "webhook_endpoint",
  ({ bucket, merchantId, endpointId }) => [bucket, merchantId, endpointId],
  ({ url, eventTypes }) => [url, eventTypes],
);

function withoutProof(stored: StoredEndpoint): Endpoint {
  const { proof: _, ...endpoint } = stored;
  return endpoint;
}

/** When an endpoint's first waiting delivery is due: $1, $2 and $3 are its key. */
const FIRST_WAITING = `(
  select min(waiting.next_attempt_at) from webhook_delivery waiting
  where waiting.bucket = $1 and waiting.merchant_id = $2 and waiting.endpoint_id = $3 and waiting.status = 'Waiting')`;

export type NewEndpoint = EndpointKey & Pick<Endpoint, "url" | "description" | "eventTypes">;

/** Inserts an endpoint that begins with the merchant's next event. */
export async function insertEndpoint(connection: Connection, endpoint: NewEndpoint): Promise<Endpoint> {
  const { rows } = await connection.query<Row>(
    `insert into webhook_endpoint (
       bucket, merchant_id, endpoint_id, url, description, event_types, status, created_at, start_event_no,
       cursor_event_no, next_attempt_at, released_at, proof)
     select $1, $2, $3, $4, $5, $6, 'Enabled', now(), last_entry_no, last_entry_no, now(), now(), $7
     from ledger_book where bucket = $1 and merchant_id = $2
     returning *`,
    [
      endpoint.bucket,
      endpoint.merchantId,
      endpoint.endpointId,
      endpoint.url,
      endpoint.description,
      endpoint.eventTypes,
      PROOF.of(await secretsOf(connection), endpoint),
    ],
  );
  return withoutProof(ENDPOINTS.read(rows[0]!));
}

/** Finds a merchant's endpoint. `lock` keeps its row locked until the transaction ends. */
export async function findEndpoint(db: Queryable, key: EndpointKey, lock = false): Promise<Endpoint | null> {
  const found = await ENDPOINTS.find(db, key, lock);
  return found && withoutProof(found);
}

/** A merchant's endpoints, oldest first. */
export async function listEndpoints(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<Endpoint[]> {
  const text = "select * from webhook_endpoint where bucket = $1 and merchant_id = $2 order by created_at, endpoint_id";
  return (await ENDPOINTS.select(db, text, [bucket, merchantId])).map(withoutProof);
}

/**
 * Changes an endpoint, and ends the claim of the process that is sending to it, so that nothing more goes to its earlier URL. Other
 * types apply after the last settled event: verify-store.ts checks the events from there on.
 */
export async function updateEndpoint(
  connection: Connection,
  endpoint: Endpoint,
  changes: Partial<Pick<Endpoint, "url" | "description" | "eventTypes">>,
): Promise<void> {
  const { bucket, merchantId, endpointId, cursorEventNo } = endpoint;
  const { proof: before } = (await ENDPOINTS.find(connection, endpoint))!;
  const proof = PROOF.renewed(await secretsOf(connection), endpoint, before, { ...endpoint, ...changes });
  await ENDPOINTS.update(connection, {
    bucket,
    merchantId,
    endpointId,
    ...changes,
    proof,
    ...(changes.eventTypes === undefined ? {} : { startEventNo: cursorEventNo }),
    ...(changes.url === undefined ? {} : { nextAttemptAt: NOW }),
  });
  await connection.query(
    `update webhook_endpoint set holder = null, lease_until = null
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3`,
    [bucket, merchantId, endpointId],
  );
}

/** Disables an endpoint, and ends the claim of the process that is sending to it. Its waiting events stay. */
export async function disableEndpoint(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
  reason = "",
): Promise<void> {
  await db.query(
    `update webhook_endpoint set status = 'Disabled', disabled_reason = $4, holder = null, lease_until = null
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3`,
    [bucket, merchantId, endpointId, reason],
  );
}

/**
 * Enables an endpoint and makes its waiting events due now. `skipsMissed` makes it start with the merchant's next event instead of where
 * it stopped.
 */
export async function enableEndpoint(
  connection: Connection,
  { bucket, merchantId, endpointId }: EndpointKey,
  skipsMissed: boolean,
): Promise<void> {
  const values = [bucket, merchantId, endpointId];
  await connection.query(
    `update webhook_delivery set next_attempt_at = now()
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and status = 'Waiting'`,
    values,
  );
  await connection.query(
    `update webhook_endpoint
     set
       status = 'Enabled', disabled_reason = '', next_attempt_at = now(),
       delivery_due_at = ${FIRST_WAITING}
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3`,
    values,
  );
  if (!skipsMissed) return;
  await connection.query(
    `update webhook_endpoint
     set
       start_event_no = last_entry_no, cursor_event_no = last_entry_no, head_tries = 0, head_first_at = null,
       failing_since = null
     from ledger_book
     where ledger_book.bucket = $1 and ledger_book.merchant_id = $2 and webhook_endpoint.bucket = $1
       and webhook_endpoint.merchant_id = $2 and endpoint_id = $3`,
    values,
  );
}

/** An endpoint with due events. `isFailing`: its latest events in order failed. */
export type DueEndpoint = EndpointKey & { readonly isFailing: boolean };

const DUE_ENDPOINTS = table<DueEndpoint, EndpointKey>("webhook_endpoint", ["bucket", "merchantId", "endpointId"], {
  bucket: "smallint",
  merchantId: "bigint",
  endpointId: "bigint",
  isFailing: "boolean",
});

/** The holder that polls, and its limits. */
export type DueEndpointQuery = {
  readonly holder: string;
  readonly limit: number;
  readonly ofOneMerchant: number;
  /**
   * How long nothing has been due, in milliseconds: only endpoints that may have something due since then are read. `null` reads all of
   * them.
   */
  readonly idleMs: number | null;
};

/**
 * Endpoints of all merchants with due events that no other holder has claimed: at most `ofOneMerchant` working and as many failing ones
 * of each merchant. Merchants take turns, the longest waiting first, and so do working and failing endpoints. The holder knows which
 * endpoints it works on; it may still have claims on others that it could not release while the database was down.
 */
export async function findDueEndpoints(
  db: Queryable,
  { holder, limit, ofOneMerchant, idleMs }: DueEndpointQuery,
): Promise<DueEndpoint[]> {
  const values = [holder, limit, ofOneMerchant];
  const query = idleMs === null ? { ...FIND_DUE, values } : { ...FIND_DUE_SINCE, values: [...values, idleMs] };
  const enabled = { table: "webhook_endpoint", condition: "status = 'Enabled'", limit };
  return findOnNodes(db, enabled, (part) => DUE_ENDPOINTS.select(part, query));
}

const DUE_COLUMNS = `
  bucket, merchant_id, endpoint_id, failing_since is not null as is_failing, released_at,
  row_number() over (
    partition by bucket, merchant_id, failing_since is not null order by released_at) as turn`;
const HAS_DUE = `
  status = 'Enabled' and (lease_until is null or lease_until < now() or holder = $1) and (
    (last_entry_no > cursor_event_no and next_attempt_at <= now()) or delivery_due_at <= now())`;
const BY_TURNS = `
  select bucket, merchant_id, endpoint_id, is_failing
  from due
  where turn <= $3
  order by row_number() over (partition by is_failing order by turn, released_at)
  limit $2`;

const FIND_DUE = {
  name: "find-due-webhook-endpoints",
  text: `with due as (
      select ${DUE_COLUMNS}
      from webhook_endpoint
      join ledger_book using (bucket, merchant_id)
      where ${HAS_DUE}
    ) ${BY_TURNS}`,
};

/**
 * The same for endpoints that may have something due since $4 milliseconds ago: released, paused or enabled since, with a new event or a
 * due delivery, or of a process that may have died.
 */
const FIND_DUE_SINCE = {
  name: "find-webhook-endpoints-due-since",
  text: `with candidate as (
      select bucket, merchant_id, endpoint_id from webhook_endpoint
      where released_at >= now() - $4 * interval '1 millisecond'
        or next_attempt_at >= now() - $4 * interval '1 millisecond' or delivery_due_at <= now() or holder is not null
      union
      select bucket, merchant_id, endpoint_id
      from ledger_book
      join webhook_endpoint using (bucket, merchant_id)
      where changed_at >= now() - interval '10 s' - $4 * interval '1 millisecond'
    ), due as (
      select ${DUE_COLUMNS}
      from candidate
      join webhook_endpoint using (bucket, merchant_id, endpoint_id)
      join ledger_book using (bucket, merchant_id)
      where ${HAS_DUE}
    ) ${BY_TURNS}`,
};

/** A claimed endpoint. `isChanged`: its URL or event types were changed with SQL. */
type ClaimedEndpoint = Endpoint & { readonly now: Temporal.Instant; readonly isChanged: boolean };

/** Claims an endpoint for this holder; `null` if it is disabled or claimed by another one. */
export async function claimEndpoint(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
  holder: string,
  leaseMs: number,
): Promise<ClaimedEndpoint | null> {
  const { rows } = await db.query<Row & { lease_until: Temporal.Instant }>({
    name: "claim-webhook-endpoint",
    text: `update webhook_endpoint set holder = $4, lease_until = now() + $5 * interval '1 millisecond'
      where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and status = 'Enabled'
        and (lease_until is null or lease_until < now() or holder = $4)
      returning *`,
    values: [bucket, merchantId, endpointId, holder, leaseMs],
  });
  const [row] = rows;
  if (!row) return null;
  const stored = ENDPOINTS.read(row);
  const isChanged = !PROOF.fits(await secretsOf(db), stored, stored.proof);
  // Citus allows no now() in a returning list.
  return { ...withoutProof(stored), isChanged, now: row.lease_until.subtract({ milliseconds: leaseMs }) };
}

/** Frees every endpoint. Only for when no other process can be running. */
export async function freeEndpoints(db: Queryable): Promise<void> {
  await db.query("update webhook_endpoint set holder = null, lease_until = null where holder is not null");
}

/** How far a holder has come with an endpoint. */
export type Progress = Pick<Endpoint, "cursorEventNo" | "headTries" | "headFirstAt"> & {
  readonly isFailing: boolean;
  /** The pause before the event after the cursor is retried; `null` for none. */
  readonly pauseMs: number | null;
  /** How long to keep the endpoint; `null` to release it. */
  readonly keepMs: number | null;
};

/** Locks the row of an endpoint that this holder has claimed; returns false if it has lost the claim. */
export async function lockClaim(
  connection: Connection,
  { bucket, merchantId, endpointId }: EndpointKey,
  holder: string,
): Promise<boolean> {
  const { rowCount } = await connection.query({
    name: "lock-webhook-claim",
    text: `select from webhook_endpoint
      where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and holder = $4 for update`,
    values: [bucket, merchantId, endpointId, holder],
  });
  return rowCount === 1;
}

/** Writes the holder's progress. It has locked the row with `lockClaim` in this transaction. */
export async function writeProgress(
  connection: Connection,
  { bucket, merchantId, endpointId }: EndpointKey,
  progress: Progress,
): Promise<void> {
  await connection.query({
    name: "write-webhook-progress",
    text: `update webhook_endpoint
      set
        cursor_event_no = $4, head_tries = $5, head_first_at = $6,
        failing_since = case when $7 then least(failing_since, now()) end,
        next_attempt_at = case when $8::bigint is null then next_attempt_at else now() + $8 * interval '1 millisecond' end,
        delivery_due_at = ${FIRST_WAITING},
        lease_until = now() + $9 * interval '1 millisecond',
        holder = case when $9 is null then null else holder end,
        released_at = case when $9 is null then now() else released_at end
      where bucket = $1 and merchant_id = $2 and endpoint_id = $3`,
    values: [
      bucket,
      merchantId,
      endpointId,
      progress.cursorEventNo,
      progress.headTries,
      progress.headFirstAt?.toString() ?? null,
      progress.isFailing,
      progress.pauseMs,
      progress.keepMs,
    ],
  });
}
