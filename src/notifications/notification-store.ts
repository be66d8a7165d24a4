// SQL of the table notification: claims, results and lists. Invoices and approval-mail-store.ts queue messages, held-store.ts has
// held ones. Times are the database's, so that the clocks of several machines don't matter.
import type { MerchantKey } from "../merchants/index.ts";
import { byBucket } from "../platform/database/buckets.ts";
import { findOnNodes, leadsToSpread } from "../platform/database/citus/index.ts";
import { flat, foundIn, settle } from "../platform/settled.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table, type Row } from "../platform/database/table.ts";
import type { QueueState } from "../platform/jobs/worker.ts";
import type { Notification, NotificationKey, NotificationState, Wording } from "./notification.ts";

const NOTIFICATIONS = table<Omit<Notification, "wording">, NotificationKey>(
  "notification",
  ["bucket", "merchantId", "notificationId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    notificationId: "bigint",
    kind: "text",
    subjectId: "bigint",
    loginId: "bigint",
    channel: "text",
    sendTo: "text",
    reminderDays: "integer",
    fromDate: "date",
    toDate: "date",
    state: "text",
    dueAt: "timestamptz",
    attempts: "integer",
    reason: "text",
    sentAt: "timestamptz",
    messageId: "text",
    createdAt: "timestamptz",
  },
);

type WordedRow = Row & {
  recipient: string | null;
  subject: string | null;
  html: string | null;
  body: string | null;
};

function fromRow(row: WordedRow): Notification {
  const { recipient, subject, html, body } = row;
  const wording = body === null ? null : { recipient: recipient ?? "", subject: subject ?? "", html, body };
  return { ...NOTIFICATIONS.read(row), wording };
}

export type StatementMail = {
  readonly customerId: bigint;
  readonly sendTo: string;
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
};

export type DueQuery = {
  readonly limit: number;
  readonly ofOne: number;
  /** Merchants to leave out. */
  readonly leftOut: readonly bigint[];
  /** `next` of the previous poll; `null` for the first merchants in key order. */
  readonly after: MerchantKey | null;
};
export type DueFound = {
  readonly due: readonly NotificationKey[];
  /** The merchant after which the next poll continues; `null` to start again. */
  readonly next: MerchantKey | null;
};

/** How many merchants have a turn in one poll, besides those of as many messages that have been due longest. */
const TURNS = 200;

/**
 * Finds up to `limit` due notifications. Merchants take turns: the longest due one of each, then the next one of each, at most `ofOne`
 * of one merchant, and none of those left out. If very many merchants have some, the rest have their turns in later polls. No rows are
 * skipped or locked.
 */
export async function findDueNotifications(
  db: Queryable,
  { limit, ofOne, leftOut, after }: DueQuery,
): Promise<DueFound> {
  const isSpread = await leadsToSpread(db);
  const rows = await findOnNodes(db, { table: "notification", condition: "due_at <= now()", limit }, async (part) => {
    const found = await part.query<{
      bucket: number;
      merchant_id: bigint;
      notification_id: bigint | null;
      next_bucket: number | null;
      next_merchant_id: bigint | null;
    }>({
      ...(isSpread ? FIND_DUE_OF_SHARD : FIND_DUE),
      values: [limit, ofOne, leftOut, ...(isSpread ? [] : [after?.bucket ?? -1, after?.merchantId ?? 0n])],
    });
    return found.rows;
  });
  const due = rows.flatMap(({ bucket, merchant_id: merchantId, notification_id: notificationId }) =>
    notificationId === null ? [] : [{ bucket, merchantId, notificationId }],
  );
  const { next_bucket: bucket = null, next_merchant_id: merchantId = null } = rows[0] ?? {};
  return { due, next: bucket === null || merchantId === null ? null : { bucket, merchantId } };
}

/** Jumps from one merchant with due messages to the next, however many each has. */
const FIND_DUE = {
  name: "find-due-notifications",
  text: `with recursive owing (bucket, merchant_id, place) as (
        (
          select bucket, merchant_id, 1 from notification
          where due_at is not null and (bucket, merchant_id) > ($4, $5)
          order by bucket, merchant_id limit 1
        )
        union all
        select next.bucket, next.merchant_id, place + 1
        from owing
        cross join lateral (
          select bucket, merchant_id from notification
          where due_at is not null and (bucket, merchant_id) > (owing.bucket, owing.merchant_id)
          order by bucket, merchant_id limit 1
        ) as next
        where place < ${TURNS}
      ), oldest as (
        select bucket, merchant_id from notification where due_at <= now() order by due_at limit ${TURNS}
      ), due as (
        select bucket, merchant_id, notification_id, turn, due_at
        from (select bucket, merchant_id from owing union select bucket, merchant_id from oldest) as merchant
        cross join lateral (
          select notification_id, due_at, row_number() over (order by due_at) as turn
          from (
            select notification_id, due_at from notification
            where bucket = merchant.bucket and merchant_id = merchant.merchant_id and due_at <= now()
            order by due_at limit $2
          ) as first
        ) as first
        where merchant_id <> all ($3::bigint[])
        order by turn, due_at
        limit $1
      )
      select due.bucket, due.merchant_id, notification_id, next.bucket as next_bucket, next.merchant_id as next_merchant_id
      from (select) as always
      left join due on true
      left join owing next on place = ${TURNS}
      order by turn, due_at`,
};

