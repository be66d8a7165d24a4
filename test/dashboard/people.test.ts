// Users, roles and operators over HTTP: who may do what to whom, at once and on the record. How they sign in is in
// sign-in.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { AuthenticatorApp, Browser, keepFirstPassword, newPerson, type Person } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { takeLive } from "../support/live.ts";
import { nodal, nodalJson, type Answer } from "../support/nodal.ts";
import { until } from "../support/webhooks.ts";
import { recordEventsOf } from "../support/record-events.ts";

type Entry = {
  readonly type: string;
  readonly actor: string;
  readonly address: string | null;
  readonly after: unknown;
};

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.start();
});
afterAll(() => installation.stop());

/** A merchant with an Owner who is signed in. */
async function newBusiness(): Promise<{ merchant: TestMerchant; person: Person; owner: Browser }> {
  const merchant = await installation.newMerchant();
  const person = await newPerson(installation, merchant.id);
  return { merchant, person, owner: await Browser.signIn(installation, person) };
}

function told(answer: Answer): unknown {
  return [answer.status, answer.body.code];
}

async function entriesOf(merchantId: string): Promise<Entry[]> {
  const { rows } = await installation.pool.query<Entry>(
    `select type, actor, address, after from journal
     where merchant_id = $1 and (type like 'login.%' or type like 'role.%') order by entry_no`,
    [merchantId],
  );
  return rows;
}

describe("an address", () => {
  test("is changed with the password, at once where no mail can be sent, which ends the other sessions", async () => {
    const { merchant, person, owner } = await newBusiness();
    const second = await Browser.signIn(installation, person);
    const email = `new${merchant.id}@example.com`;
    const change = (body: object): Promise<Answer> => owner.post("/session/email/change", body);
    expect(told(await change({ email, password: "wrong" }))).toEqual([400, "validation_failed"]);
    expect(told(await change({ email: person.email.toUpperCase(), password: person.password }))).toEqual([
      400,
      "validation_failed",
    ]);
    const other = await newPerson(installation, merchant.id, "Viewer");
    expect(told(await change({ email: other.email, password: person.password }))).toEqual([409, "email_taken"]);
    expect((await change({ email, password: person.password })).body).toEqual({ state: "changed" });
    expect([(await owner.get("/session")).body.email, (await second.get("/session")).status]).toEqual([email, 401]);
    expect((await new Browser(installation.server.baseUrl).post("/session/sign-in", person)).status).toBe(401);
    await Browser.signIn(installation, { ...person, email, merchant: merchant.id });
    const [last] = (await entriesOf(merchant.id)).filter(({ type }) => type === "login.changed");
    expect(last).toMatchObject({ actor: `user:${person.id}`, after: { email } });
  });

  test("is not changed by a session that is ended while the password is compared", async () => {
    const { person, owner } = await newBusiness();
    const asked = await inTransaction(installation.pool, async (connection) => {
      await connection.query("select from login where login_id = $1 for update", [person.id]);
      const asking = owner.post("/session/email/change", { email: `late-${person.email}`, password: person.password });
      const isWaiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%from login%'`;
      await until(async () => (await installation.pool.query(isWaiting)).rowCount === 1);
      await connection.query("delete from login_session where login_id = $1", [person.id]);
      return { asking };
    });
    expect(told(await asked.asking)).toEqual([401, "not_signed_in"]);
    expect((await new Browser(installation.server.baseUrl).post("/session/sign-in", person)).status).toBe(200);
  });

  test("of somebody else is for who may do as much, and one's own is not changed among the users", async () => {
    const { merchant, person, owner } = await newBusiness();
    const helper = await owner.post("/roles", { name: "Helper", permissions: ["users.manage"] });
    expect(helper.status).toBe(200);
    const weak = await Browser.signIn(installation, await newPerson(installation, merchant.id, "Helper"));
    const email = `other${merchant.id}@example.com`;
    expect(told(await weak.put(`/users/${person.id}`, { email }))).toEqual([403, "access_denied"]);
    expect(told(await owner.put(`/users/${person.id}`, { email }))).toEqual([403, "access_denied"]);
    expect((await owner.get("/session")).body.email).toBe(person.email);
  });
});

