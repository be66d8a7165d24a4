// Hashes that are copied to another row, or created with database access alone, let nobody in.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { hashPassword, verifyPassword } from "../../platform/password.ts";
import type { MerchantKey } from "../merchant.ts";
import { findPasswordHash, insertLogin } from "./login-store.ts";
import {
  hasReset,
  insertEmailChange,
  insertReset,
  replaceRecoveryCodes,
  takeEmailChange,
  takeRecoveryCode,
  takeReset,
} from "./recovery-store.ts";
import { findSession, insertSession } from "./session-store.ts";
import { hashOfSecret } from "./session.ts";

const SECRET = hashOfSecret("known");
let db: LedgerDatabase;
let merchant: MerchantKey;
let mine: MerchantKey & { readonly loginId: bigint };
let theirs: typeof mine;

beforeAll(async () => {
  db = await openLedgerDatabase();
  const [made] = await makeMerchants(db, 1);
  merchant = { bucket: made!.bucket, merchantId: made!.merchantId };
  mine = { ...merchant, loginId: await db.ids.next() };
  theirs = { ...merchant, loginId: await db.ids.next() };
  await within(async (connection) => {
    for (const [login, name] of [
      [mine, "mine"],
      [theirs, "theirs"],
    ] as const) {
      const shown = { kind: "user", email: `${name}@example.com`, name, roleName: "Viewer" } as const;
      const passwordHash = await hashPassword(`${name} password`, name);
      await insertLogin(connection, { ...login, ...shown, passwordHash, mustChangePassword: false });
    }
  });
});
afterAll(() => db.close());

const within = <T>(work: (connection: Connection) => Promise<T>): Promise<T> => inTransaction(db.server, work);

/** Copies a column of my row of a table into theirs. */
async function copy(table: string, column: string): Promise<void> {
  const { rowCount } = await db.owner.query(
    `update ${table} set ${column} = (select ${column} from ${table} where login_id = $1 limit 1) where login_id = $2`,
    [mine.loginId, theirs.loginId],
  );
  expect(rowCount).toBeGreaterThan(0);
}

/** Moves the end of one of my links by a day, or back. */
async function prolong(table: string, sign: "+" | "-"): Promise<void> {
  await db.owner.query(`update ${table} set expires_at = expires_at ${sign} interval '1 day' where login_id = $1`, [
    mine.loginId,
  ]);
}

async function isPassword(login: typeof mine, password: string): Promise<boolean> {
  return verifyPassword(password, await findPasswordHash(db.server, login), "test");
}

test("a password's hash", async () => {
  expect(await isPassword(theirs, "theirs password")).toBe(true);
  const { rows } = await db.owner.query<{ password_hash: string }>(
    "select password_hash from login where login_id = $1",
    [theirs.loginId],
  );
  await copy("login", "password_hash");
  expect(await isPassword(theirs, "mine password")).toBe(false);
  expect(await isPassword(mine, "mine password")).toBe(true);
  // A hash that somebody with SQL access has created.
  const put = (hash: string) =>
    db.owner.query("update login set password_hash = $2 where login_id = $1", [theirs.loginId, hash]);
  await put(await hashPassword("guessed", "test"));
  expect(await isPassword(theirs, "guessed")).toBe(false);
  await put(rows[0]!.password_hash);
  expect(await isPassword(theirs, "theirs password")).toBe(true);
});

test("a session's hash, and a session that is given to somebody else, said to be whole, or prolonged", async () => {
  const visitor = { address: "", userAgent: "", lifetimeHours: 1 };
  const ids = [await db.ids.next(), await db.ids.next()] as const;
  const begin = (login: typeof mine, sessionId: bigint, hash: Buffer) =>
    within((connection) =>
      insertSession(connection, { ...login, sessionId, secretHash: hash, state: "second_factor", ...visitor }),
    );
  await begin(mine, ids[0], SECRET);
  await begin(theirs, ids[1], hashOfSecret("unknown"));
  const find = (sessionId: bigint) => findSession(db.server, { ...merchant, sessionId }, SECRET);
  expect(await find(ids[0])).toMatchObject({ login: { loginId: mine.loginId } });
  await copy("login_session", "secret_hash");
  expect(await find(ids[1])).toBeNull();
  await db.owner.query("update login_session set secret_hash = $2 where session_id = $1", [ids[1], SECRET]);
  expect(await find(ids[1])).toBeNull();
  const changes = [`login_id = ${theirs.loginId}`, "state = 'signed_in'", "expires_at = expires_at + interval '1 day'"];
  for (const change of changes) {
    const { rows } = await db.owner.query<{ login_id: bigint; state: string; expires_at: Temporal.Instant }>(
      "select login_id, state, expires_at from login_session where session_id = $1",
      [ids[0]],
    );
    await db.owner.query(`update login_session set ${change} where session_id = $1`, [ids[0]]);
    expect(await find(ids[0]), change).toBeNull();
    await db.owner.query("update login_session set login_id = $2, state = $3, expires_at = $4 where session_id = $1", [
      ids[0],
      rows[0]!.login_id,
      rows[0]!.state,
      rows[0]!.expires_at.toString(),
    ]);
  }
  expect(await find(ids[0])).not.toBeNull();
});

test("a recovery code's", async () => {
  await within((connection) => replaceRecoveryCodes(connection, mine, [SECRET]));
  await within((connection) => replaceRecoveryCodes(connection, theirs, [hashOfSecret("unknown")]));
  await copy("recovery_code", "code_hash");
  expect(await within((connection) => takeRecoveryCode(connection, theirs, SECRET))).toBe(false);
  expect(await within((connection) => takeRecoveryCode(connection, mine, SECRET))).toBe(true);
});

test("that of a link to a new password", async () => {
  await within((connection) => insertReset(connection, mine, SECRET, 60));
  await within((connection) => insertReset(connection, theirs, hashOfSecret("unknown"), 60));
  await copy("password_reset", "token_hash");
  expect(await hasReset(db.server, theirs, SECRET)).toBe(false);
  expect(await within((connection) => takeReset(connection, theirs, SECRET))).toBe(false);
  await prolong("password_reset", "+");
  expect(await hasReset(db.server, mine, SECRET)).toBe(false);
  await prolong("password_reset", "-");
  expect(await within((connection) => takeReset(connection, mine, SECRET))).toBe(true);
});

test("that of a link to another address, and the address", async () => {
  const asked = { email: "new@example.com", tokenHash: SECRET, lifetimeMinutes: 60 };
  await within((connection) => insertEmailChange(connection, mine, asked));
  await within((connection) => insertEmailChange(connection, theirs, { ...asked, tokenHash: hashOfSecret("unknown") }));
  await copy("email_change", "token_hash");
  const take = (login: typeof mine) => within((connection) => takeEmailChange(connection, login, SECRET));
  expect(await take(theirs)).toBeNull();
  const address = (email: string) =>
    db.owner.query("update email_change set email = $2 where login_id = $1", [mine.loginId, email]);
  await address("else@example.com");
  expect(await take(mine)).toBeNull();
  await address(asked.email);
  await prolong("email_change", "+");
  expect(await take(mine)).toBeNull();
  await prolong("email_change", "-");
  expect(await take(mine)).toBe(asked.email);
});
