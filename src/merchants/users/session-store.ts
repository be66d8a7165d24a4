// All SQL of sessions. Times are the database's, so that differences between machines' clocks don't matter.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { NOW, table, type Columns, type Row } from "../../platform/database/table.ts";
import { isSame } from "../../platform/bytes.ts";
import { changedWithSql, secretsOf } from "../../platform/secrets/index.ts";
import { bindHash, boundHash } from "./bound-hash.ts";
import { LOGIN_COLUMNS, loginFromRow } from "./login-store.ts";
import { loginChanged, type Login, type LoginKey } from "./login.ts";
import { BUILT_IN_ROLES } from "./permission.ts";
import { isProvedRole } from "./role-store.ts";
import { IDLE_HOURS, type Visitor, type SessionName, type SessionState, type StoredSession } from "./session.ts";

/** The shortest time between updates of `last_seen_at`: a page makes many requests at once. */
const SEEN_EVERY_SECONDS = 60;
const IS_ALIVE = `expires_at > now() and last_seen_at > now() - interval '${IDLE_HOURS} hours'`;

const KEY = ["bucket", "merchantId", "sessionId"] as const;
const COLUMNS: Columns<StoredSession> = {
  bucket: "smallint",
  merchantId: "bigint",
  sessionId: "bigint",
  state: "text",
  address: "text",
  userAgent: "text",
  createdAt: "timestamptz",
  lastSeenAt: "timestamptz",
};
const SESSIONS = table<StoredSession, SessionName>("login_session", KEY, COLUMNS);

type NewRow = StoredSession & { loginId: bigint; secretHash: Buffer; expiresAt: Temporal.Instant };
const NEW_SESSIONS = table<NewRow, SessionName>("login_session", KEY, {
  ...COLUMNS,
  loginId: "bigint",
  secretHash: "bytea",
  expiresAt: "timestamptz",
});

export type NewSession = SessionName &
  Visitor & {
    readonly loginId: bigint;
    readonly secretHash: Buffer;
    readonly state: SessionState;
    readonly lifetimeHours: number;
  };

const PLACE = "login_session.secret_hash";

/** What the hash of a session is bound to besides its secret: its login, its sign-in step, and its latest end. */
function boundTo(session: Pick<NewRow, "loginId" | "state" | "expiresAt">): string[] {
  return [String(session.loginId), session.state, String(session.expiresAt)];
}

/** Inserts a session that begins now. */
export async function insertSession(connection: Connection, session: NewSession): Promise<void> {
  const { bucket, merchantId, sessionId } = session;
  const { rows } = await connection.query<{ now: Temporal.Instant }>("select now() as now");
  const expiresAt = rows[0]!.now.add({ minutes: session.lifetimeHours * 60 });
  const also = boundTo({ ...session, expiresAt });
  const kept = await boundHash(connection, PLACE, [bucket, merchantId, sessionId], session.secretHash, also);
  const times = { createdAt: NOW, lastSeenAt: NOW, expiresAt };
  await NEW_SESSIONS.insert(connection, { ...session, secretHash: kept, ...times });
}

export type FoundSession = {
  readonly session: StoredSession;
  readonly login: Login;
  /** Permissions of the merchant's own role of this name; empty for a built-in role, or none. */
  readonly rolePermissions: readonly string[];
};

type FoundRow = Row & {
  role_proof: Buffer | null;
  session_created_at: Temporal.Instant;
  expires_at: Temporal.Instant;
  secret_hash: Buffer;
  permissions: string[] | null;
};

/**
 * Finds a session that has not ended, by its id and the hash of its secret, if its login may sign in, with its role's current
 * permissions.
 * @throws NodalError `access_denied` if the login or its role was changed with SQL
 */
