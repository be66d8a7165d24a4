// SQL of approvals. src/payouts/batch/approval-store.ts requests those of transfers.
import { readActor } from "../actor-store.ts";
import { findOnNodes } from "../../platform/database/citus/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table, type Row } from "../../platform/database/table.ts";
import { readSecretRows, secretsOf, whereItOpens, type Secrets } from "../../platform/secrets/index.ts";
import type { Merchant, MerchantKey } from "../merchant.ts";
import { changeOf, readChange, type StoredChange } from "./approval-change.ts";
import { proveRequest } from "./approval-proof.ts";
import type { AccountChange, Approval, ApprovalKey, ApprovalKind, Decision } from "./approval.ts";

/** Columns besides those of the request, of which only the account's number has its own column. */
type StoredApproval = Omit<Approval, "bankAccount" | "policyChanges" | "resolution" | "funding"> & {
  readonly accountNumber: string | null;
};

const APPROVALS = table<StoredApproval, ApprovalKey>("approval", ["bucket", "merchantId", "approvalId"], {
  bucket: "smallint",
  merchantId: "bigint",
  approvalId: "bigint",
  kind: "text",
  subjectId: "bigint",
  requestedBy: "text",
  requestedAt: "timestamptz",
  expiresAt: "timestamptz",
  accountNumber: "text sealed",
  decision: "text",
  decidedBy: "text",
  decidedAt: "timestamptz",
  note: "text",
});

export const APPROVAL_SECRETS = APPROVALS.secretTable();

type ApprovalRow = Row & { change: StoredChange | null; proof: Buffer | null };

function fromRow(row: ApprovalRow, secrets: Secrets): Approval {
  const { change } = row;
  const { accountNumber, ...approval } = APPROVALS.read(row, secrets);
  return {
    ...approval,
    ...readChange(change, accountNumber),
  };
}

/** A new approval. The transaction's actor is the requester. */
export type NewApproval = ApprovalKey &
  Pick<Approval, "kind" | "subjectId" | "requestedAt" | "bankAccount" | "policyChanges" | "resolution" | "funding"> & {
    /** By the merchant's clock. */
    readonly expiresAfterHours: number;
  };

/** Inserts an open approval. */
export async function insertApproval(connection: Connection, approval: NewApproval): Promise<void> {
  const { bucket, merchantId, approvalId, bankAccount } = approval;
  const secrets = await secretsOf(connection);
  const change = changeOf(approval);
  const requestedBy = await readActor(connection);
  await connection.query(
    `insert into approval (
       bucket, merchant_id, approval_id, kind, subject_id, requested_by, requested_at, expires_at, change, account_number, proof)
     select
       $1, $2, $3, $4, $5, $10, $6::timestamptz,
       merchant_now($6, time_zone, live, clock_date) + make_interval(hours => $7), $8, $9, $11
     from merchant where bucket = $1 and merchant_id = $2
     returning 1`,
    [
      bucket,
      merchantId,
      approvalId,
      approval.kind,
      approval.subjectId,
      approval.requestedAt.toString(),
      approval.expiresAfterHours,
      change && JSON.stringify(change),
      secrets.seal(
        "approval.account_number",
        [bucket, merchantId, approvalId],
        bankAccount && bankAccount.accountNumber !== "" ? bankAccount.accountNumber : null,
      ),
      requestedBy,
      proveRequest(secrets, { ...approval, requestedBy }, []),
    ],
  );
}

/** A merchant's approvals by their ids; missing ones are left out. */
export async function findApprovals(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  approvalIds: readonly bigint[],
): Promise<Approval[]> {
  const { rows } = await db.query<ApprovalRow>({
    name: "find-approvals",
    text: "select * from approval where bucket = $1 and merchant_id = $2 and approval_id = any ($3)",
    values: [bucket, merchantId, approvalIds],
  });
  return readSecretRows(db, rows, fromRow);
}

/** A locked approval, with the facts needed to decide it. */
export type HeldApproval = {
  readonly approval: Approval;
  /** The transaction's actor. */
  readonly actor: string;
  /** The time by the merchant's clock. */
  readonly merchantNow: Temporal.Instant;
  readonly status: Merchant["status"];
  /** The proof of the request: see `proveRequest`. */
  readonly proof: Buffer | null;
};

/** Finds a merchant's approval and locks it until the transaction ends. */
export async function lockApproval(connection: Connection, key: ApprovalKey): Promise<HeldApproval | null> {
  type HeldRow = ApprovalRow & { merchant_now: Temporal.Instant; status: Merchant["status"] };
  // The actor is a setting of the connection, which on Citus the node with the approval doesn't know.
  const acting = readActor(connection);
  const held = connection.query<HeldRow>({
    name: "lock-approval",
    text: `select approval.*, merchant.status,
        merchant_now(clock_timestamp(), merchant.time_zone, merchant.live, merchant.clock_date) as merchant_now
      from approval
      join merchant using (bucket, merchant_id)
      where bucket = $1 and merchant_id = $2 and approval_id = $3 for update of approval`,
    values: [key.bucket, key.merchantId, key.approvalId],
  });
  const [actor, { rows }] = await Promise.all([acting, held]);
  const [approval] = await readSecretRows(connection, rows, fromRow);
  if (!approval) return null;
  const { merchant_now: merchantNow, status, proof } = rows[0]!;
  return { approval, actor, merchantNow, status, proof };
}

