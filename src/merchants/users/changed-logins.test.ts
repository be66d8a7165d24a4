// Logins and roles changed with SQL for a few seconds and then restored: nobody gains anything by it, and everything works again
// afterwards.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { codeOf } from "../../../test/support/policy-stage.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { secretsOf } from "../../platform/secrets/index.ts";
import type { Merchant } from "../merchant.ts";
import { makeResetLinks } from "./change-password.ts";
import { chooseOwners, copyLogins, listOwners } from "./copy-logins.ts";
import { confirmTotp, keepTotpSecret, removeTotp } from "./login-store.ts";
import type { LoginKey } from "./login.ts";
import { changeRole, createRole } from "./manage-roles.ts";
import { changeUser, createUser, resetUserPassword } from "./manage-users.ts";
import { MERCHANT_PERMISSIONS, type MerchantPermission } from "./permission.ts";
import { findSession, insertSession } from "./session-store.ts";
import { hashOfSecret, type SignInParts } from "./session.ts";

const SECRET = hashOfSecret("known");
let db: LedgerDatabase;
let merchant: Merchant;
let reported: string[];

beforeAll(async () => {
  db = await openLedgerDatabase();
  for (const pool of [db.server, db.owner])
    (await secretsOf(pool)).onChangedRow = (table, key) => reported.push(`${table} ${key}`);
});
beforeEach(async () => {
  reported = [];
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
});
afterAll(() => db.close());

const manager = () => ({ pool: db.server, ids: db.ids, merchant, by: null });

async function user(roleName: string): Promise<LoginKey> {
  const draft = {
    kind: "user",
    email: `${roleName}-${await db.ids.next()}@example.com`,
    name: "Ravi",
    roleName,
  } as const;
  const { loginId } = await createUser(manager(), draft);
  return { bucket: merchant.bucket, merchantId: merchant.merchantId, loginId };
}

/** Begins a session. Returns a function that finds it, as every request does. */
async function signIn(login: LoginKey): Promise<() => Promise<readonly string[] | string>> {
  const sessionId = await db.ids.next();
  const { bucket, merchantId } = login;
  const session = { ...login, sessionId, secretHash: SECRET, state: "signed_in", lifetimeHours: 1 } as const;
  await inTransaction(db.server, (connection) => insertSession(connection, { ...session, address: "", userAgent: "" }));
  return async () => {
    const found = findSession(db.server, { bucket, merchantId, sessionId }, SECRET);
    return (await codeOf(found)) === "done"
      ? [(await found)!.login.roleName, ...(await found)!.rolePermissions]
      : "refused";
  };
}

/** Changes a row with SQL, runs `work`, and restores the row. */
async function meanwhile<T>(change: string, back: string, work: () => Promise<T>): Promise<T> {
  expect((await db.owner.query(change)).rowCount).toBe(1);
  try {
    return await work();
  } finally {
    expect((await db.owner.query(back)).rowCount).toBe(1);
  }
}

const ofLogin = (set: string, { loginId }: LoginKey): string => `update login set ${set} where login_id = ${loginId}`;
const ofRole = (permissions: readonly string[]): string =>
  `update role set permissions = '{${permissions.join(",")}}' where role_name = 'Clerk' and merchant_id = ${merchant.merchantId}`;