export async function findSession(
  db: Queryable,
  { bucket, merchantId, sessionId }: SessionName,
  secretHash: Buffer,
): Promise<FoundSession | null> {
  const { rows } = await db.query<FoundRow>({
    name: "find-session",
    text: `select ${LOGIN_COLUMNS}, session_id, secret_hash, state, expires_at, address, user_agent,
        login_session.created_at as session_created_at, last_seen_at, role.permissions, role.proof as role_proof
      from login_session
      join login using (bucket, merchant_id, login_id)
      left join role using (bucket, merchant_id, role_name)
      where login_session.bucket = $1 and login_session.merchant_id = $2 and session_id = $3
        and ${IS_ALIVE} and disabled_at is null`,
    values: [bucket, merchantId, sessionId],
  });
  const [row] = rows;
  if (!row) return null;
  const secrets = await secretsOf(db);
  const login = loginFromRow(secrets, row);
  const session = SESSIONS.read({ ...row, created_at: row.session_created_at });
  const also = boundTo({ loginId: login.loginId, state: session.state, expiresAt: row.expires_at });
  const kept = bindHash(secrets, PLACE, [bucket, merchantId, sessionId], secretHash, also);
  if (!isSame(kept, row.secret_hash)) return null;
  if (login.isChanged) throw loginChanged();
  const { permissions, role_proof: proof } = row;
  // The permissions of built-in roles are not read from their rows.
  if (permissions !== null && !BUILT_IN_ROLES.has(login.roleName)) {
    const { roleName } = login;
    if (!isProvedRole(secrets, { bucket, merchantId, roleName, permissions, proof })) {
      throw changedWithSql(`The role ${roleName}`);
    }
  }
  return { session, login, rolePermissions: permissions ?? [] };
}

/** Whether a session has not ended. */
export async function hasSession(db: Queryable, { bucket, merchantId, sessionId }: SessionName): Promise<boolean> {
  const { rows } = await db.query(
    `select from login_session where bucket = $1 and merchant_id = $2 and session_id = $3 and ${IS_ALIVE}`,
    [bucket, merchantId, sessionId],
  );
  return rows.length === 1;
}

/** Saves that a session is in use, and from which address. */
export async function touchSession(db: Queryable, session: StoredSession, address: string): Promise<void> {
  const silentMs = Temporal.Now.instant().epochMilliseconds - session.lastSeenAt.epochMilliseconds;
  if (silentMs < SEEN_EVERY_SECONDS * 1000 && session.address === address) return;
  await db.query({
    name: "touch-session",
    text: `update login_session set last_seen_at = now(), address = $4
      where bucket = $1 and merchant_id = $2 and session_id = $3`,
    values: [session.bucket, session.merchantId, session.sessionId, address],
  });
}

/** A login's sessions that have not ended, the newest first. */
export async function listSessions(db: Queryable, { bucket, merchantId, loginId }: LoginKey): Promise<StoredSession[]> {
  return SESSIONS.select(
    db,
    `select * from login_session
     where bucket = $1 and merchant_id = $2 and login_id = $3 and state = 'signed_in' and ${IS_ALIVE}
     order by created_at desc, session_id desc`,
    [bucket, merchantId, loginId],
  );
}

/** Ends one session of a login. Returns whether it had it. */
export async function deleteSession(
  db: Queryable,
  { bucket, merchantId, loginId }: LoginKey,
  sessionId: bigint,
): Promise<boolean> {
  const { rowCount } = await db.query(
    "delete from login_session where bucket = $1 and merchant_id = $2 and login_id = $3 and session_id = $4",
    [bucket, merchantId, loginId, sessionId],
  );
  return rowCount === 1;
}

/** Ends all sessions of a login, except the one to keep. Returns how many. */
export async function deleteSessions(
  db: Queryable,
  { bucket, merchantId, loginId }: LoginKey,
  keptSessionId: bigint | null = null,
): Promise<number> {
  const { rowCount } = await db.query(
    `delete from login_session
     where bucket = $1 and merchant_id = $2 and login_id = $3 and session_id is distinct from $4`,
    [bucket, merchantId, loginId, keptSessionId],
  );
  return rowCount ?? 0;
}

/** Ends a login's oldest sessions of a kind, so that at most `kept` remain. The caller has locked the login. */
export async function endOldestSessions(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  { isWhole, kept }: { readonly isWhole: boolean; readonly kept: number },
): Promise<void> {
  await connection.query(
    `delete from login_session where (bucket, merchant_id, session_id) in (
       select bucket, merchant_id, session_id from login_session
       where bucket = $1 and merchant_id = $2 and login_id = $3 and (state = 'signed_in') = $4
       order by created_at desc, session_id desc offset $5)`,
    [bucket, merchantId, loginId, isWhole, kept],
  );
}

/** Deletes the ended sessions of all logins. */
export async function forgetEndedSessions(db: Queryable): Promise<void> {
  await db.query(`delete from login_session where not (${IS_ALIVE})`);
}

/** Ends all sessions of all logins. */
export async function deleteEverySession(db: Queryable): Promise<void> {
  await db.query("delete from login_session");
}