/** The most requests for one account that are read: it may be requested again and again. */
const WAITING_LOOKED_AT = 100;

/** The open approvals of a new account for the same subject, the newest first. */
export async function listWaitingAccounts(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  kind: ApprovalKind,
  subjectId: bigint,
): Promise<Approval[]> {
  const { rows } = await db.query<ApprovalRow>(
    `select * from approval
     where bucket = $1 and merchant_id = $2 and kind = $3 and subject_id = $4 and decision is null
       and coalesce(
         expires_at > (
           select merchant_now(now(), time_zone, live, clock_date) from merchant where bucket = $1 and merchant_id = $2),
         true)
     order by approval_id desc limit $5`,
    [bucket, merchantId, kind, subjectId, WAITING_LOOKED_AT],
  );
  return readSecretRows(db, rows, fromRow);
}

/** The open approval for the same account, by any requester; `null` if there is none. */
export async function findWaitingAccount(
  connection: Connection,
  merchant: MerchantKey,
  kind: ApprovalKind,
  subjectId: bigint,
  account: AccountChange,
): Promise<bigint | null> {
  const names = Object.keys(account) as (keyof AccountChange)[];
  const open = await listWaitingAccounts(connection, merchant, kind, subjectId);
  const same = open.find(({ bankAccount }) => names.every((name) => bankAccount?.[name] === account[name]));
  return same?.approvalId ?? null;
}

/** Saves the decision of the transaction's actor on an approval. The caller has locked it, and it was open. */
export async function writeDecision(
  connection: Connection,
  key: ApprovalKey,
  decided: { readonly decision: Decision; readonly decidedAt: Temporal.Instant; readonly note: string },
): Promise<void> {
  await connection.query(
    `update approval set decision = $4, decided_by = nodal_actor(), decided_at = $5, note = $6
     where bucket = $1 and merchant_id = $2 and approval_id = $3 and decision is null`,
    [key.bucket, key.merchantId, key.approvalId, decided.decision, decided.decidedAt.toString(), decided.note],
  );
}

/** Which approvals to list: the newest first, from the one before `before`. */
export type ApprovalPage = {
  readonly status: "open" | "decided" | "all";
  readonly before: bigint | null;
  readonly limit: number;
};

const STATUS_CONDITIONS = { open: "and decision is null", decided: "and decision is not null", all: "" } as const;

/** A merchant's approvals, the highest ids first. */
export async function listApprovals(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { status, before, limit }: ApprovalPage,
): Promise<Approval[]> {
  const { rows } = await db.query<ApprovalRow>(
    `select * from approval
     where bucket = $1 and merchant_id = $2 and ($3::bigint is null or approval_id < $3) ${STATUS_CONDITIONS[status]}
     order by approval_id desc limit $4`,
    [bucket, merchantId, before, limit],
  );
  return readSecretRows(db, rows, fromRow);
}

/** Kinds that the merchant's own people decide. */
const OF_THE_MERCHANT = "coalesce(change -> 'resolution' ->> 'operatorsOnly', 'false') = 'false'";

/** How many open approvals are read to count them, and the highest count: a menu shows no more than "99+". */
const MAX_READ = 1000;
const MAX_COUNTED = 100;

/** The number of a merchant's newest open approvals not requested by `actor`; 100 means that many or more. */
export async function countWaitingFor(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  actor: string,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: "count-waiting-approvals",
    text: `select count(*)::integer as count from (
        select requested_by from (
          select requested_by, kind from approval
          where bucket = $1 and merchant_id = $2 and decision is null and ${OF_THE_MERCHANT}
          order by approval_id desc limit $4
        ) as newest
        where requested_by <> $3 and (kind <> 'funding' or $3 like 'operator:%') limit $5
      ) as waiting`,
    values: [bucket, merchantId, actor, MAX_READ, MAX_COUNTED],
  });
  return rows[0]!.count;
}

/**
 * A merchant's open approvals that `actor` may still decide, at most `limit`, the earliest to expire first: requested by somebody
 * else, and not expired by the merchant's clock.
 */
export async function listWaitingFor(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  actor: string,
  limit: number,
): Promise<Approval[]> {
  const { rows } = await db.query<ApprovalRow>({
    name: "list-waiting-approvals",
    text: `select * from approval
      where bucket = $1 and merchant_id = $2 and decision is null and requested_by <> $3 and ${OF_THE_MERCHANT}
        and coalesce(
          expires_at > (
            select merchant_now(now(), time_zone, live, clock_date) from merchant where bucket = $1 and merchant_id = $2),
          true)
      order by expires_at nulls last, approval_id limit $4`,
    values: [bucket, merchantId, actor, limit],
  });
  return readSecretRows(db, rows, fromRow);
}