describe("a login", () => {
  test.each([
    ["role_name = 'Owner'", "role_name = 'Viewer'"],
    ["email = 'attacker@example.com'", "email = $email"],
    ["kind = 'franchise'", "kind = 'user'"],
  ])("that is changed: %s", async (change, back) => {
    const login = await user("Viewer");
    const find = await signIn(login);
    const { rows } = await db.owner.query<{ email: string }>("select email from login where login_id = $1", [
      login.loginId,
    ]);
    const restored = back.replace("$email", `'${rows[0]!.email}'`);
    expect(await find()).toEqual(["Viewer"]);
    expect(await meanwhile(ofLogin(change, login), ofLogin(restored, login), find)).toBe("refused");
    expect(reported).toEqual([`login ${login.bucket}/${login.merchantId}/${login.loginId}`]);
    expect(await find()).toEqual(["Viewer"]);
  });

  test("whose second factor is taken away, or that is enabled again", async () => {
    const login = await user("Owner");
    const find = await signIn(login);
    await inTransaction(db.server, async (connection) => {
      await keepTotpSecret(connection, login, "ABCDEFGHIJKLMNOP");
      await confirmTotp(connection, login, 0n);
    });
    expect(await find()).toEqual(["Owner"]);
    const without = ofLogin("totp_confirmed_at = null", login);
    expect(await meanwhile(without, ofLogin("totp_confirmed_at = now()", login), find)).toBe("refused");
    await inTransaction(db.server, (connection) => removeTotp(connection, login));
    expect(await find()).toEqual(["Owner"]);
    await user("Owner");
    await changeUser(manager(), { kind: "user", loginId: login.loginId, changes: { disabled: true } });
    const again = await signIn(login);
    const enabled = ofLogin("disabled_at = null", login);
    expect(await meanwhile(enabled, ofLogin("disabled_at = now()", login), again)).toBe("refused");
  });

  test("that is planted gets no session and no link, and its role is not copied", async () => {
    const login = await user("Owner");
    await db.owner.query(
      `insert into login select (jsonb_populate_record(login, '{"login_id": 79}')).* from login where login_id = $1`,
      [login.loginId],
    );
    const find = await signIn({ ...login, loginId: 79n });
    expect(await find()).toBe("refused");
    const [other] = (await makeMerchants(db, 1)) as [Merchant];
    const owners = chooseOwners(await listOwners(db.server, merchant), [79n]);
    const copy = inTransaction(db.server, (connection) => copyLogins(connection, owners, other, db.ids));
    expect(await codeOf(copy)).not.toBe("done");
  });

  test("whose address is changed is sent no link to a new password", async () => {
    const login = await user("Owner");
    const { rows } = await db.owner.query<{ email: string }>("select email from login where login_id = $1", [
      login.loginId,
    ]);
    const email = rows[0]!.email;
    const parts = { pool: db.server, tenants: { of: () => db.server } } as unknown as SignInParts;
    const links = () => makeResetLinks(parts, { email, merchantId: null });
    expect(await links()).toHaveLength(1);
    const changed = ofLogin("email = 'attacker@example.com'", login);
    expect(await meanwhile(changed, ofLogin(`email = '${email}'`, login), links)).toEqual([]);
  });

  test("whose role is lowered is not taken over by somebody who may do less", async () => {
    const owner = await user("Owner");
    const permissions = new Set<MerchantPermission>(MERCHANT_PERMISSIONS.filter((name) => name !== "approvals.decide"));
    const by = { loginId: 1n, permissions };
    const takeOver = () => codeOf(resetUserPassword({ ...manager(), by }, { kind: "user", loginId: owner.loginId }));
    const lowered = ofLogin("role_name = 'Viewer'", owner);
    expect(await meanwhile(lowered, ofLogin("role_name = 'Owner'", owner), takeOver)).toBe("access_denied");
  });

  test("is not proved anew by a genuine change, and is good again once its role is", async () => {
    const login = await user("Viewer");
    const find = await signIn(login);
    await user("Owner");
    await db.owner.query(ofLogin("role_name = 'Owner'", login));
    await changeUser(manager(), { kind: "user", loginId: login.loginId, changes: { name: "Ravi Rao" } });
    expect(await find()).toBe("refused");
    await changeUser(manager(), { kind: "user", loginId: login.loginId, changes: { roleName: "Viewer" } });
    expect(await find()).toEqual(["Viewer"]);
  });
});

describe("a role", () => {
  test("that allows more for a moment", async () => {
    await createRole(manager(), { name: "Clerk", permissions: ["customers.view"] });
    const find = await signIn(await user("Clerk"));
    expect(await find()).toEqual(["Clerk", "customers.view"]);
    const raised = ofRole(["payouts.transfer", "approvals.decide"]);
    expect(await meanwhile(raised, ofRole(["customers.view"]), find)).toBe("refused");
    expect(reported).toEqual([`role ${merchant.bucket}/${merchant.merchantId}/Clerk`]);
    expect(await find()).toEqual(["Clerk", "customers.view"]);
    await changeRole(manager(), { name: "Clerk", permissions: ["invoices.view"] });
    expect(await find()).toEqual(["Clerk", "invoices.view"]);
  });

  test("that allows less for a moment is not given by somebody who lacks what it allows", async () => {
    await createRole(manager(), { name: "Clerk", permissions: ["approvals.decide"] });
    const login = await user("Viewer");
    const permissions = new Set<MerchantPermission>(MERCHANT_PERMISSIONS.filter((name) => name !== "approvals.decide"));
    const give = () =>
      codeOf(
        changeUser(
          { ...manager(), by: { loginId: 1n, permissions } },
          { kind: "user", loginId: login.loginId, changes: { roleName: "Clerk" } },
        ),
      );
    expect(await meanwhile(ofRole([]), ofRole(["approvals.decide"]), give)).toBe("access_denied");
    expect(await (await signIn(login))()).toEqual(["Viewer"]);
  });
});