/** The same for a Citus shard, which has few enough merchants to read everything that is due. */
const FIND_DUE_OF_SHARD = {
  name: "find-due-notifications-of-shard",
  text: `select bucket, merchant_id, notification_id
    from (
      select bucket, merchant_id, notification_id, due_at,
        row_number() over (partition by bucket, merchant_id order by due_at) as turn
      from notification
      where due_at <= now() and merchant_id <> all ($3::bigint[])
    ) as due
    where turn <= $2
    order by turn, due_at
    limit $1`,
};

/**
 * Claims those that are still due for `leaseMs`. If two processes found the same ones, the update decides.
 */
export async function claimNotifications(
  db: Queryable,
  due: readonly NotificationKey[],
  leaseMs: number,
): Promise<Notification[]> {
  if (due.length === 0) return [];
  const groups = (await leadsToSpread(db)) ? byBucket(due) : [[null, due] as const];
  const claimed = await settle(groups.map(([bucket, some]) => claimSome(db, bucket, some, leaseMs)));
  // Claimed messages must be sent, even if a Citus node with others is down.
  return foundIn(flat(claimed));
}

/** Claims those of one bucket, or of all if `bucket` is `null`. */
async function claimSome(
  db: Queryable,
  bucket: number | null,
  due: readonly NotificationKey[],
  leaseMs: number,
): Promise<Notification[]> {
  const ofBucket = bucket === null ? "" : "and notification.bucket = $5";
  const { rows } = await db.query<WordedRow>({
    name: bucket === null ? "claim-notifications" : "claim-notifications-of-bucket",
    text: `with due as materialized (
        select notification.bucket, notification.merchant_id, notification.notification_id
        from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as given (bucket, merchant_id, notification_id)
        join notification using (bucket, merchant_id, notification_id)
        where due_at <= now() ${ofBucket}
        order by bucket, merchant_id, notification_id
        for no key update of notification
      )
      update notification
      set state = 'Sending', attempts = attempts + 1, due_at = now() + $4 * interval '1 millisecond'
      from due
      where notification.bucket = due.bucket and notification.merchant_id = due.merchant_id
        and notification.notification_id = due.notification_id ${ofBucket}
      returning notification.*`,
    values: [
      due.map((key) => key.bucket),
      due.map((key) => key.merchantId),
      due.map((key) => key.notificationId),
      leaseMs,
      ...(bucket === null ? [] : [bucket]),
    ],
  });
  return rows.map(fromRow);
}

/** A claim is valid until somebody begins another attempt. */
export type Claim = NotificationKey & { readonly attempts: number };

/** Extends claims by `leaseMs`, except those that others have taken over. */
export async function renewClaims(db: Queryable, claims: readonly Claim[], leaseMs: number): Promise<void> {
  await db.query({
    name: "renew-notification-claims",
    text: `update notification set due_at = now() + $5 * interval '1 millisecond'
      from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::integer[])
        as held (bucket, merchant_id, notification_id, attempts)
      where notification.bucket = held.bucket and notification.merchant_id = held.merchant_id
        and notification.notification_id = held.notification_id and notification.attempts = held.attempts
        and state = 'Sending'`,
    values: [
      claims.map((claim) => claim.bucket),
      claims.map((claim) => claim.merchantId),
      claims.map((claim) => claim.notificationId),
      claims.map((claim) => claim.attempts),
      leaseMs,
    ],
  });
}

/** Makes everything that was being sent due at once. Only for when no other process can be running. */
export async function freeClaims(db: Queryable): Promise<void> {
  await db.query("update notification set due_at = now() where state = 'Sending'");
}

/** How an attempt ended. A `Queued` one is retried after `retryMs`. */
export type Ending = {
  readonly state: Exclude<NotificationState, "Sending">;
  readonly reason: string | null;
  readonly retryMs: number;
  /** Whether it counts as an attempt. */
  readonly isAttempt: boolean;
  readonly messageId: string | null;
  /** `null` if it was not rendered: the wording of an earlier attempt then stays. */
  readonly wording: Wording | null;
};

