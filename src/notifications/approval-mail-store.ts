// SQL that queues mail about approvals: finds queued mail, and when a person may get the next one. Times are the database's,
// like those of the other messages.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { IS_FRESH } from "./held-store.ts";

/** A queued mail to a person, with the oldest of its approvals. */
export type OwedMail = {
  readonly notificationId: bigint;
  readonly loginId: bigint;
  readonly subjectId: bigint;
  readonly dueAt: Temporal.Instant;
};

/**
 * Finds those people with a queued mail about approvals, which will list everything that waits when it is sent. A mail that would wait
 * longer than `mostMs`, such as after a failure, is made due by then; a held one has no due time and is released with the other held
 * messages.
 */
export async function hastenOwedMail(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  loginIds: readonly bigint[],
  mostMs: number,
): Promise<Set<bigint>> {
  const { rows } = await connection.query<{ login_id: bigint }>({
    name: "hasten-approval-mail",
    text: `update notification
      set due_at = timestamptz_smaller(due_at, now() + $4 * interval '1 millisecond')
      where bucket = $1 and merchant_id = $2 and login_id = any ($3::bigint[])
        and (state = 'Queued' or state = 'Held' and ${IS_FRESH})
      returning login_id`,
    values: [bucket, merchantId, loginIds, mostMs],
  });
  return new Set(rows.map((row) => row.login_id));
}

/** When each of these people may get the next mail about approvals: at once, or `pauseMs` after the latest one. */
export async function readNextTimes(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  loginIds: readonly bigint[],
  pauseMs: number,
): Promise<Map<bigint, Temporal.Instant>> {
  const { rows } = await connection.query<{ login_id: bigint; next_at: Temporal.Instant }>({
    name: "read-next-approval-mail",
    text: `select asked.login_id, greatest(now(), latest.at + $4 * interval '1 millisecond') as next_at
      from unnest($3::bigint[]) as asked (login_id)
      left join lateral (
        select case state when 'Sending' then now() else coalesce(sent_at, created_at) end as at
        from notification
        where bucket = $1 and merchant_id = $2 and login_id = asked.login_id and state <> 'Suppressed'
        order by created_at desc limit 1
      ) as latest on true`,
    values: [bucket, merchantId, loginIds, pauseMs],
  });
  return new Map(rows.map((row) => [row.login_id, row.next_at]));
}

/** Queues mails about approvals. They are sent only if the caller's transaction commits. */
export async function queueApprovalMails(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  mails: readonly OwedMail[],
): Promise<void> {
  await connection.query({
    name: "queue-approval-mails",
    text: `insert into notification (
        bucket, merchant_id, notification_id, login_id, subject_id, due_at, kind, created_at)
      select owed.*, 'approval', $7::timestamptz
      from unnest(
        $1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::timestamptz[]) as owed
      returning 1`,
    values: [
      mails.map(() => bucket),
      mails.map(() => merchantId),
      mails.map(({ notificationId }) => notificationId),
      mails.map(({ loginId }) => loginId),
      mails.map(({ subjectId }) => subjectId),
      mails.map(({ dueAt }) => dueAt.toString()),
      Temporal.Now.instant().toString(),
    ],
  });
}