/** The merchants with open approvals that were requested at least `ms` ago and not notified. */
export async function listUnnotified(db: Queryable, ms: number): Promise<MerchantKey[]> {
  const open = { table: "approval", condition: "decision is null and told_at is null", limit: null };
  return findOnNodes(db, open, async (part) => {
    const { rows } = await part.query<{ bucket: number; merchant_id: bigint }>({
      name: "list-untold-approvals",
      text: `select bucket, merchant_id from approval
        where decision is null and told_at is null and requested_at <= now() - $1 * interval '1 millisecond'
        group by bucket, merchant_id order by bucket, merchant_id`,
      values: [ms],
    });
    return rows.map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id }));
  });
}

/** An approval to notify people about. */
export type UnnotifiedApproval = Pick<Approval, "approvalId" | "requestedBy">;

/**
 * Marks a merchant's open approvals that have waited for `ms` as notified, the oldest first, at most `limit`. A concurrent caller
 * waits, and gets none of the same.
 */
export async function markNotified(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  ms: number,
  limit: number,
): Promise<UnnotifiedApproval[]> {
  const { rows } = await connection.query<{ approval_id: bigint; requested_by: string }>({
    name: "lock-untold-approvals",
    text: `select approval_id, requested_by from approval
      where bucket = $1 and merchant_id = $2 and decision is null and told_at is null
        and requested_at <= now() - $3 * interval '1 millisecond'
      order by requested_at, approval_id limit $4
      for no key update`,
    values: [bucket, merchantId, ms, limit],
  });
  // By id, one look-up each: a join would be planned for few rows, and scan all of them for each.
  await connection.query({
    name: "mark-approvals-told",
    text: `update approval set told_at = now()
      where bucket = $1 and merchant_id = $2 and approval_id = any ($3::bigint[])`,
    values: [bucket, merchantId, rows.map((row) => row.approval_id)],
  });
  return rows.map((row) => ({ approvalId: row.approval_id, requestedBy: row.requested_by }));
}

/** Open approvals that have expired by their merchant's clock, the longest waiting first: of all merchants, or of one. */
export async function findExpired(
  db: Queryable,
  now: Temporal.Instant,
  limit: number,
  merchant: MerchantKey | null = null,
): Promise<ApprovalKey[]> {
  const open = { table: "approval", condition: "decision is null and expires_at is not null", limit };
  return findOnNodes(db, open, async (part) => {
    const { rows } = await part.query<{ bucket: number; merchant_id: bigint; approval_id: bigint }>(
      `select bucket, merchant_id, approval_id from (
       select bucket, merchant_id, approval_id, expires_at from approval
       where decision is null and expires_at <= $1
       union all
       select bucket, merchant_id, approval_id, expires_at
       from (
         select bucket, merchant_id, merchant_now($1, time_zone, live, clock_date) as shown_at from merchant
         where clock_date is not null and not live
       ) as moved
       join approval using (bucket, merchant_id)
       where decision is null and expires_at > $1 and expires_at <= shown_at
     ) as expired
     where $3::smallint is null or (bucket = $3 and merchant_id = $4)
     order by expires_at limit $2`,
      [now.toString(), limit, merchant?.bucket ?? null, merchant?.merchantId ?? null],
    );
    return rows.map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id, approvalId: row.approval_id }));
  });
}

/** An approval with the proof of its request; `approval` is `null` if its account can't be decrypted. */
export type ProvedApproval = ApprovalKey & { readonly approval: Approval | null; readonly proof: Buffer | null };

/** The next approvals in key order, open and decided, of one merchant or of all. */
export async function listProvedApprovals(
  db: Queryable,
  scope: MerchantKey | null,
  after: ApprovalKey | null,
  limit: number,
): Promise<ProvedApproval[]> {
  const { rows } = await db.query<ApprovalRow>(
    `select * from approval
     where ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
       and (bucket, merchant_id, approval_id) > ($3::smallint, $4::bigint, $5::bigint)
     order by bucket, merchant_id, approval_id limit $6`,
    [
      scope?.bucket ?? null,
      scope?.merchantId ?? null,
      after?.bucket ?? -1,
      after?.merchantId ?? 0n,
      after?.approvalId ?? 0n,
      limit,
    ],
  );
  return readSecretRows(db, rows, (row, secrets) => ({
    bucket: row["bucket"] as number,
    merchantId: row["merchant_id"] as bigint,
    approvalId: row["approval_id"] as bigint,
    approval: whereItOpens(
      () => fromRow(row, secrets),
      () => null,
    ),
    proof: row.proof,
  }));
}