/** Writes how an attempt ended. Returns false if the claim was lost: another process's result counts then. */
export async function finishNotification(connection: Connection, claim: Claim, ending: Ending): Promise<boolean> {
  const { state, reason, retryMs, isAttempt, messageId, wording } = ending;
  const { rowCount } = await connection.query({
    name: "finish-notification",
    text: `update notification set
        state = $5, reason = $6, due_at = now() + $7 * interval '1 millisecond',
        sent_at = now() + $14 * interval '1 millisecond', message_id = coalesce($8, message_id),
        recipient = coalesce($9, recipient), subject = coalesce($10, subject),
        html = case when $12::text is null then html else $11 end, body = coalesce($12, body),
        attempts = case when $13 then attempts else attempts - 1 end
      where bucket = $1 and merchant_id = $2 and notification_id = $3 and attempts = $4 and state = 'Sending'`,
    values: [
      claim.bucket,
      claim.merchantId,
      claim.notificationId,
      claim.attempts,
      state,
      reason,
      // Null without a retry.
      state === "Queued" ? retryMs : null,
      messageId,
      wording?.recipient ?? null,
      wording?.subject ?? null,
      wording?.html ?? null,
      wording?.body ?? null,
      isAttempt,
      // Null if it was not sent.
      state === "Sent" ? 0 : null,
    ],
  });
  return rowCount === 1;
}

/** Queues a mail with a customer's statement of account of some days. */
export async function insertStatementMail(
  connection: Connection,
  { bucket, merchantId, notificationId }: NotificationKey,
  { customerId, sendTo, from, to }: StatementMail,
): Promise<void> {
  await connection.query(
    `insert into notification (
       bucket, merchant_id, notification_id, kind, subject_id, customer_id, channel, send_to, from_date, to_date, created_at)
     values ($1, $2, $3, 'statement', $4, $4, 'mail', $5, $6, $7, now())`,
    [bucket, merchantId, notificationId, customerId, sendTo, from.toString(), to.toString()],
  );
}

/** Finds a merchant's notification; `lock` keeps it locked until the transaction ends. */
export async function findNotification(
  db: Queryable,
  { bucket, merchantId, notificationId }: NotificationKey,
  lock = false,
): Promise<Notification | null> {
  const { rows } = await db.query<WordedRow>(
    `select * from notification where bucket = $1 and merchant_id = $2 and notification_id = $3
     ${lock ? "for no key update" : ""}`,
    [bucket, merchantId, notificationId],
  );
  return rows[0] ? fromRow(rows[0]) : null;
}

/** Queues a finished one, as if it had never been tried. The caller has locked it. */
export async function requeueNotification(
  connection: Connection,
  { bucket, merchantId, notificationId }: NotificationKey,
): Promise<void> {
  await connection.query(
    `update notification set state = 'Queued', due_at = now(), attempts = 0, reason = null
     where bucket = $1 and merchant_id = $2 and notification_id = $3`,
    [bucket, merchantId, notificationId],
  );
}

/**
 * A merchant's notifications, newest first: those of one state or all, to one customer or anybody, those older than one
 * of them or from the newest on.
 */
export async function listNotifications(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  filter: {
    readonly state: NotificationState | null;
    readonly customerId: bigint | null;
    readonly before: bigint | null;
  },
  limit: number,
): Promise<Notification[]> {
  const { rows } = await db.query<WordedRow>(
    `select * from notification
     where bucket = $1 and merchant_id = $2 ${filter.state === null ? "and $3::text is null" : "and state = $3"}
       and ${
         filter.before === null
           ? "$4::bigint is null"
           : `(created_at, notification_id) < (
               select created_at, notification_id from notification
               where bucket = $1 and merchant_id = $2 and notification_id = $4)`
       }
       ${filter.customerId === null ? "and $6::bigint is null" : "and customer_id = $6"}
     order by created_at desc, notification_id desc limit $5`,
    [bucket, merchantId, filter.state, filter.before, limit, filter.customerId],
  );
  return rows.map(fromRow);
}

/** The messages about an invoice and its payments, newest first, at most `limit`. */
export async function listNotificationsAbout(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subjectIds: readonly bigint[],
  limit: number,
): Promise<Notification[]> {
  const { rows } = await db.query<WordedRow>({
    name: "list-notifications-about",
    text: `select * from notification
      where bucket = $1 and merchant_id = $2 and subject_id = any ($3::bigint[])
      order by notification_id desc limit $4`,
    values: [bucket, merchantId, subjectIds, limit],
  });
  return rows.map(fromRow);
}

/** The state of the message queue, over all merchants. */
export async function countMailQueue(db: Queryable): Promise<QueueState> {
  const { rows } = await db.query<{
    waiting: bigint;
    retrying: bigint;
    failed: bigint;
    oldest_due_at: Temporal.Instant | null;
  }>(
    `select
       count(*) filter (where state in ('Queued', 'Sending')) as waiting,
       count(*) filter (where (state = 'Queued' and attempts > 0) or (state = 'Sending' and attempts > 1)) as retrying,
       count(*) filter (where state = 'Failed') as failed,
       min(due_at) filter (where due_at <= now()) as oldest_due_at
     from notification where state in ('Queued', 'Sending', 'Failed')`,
  );
  const row = rows[0]!;
  return {
    name: "mail",
    waiting: row.waiting,
    retrying: row.retrying,
    failed: row.failed,
    oldestDueAt: row.oldest_due_at,
  };
}