describe("users", () => {
  test("are created, changed and disabled by who may, which the audit log tells", async () => {
    const { merchant, person, owner } = await newBusiness();
    const draft = { name: "Ravi Kumar", email: `ravi${merchant.id}@example.com`, role: "Viewer" };
    const created = await owner.post("/users", draft);
    expect(created.body).toMatchObject({ user: { ...draft, disabled: false, must_change_password: true, own: false } });
    const id = created.body.user.user_id as string;
    expect(told(await owner.post("/users", { ...draft, email: draft.email.toUpperCase() }))).toEqual([
      409,
      "email_taken",
    ]);
    const bad = await owner.post("/users", { ...draft, email: "new@example.com", role: "Emperor" });
    expect([told(bad), bad.body.errors[0].message]).toEqual([
      [400, "validation_failed"],
      "role must be one of the merchant's roles: Owner, Manager, Accountant, Viewer.",
    ]);
    expect((await owner.put(`/users/${id}`, { role: "Accountant" })).body.user.role).toBe("Accountant");
    const { password } = (await owner.post(`/users/${id}/reset-password`)).body;
    expect(password).not.toBe(created.body.password);
    expect((await owner.put(`/users/${id}`, { disabled: 1 })).body.user.disabled).toBe(true);
    expect(
      told(
        await new Browser(installation.server.baseUrl).post("/session/sign-in", {
          email: draft.email,
          password,
          merchant: merchant.id,
        }),
      ),
    ).toEqual([403, "access_denied"]);
    const listed = (await owner.get("/users")).body.users as Record<string, unknown>[];
    expect(listed.map(({ email, own }) => [email, own])).toEqual([
      [person.email, true],
      [draft.email, false],
    ]);
    const entries = await entriesOf(merchant.id);
    expect(entries.map(({ type }) => type)).toEqual([
      "login.created",
      "login.signed_in",
      "login.created",
      "login.changed",
      "login.password_reset",
      "login.changed",
    ]);
    expect(entries[3]).toEqual({
      type: "login.changed",
      actor: `user:${person.id}`,
      address: "127.0.0.1",
      after: { role: "Accountant" },
    });
    expect(JSON.stringify(entries)).not.toMatch(/argon2|password"/);
  });

  test("are signed out at once when they are disabled, or given another password", async () => {
    const { merchant, owner } = await newBusiness();
    for (const [path, end] of [
      ["", (id: string) => owner.put(`/users/${id}`, { disabled: 1 })],
      ["/reset-password", (id: string) => owner.post(`/users/${id}/reset-password`)],
    ] as const) {
      const person = await newPerson(installation, merchant.id, "Viewer");
      const browser = await Browser.signIn(installation, person);
      expect((await browser.get("/session")).status, path).toBe(200);
      expect((await end(person.id)).status, path).toBe(200);
      expect((await browser.get("/session")).status, path).toBe(401);
    }
  });

  test("have a role that counts from the next request on", async () => {
    const { merchant, owner } = await newBusiness();
    const person = await newPerson(installation, merchant.id, "Viewer");
    const browser = await Browser.signIn(installation, person);
    expect(told(await browser.get("/users"))).toEqual([403, "access_denied"]);
    await owner.put(`/users/${person.id}`, { role: "Owner" });
    expect((await browser.get("/users")).status).toBe(200);
    await owner.put(`/users/${person.id}`, { role: "Viewer" });
    expect(told(await browser.get("/users"))).toEqual([403, "access_denied"]);
  });

  test("can't change themselves, leave no Owner, or reach for more than they may", async () => {
    const { merchant, person, owner } = await newBusiness();
    const own = await owner.put(`/users/${person.id}`, { role: "Viewer" });
    expect(told(own)).toEqual([403, "access_denied"]);
    expect(told(await owner.put(`/users/${person.id}`, { disabled: 1 }))).toEqual([403, "access_denied"]);
    expect((await owner.put(`/users/${person.id}`, { name: "Asha R" })).body.user.name).toBe("Asha R");
    const disable = ["user", "disable", "--merchant", merchant.id, "--user", person.id];
    expect((await nodal(installation.environment, ...disable)).stderr).toMatch(/last active Owner/);

    await owner.post("/roles", { name: "Staff", permissions: ["users.manage", "payouts.view"] });
    const clerk = await newPerson(installation, merchant.id, "Staff");
    const staff = await Browser.signIn(installation, clerk);
    const draft = { name: "X", email: `x${merchant.id}@example.com` };
    for (const role of ["Owner", "Viewer"]) {
      expect(told(await staff.post("/users", { ...draft, role }))).toEqual([403, "access_denied"]);
    }
    for (const path of ["reset-password", "reset-second-factor"]) {
      expect(told(await staff.post(`/users/${person.id}/${path}`))).toEqual([403, "access_denied"]);
    }
    expect(told(await staff.put(`/users/${person.id}`, { disabled: 1 }))).toEqual([403, "access_denied"]);
    expect(told(await staff.put("/roles/Staff", { permissions: ["payouts.view"] }))).toEqual([403, "access_denied"]);
    expect(told(await staff.post("/roles", { name: "More", permissions: ["keys.manage"] }))).toEqual([
      403,
      "access_denied",
    ]);
    expect((await staff.post("/roles", { name: "Less", permissions: ["payouts.view"] })).status).toBe(200);
    expect((await staff.post("/users", { ...draft, role: "Less" })).status).toBe(200);
  });

  test("make no access key that may do more than they", async () => {
    const { merchant, owner } = await newBusiness();
    await owner.post("/roles", { name: "IT", permissions: ["keys.manage"] });
    const it = await Browser.signIn(installation, await newPerson(installation, merchant.id, "IT"));
    const operator = await Browser.signIn(installation, await newPerson(installation, null));
    const path = `/merchants/${merchant.id}/access-keys`;
    const ofMoney = ["payouts.transfer", "payouts.withdraw", "franchises.settle"];
    for (const browser of [it, operator]) {
      const { body } = await browser.get(path);
      expect(body).toMatchObject({ keys: [{ revoked_at: null }] });
      expect(body["scopes"]).toEqual(
        browser === it ? ["keys.manage"] : (body["all_scopes"] as string[]).filter((scope) => !ofMoney.includes(scope)),
      );
      const answer = await browser.post(path, {});
      expect(told(answer)).toEqual([403, "access_denied"]);
      expect(answer.body.error).toContain("payouts.transfer");
    }
    const seen = (await owner.get("/access-keys")).body;
    expect(seen).toMatchObject({ scopes: seen["all_scopes"], keys: [{}] });
    const made = await owner.post("/access-keys", {});
    expect((await it.delete(`/access-keys/${made.body.access_key_id as string}`)).body).toEqual({ done: true });
  });

  test("two Owners who are disabled at once: one of them stays", async () => {
    const { merchant, person } = await newBusiness();
    const second = await newPerson(installation, merchant.id);
    const [one, two] = [await Browser.signIn(installation, person), await Browser.signIn(installation, second)];
    const answers = await Promise.all([
      one.put(`/users/${second.id}`, { disabled: 1 }),
      two.put(`/users/${person.id}`, { disabled: 1 }),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    const { rows } = await installation.pool.query(
      "select from login where merchant_id = $1 and role_name = 'Owner' and disabled_at is null",
      [merchant.id],
    );
    expect(rows).toHaveLength(1);
  });
});

describe("roles", () => {
  test("of one's own are made of permissions, and are gone only when nobody has them", async () => {
    const { merchant, owner } = await newBusiness();
    const role = { name: "Night shift", permissions: ["payouts.view", "statement.view"] };
    expect((await owner.post("/roles", role)).body.role).toEqual({
      ...role,
      built_in: false,
      users: 0,
      grantable: true,
    });
    expect(told(await owner.post("/roles", role))).toEqual([409, "role_exists"]);
    expect(told(await owner.post("/roles", { ...role, name: "Owner" }))).toEqual([409, "role_exists"]);
    for (const name of ["owner", "NIGHT SHIFT"])
      expect(told(await owner.post("/roles", { ...role, name }))).toEqual([409, "role_exists"]);
    expect(told(await owner.post("/roles", { name: "Odd", permissions: ["fly"] }))).toEqual([400, "validation_failed"]);
    const person = await newPerson(installation, merchant.id, role.name);
    const browser = await Browser.signIn(installation, person);
    expect((await browser.get("/session")).body.permissions.toSorted()).toEqual(role.permissions);
    const path = `/roles/${encodeURIComponent(role.name)}`;
    expect((await owner.put(path, { permissions: ["audit.view"] })).body.role).toMatchObject({ users: 1 });
    expect((await browser.get("/session")).body.permissions).toEqual(["audit.view"]);
    expect(told(await owner.delete(path))).toEqual([409, "role_in_use"]);
    await owner.put(`/users/${person.id}`, { role: "Viewer" });
    expect((await owner.delete(path)).body).toEqual({ done: true });
    expect(told(await owner.delete(path))).toEqual([404, "role_not_found"]);
    expect(told(await owner.put("/roles/Manager", { permissions: [] }))).toEqual([403, "access_denied"]);
    const { roles, permissions } = (await owner.get("/roles")).body;
    expect(roles.map(({ name }: { name: string }) => name)).toEqual([
      "Owner",
      "Manager",
      "Accountant",
      "Viewer",
      "Franchise",
    ]);
    expect(permissions).toContain("payouts.transfer");
    expect(
      (await entriesOf(merchant.id)).filter(({ type }) => type.startsWith("role.")).map(({ type }) => type),
    ).toEqual(["role.created", "role.changed", "role.removed"]);
  });
});

test("a merchant has so many roles and users that a list can show all", async () => {
  const { merchant, owner } = await newBusiness();
  const draft = { name: "Ravi Kumar", email: `many${merchant.id}@example.com`, role: "Viewer" };
  const role = { name: "One more", permissions: [] };
  await installation.pool.query(
    `with roles as (
       insert into role (bucket, merchant_id, role_name, permissions)
       select bucket, merchant_id, 'Role ' || number, '{}' from merchant, generate_series(1, 100) as number
       where merchant_id = $1
     )
     insert into login (
       bucket, merchant_id, login_id, kind, email, name, role_name, password_hash, must_change_password, created_at)
     select bucket, merchant_id, number, 'user', number || '@example.com', 'User', 'Viewer', '', true, now()
     from merchant, generate_series(1, 998) as number
     where merchant_id = $1`,
    [merchant.id],
  );
  const made = Array.from({ length: 998 }, (_, index) => index + 1);
  await recordEventsOf(installation.pool, merchant.id, "login.created", [merchant.id, ...made]);
  expect(told(await owner.post("/roles", role))).toEqual([422, "limit_exceeded"]);
  expect((await owner.post("/users", draft)).status).toBe(200);
  expect(told(await owner.post("/users", { ...draft, email: `x${draft.email}` }))).toEqual([422, "limit_exceeded"]);
});

describe("real money", () => {
  test("is not moved, nor given to others to move, without a second factor", async () => {
    const { merchant, owner } = await newBusiness();
    expect((await owner.get("/users")).status).toBe(200);
    await takeLive(installation.pool, BigInt(merchant.id));
    expect((await owner.get("/session")).body.must_enrol).toBe(true);
    expect(told(await owner.get("/users"))).toEqual([403, "second_factor_required"]);
    const viewer = await Browser.signIn(installation, await newPerson(installation, merchant.id, "Viewer"));
    expect((await viewer.get("/session")).body.must_enrol).toBe(false);
  });
});

describe("somebody who guesses codes", () => {
  async function elevenTimes(ask: () => Promise<Answer>): Promise<number[]> {
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await ask()).status);
    return statuses;
  }

  test("of a second factor that is being set up is slowed down", async () => {
    const { person, owner } = await newBusiness();
    const { body } = await owner.post("/session/second-factor/enrol", { password: person.password });
    const code = new AuthenticatorApp(body.secret as string).wrongCode();
    const confirm = () => owner.post("/session/second-factor/confirm", { code });
    expect(await elevenTimes(confirm)).toEqual([...Array<number>(10).fill(422), 429]);
  });

  test("knows the password, and can't keep its owner, who is signed in, from changing it", async () => {
    const { person, owner } = await newBusiness();
    const { body } = await owner.post("/session/second-factor/enrol", { password: person.password });
    const app = new AuthenticatorApp(body.secret as string);
    expect((await owner.post("/session/second-factor/confirm", { code: await app.nextCode() })).status).toBe(200);
    const stranger = await Browser.signIn(installation, person);
    const guess = () => stranger.post("/session/sign-in/second-factor", { code: app.wrongCode() });
    expect(await elevenTimes(guess)).toEqual([...Array<number>(10).fill(422), 429]);
    const change = { old_password: person.password, new_password: "nine potatoes by noon" };
    expect((await owner.post("/session/password/change", change)).body).toMatchObject({ state: "signed_in" });
  });
});

describe("operators", () => {
  test("see every merchant, create them, and act as themselves on the one they choose", async () => {
    const made = await nodalJson<{ id: string; email: string; password: string }>(
      ...([installation.environment, "operator", "create", "--email", "ops@example.com"] as const),
    );
    await keepFirstPassword(installation.pool, made.id);
    const operator = await Browser.signIn(installation, made);
    expect((await operator.get("/session")).body).toMatchObject({ kind: "operator", role: "Operator", merchant: null });
    const profile = { name: "Kerala 100% Spices", email: "spices@example.com", state: "Kerala" };
    const { body } = await operator.post("/merchants", profile);
    expect(body).toMatchObject({ merchant: { name: profile.name, live: false }, user_email: profile.email });
    const id = body.merchant.merchant_id as string;
    const { rows } = await installation.pool.query(
      "select distinct actor, address from journal where merchant_id = $1",
      [id],
    );
    expect(rows).toEqual([{ actor: `operator:${made.id}`, address: "127.0.0.1" }]);
    const again = await operator.post("/merchants", profile);
    expect([again.status, again.body.user_email]).toEqual([200, profile.email]);
    const { merchant_id: secondId } = again.body.merchant;
    expect(again.body.sign_in_url).toBe(`${installation.server.baseUrl}/sign-in?merchant=${secondId}`);
    const found = async (query: string): Promise<string[]> =>
      (await operator.get(`/merchants?${query}`)).body.merchants.map(({ name }: { name: string }) => name);
    expect(await found("search=100%25+spice")).toEqual([profile.name, profile.name]);
    expect(await found("search=100_")).toEqual([]);
    expect(await found(`search=${id}`)).toEqual([profile.name]);
    const first = (await operator.get("/merchants?limit=1")).body;
    const second = (await operator.get(`/merchants?limit=1&after=${first.next}`)).body;
    expect(BigInt(first.merchants[0].merchant_id)).toBeGreaterThan(BigInt(second.merchants[0].merchant_id));

    const inside = `/merchants/${id}`;
    expect((await operator.get(`/session${inside}`)).body.merchant).toMatchObject({ id, name: profile.name });
    const draft = { name: "Meera", email: "meera@example.com", role: "Owner" };
    expect(told(await operator.post(`${inside}/users`, draft))).toEqual([403, "access_denied"]);
    expect((await operator.post(`${inside}/users`, { ...draft, role: "Viewer" })).status).toBe(200);
    const last = (await entriesOf(id)).at(-1);
    expect(last).toMatchObject({ type: "login.created", actor: `operator:${made.id}`, address: "127.0.0.1" });
    await nodalJson(installation.environment, "operator", "disable", "--operator", made.id);
    expect((await operator.get("/session")).status).toBe(401);
    const { code, stderr } = await nodal(installation.environment, "operator", "reset-password", "--operator", "1");
    expect([code, stderr]).toEqual([1, expect.stringContaining("There is no such user")]);
  });

  test("`nodal verify` holds after all of it", async () => {
    expect(await installation.findProblems()).toEqual([]);
  });
});
