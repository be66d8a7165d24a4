// Signing in over HTTP: passwords, the second factor, sessions, and links to a new password. Counts of the throttle are
// tested beside it, on a clock.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AuthenticatorApp, Browser, keepFirstPassword, newPerson, type Person } from "../support/dashboard.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { MailServer } from "../support/mail.ts";
import { nodalJson, type Answer } from "../support/nodal.ts";
import { until } from "../support/webhooks.ts";

const SIGN_IN = "/session/sign-in";
const SECOND_STEP = "/session/sign-in/second-factor";
const FACTOR = "/session/second-factor";
const RESET = "/session/password/reset";
const CHOSEN = "nine potatoes by noon";

let installation: Installation;
let mail: MailServer;
let merchant: TestMerchant;

beforeAll(async () => {
  mail = await MailServer.start();
  const settings = { SMTP_URL: mail.url, MAIL_FROM: "nodal@pay.example", LOG_LEVEL: "trace" };
  installation = await Installation.startProcess(settings);
  merchant = await installation.newMerchant({ name: "Asha Traders" });
});
afterAll(async () => {
  await installation.stop();
  await mail.stop();
});

function open(): Browser {
  return new Browser(installation.server.baseUrl);
}

function told(answer: Answer): unknown {
  return [answer.status, answer.body.code ?? answer.body.state];
}

/** Sets up a second factor for the user who is signed in. Returns the app and the recovery codes. */
async function enrol(browser: Browser, { password }: Person): Promise<{ app: AuthenticatorApp; codes: string[] }> {
  const { body } = await browser.post(`${FACTOR}/enrol`, { password });
  const app = new AuthenticatorApp(body.secret as string);
  const confirmed = await browser.post(`${FACTOR}/confirm`, { code: await app.nextCode() });
  expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200);
  return { app, codes: confirmed.body.recovery_codes as string[] };
}

describe("a first sign-in", () => {
  test("asks for a password of one's own before anything else", async () => {
    const create = ["user", "create", "--merchant", merchant.id, "--email", "first@example.com", "--name", "Asha"];
    const { id, password } = await nodalJson<{ id: string; password: string }>(installation.environment, ...create);
    const browser = open();
    expect(told(await browser.post(SIGN_IN, { email: "First@Example.com", password }))).toEqual([
      200,
      "change_password",
    ]);
    expect((await browser.get("/session")).body).toMatchObject({
      must_change_password: true,
      permissions: [],
      merchant: null,
    });
    expect(told(await browser.get("/users"))).toEqual([401, "not_signed_in"]);
    expect(told(await browser.post(`${FACTOR}/enrol`, { password }))).toEqual([401, "not_signed_in"]);
    const change = (old_password: string, new_password: string) =>
      browser.post("/session/password/change", { old_password, new_password });
    for (const [old, chosen, field] of [
      [password, "short", "new_password"],
      [password, "first@example.com", "new_password"],
      [password, password, "new_password"],
      ["wrong", CHOSEN, "old_password"],
    ] as const) {
      const answer = await change(old, chosen);
      expect([answer.status, answer.body.errors.map((error: { field: string }) => error.field)]).toEqual([
        400,
        [field],
      ]);
    }
    const half = browser.cookies.get("nodal");
    expect(told(await change(password, CHOSEN))).toEqual([200, "signed_in"]);
    expect(browser.cookies.get("nodal")).not.toBe(half);
    expect((await browser.get("/session")).body).toMatchObject({
      state: "signed_in",
      kind: "user",
      id,
      name: "Asha",
      email: "first@example.com",
      role: "Owner",
      merchant: { id: merchant.id, name: "Asha Traders", live: false, time_zone: "Asia/Kolkata" },
      must_enrol: false,
      second_factor: false,
      franchise_id: null,
    });
    expect((await browser.get("/users")).status).toBe(200);
    expect((await open().get("/session", { cookie: `nodal=${half}` })).status).toBe(401);
  });

  test("answers nobody's address, a wrong password and another kind of address alike", async () => {
    const person = await newPerson(installation, merchant.id);
    const answers = [
      await open().post(SIGN_IN, { email: "nobody@example.com", password: person.password }),
      await open().post(SIGN_IN, { email: person.email, password: "wrong password" }),
    ];
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([401, answers[0]!.body]);
      expect(body.code).toBe("sign_in_failed");
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  test("is no more for who is disabled or whose merchant is suspended, which only the password tells", async () => {
    const other = await installation.newMerchant();
    const [gone, there] = [await newPerson(installation, other.id), await newPerson(installation, other.id)];
    const browser = await Browser.signIn(installation, gone);
    await nodalJson(installation.environment, "user", "disable", "--merchant", other.id, "--user", gone.id);
    expect(told(await browser.get("/session"))).toEqual([401, "not_signed_in"]);
    expect(told(await open().post(SIGN_IN, gone))).toEqual([403, "access_denied"]);
    expect(told(await open().post(SIGN_IN, { ...gone, password: "wrong" }))).toEqual([401, "sign_in_failed"]);
    const theirs = await Browser.signIn(installation, there);
    await nodalJson(installation.environment, "merchant", "set", "--merchant", other.id, "--suspend");
    expect(told(await theirs.get("/users"))).toEqual([403, "access_denied"]);
    expect(told(await open().post(SIGN_IN, there))).toEqual([403, "access_denied"]);
  });
});

describe("cookies", () => {
  test("are for no script and no other site; over https they are bound to the host", async () => {
    const person = await newPerson(installation, merchant.id);
    const browser = await Browser.signIn(installation, person);
    expect(browser.cookieLines.get("nodal")).toMatch(/; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/);
    const origin = installation.server.baseUrl.replace("http:", "https:");
    const secure = await open().post(SIGN_IN, person, { origin });
    const lines = secure.headers.getSetCookie();
    expect(lines.map((line) => line.split("=", 1)[0])).toEqual(["__Host-nodal-device", "__Host-nodal"]);
    for (const line of lines) expect(line).toMatch(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
    const signedOut = await browser.post("/session/sign-out");
    expect(signedOut.headers.getSetCookie()[0]).toMatch(/^nodal=; Path=\/; Max-Age=0/);
    expect((await browser.get("/session")).status).toBe(401);
  });
});

describe("the second factor", () => {
  test("is set up with a QR code and ten recovery codes, and asked for from then on", async () => {
    const person = await newPerson(installation, merchant.id);
    const browser = await Browser.signIn(installation, person);
    expect(told(await browser.post(`${FACTOR}/confirm`, { code: "123456" }))).toEqual([409, "second_factor_state"]);
    expect(told(await browser.post(`${FACTOR}/enrol`, { password: "wrong" }))).toEqual([400, "validation_failed"]);
    const { body } = await browser.post(`${FACTOR}/enrol`, { password: person.password });
    expect(body.otpauth_uri).toContain(body.secret);
    expect(body.qr_svg).toMatch(/^<svg /);
    const app = new AuthenticatorApp(body.secret as string);
    expect(told(await browser.post(`${FACTOR}/confirm`, { code: app.wrongCode() }))).toEqual([422, "code_refused"]);
    expect((await browser.get("/session")).body).toMatchObject({ second_factor: false, recovery_codes_left: 0 });
    const first = await app.nextCode();
    const confirmed = await browser.post(`${FACTOR}/confirm`, { code: first });
    expect(new Set(confirmed.body.recovery_codes as string[]).size).toBe(10);
    expect((await browser.get("/session")).body).toMatchObject({ second_factor: true, recovery_codes_left: 10 });

    const next = open();
    expect(told(await next.post(SIGN_IN, person))).toEqual([200, "second_factor"]);
    expect((await next.get("/session")).body).toMatchObject({
      state: "second_factor",
      permissions: [],
      merchant: null,
    });
    for (const path of ["/users", "/session/sessions"])
      expect(told(await next.get(path))).toEqual([401, "not_signed_in"]);
    expect(told(await next.post("/session/password/change", { old_password: "x", new_password: CHOSEN }))).toEqual([
      401,
      "not_signed_in",
    ]);
    const step = (body: object): Promise<Answer> => next.post(SECOND_STEP, body);
    expect(told(await step({}))).toEqual([400, "validation_failed"]);
    expect(told(await step({ code: app.wrongCode() }))).toEqual([422, "code_refused"]);
    expect(told(await step({ code: first }))).toEqual([422, "code_refused"]);
    const half = next.cookies.get("nodal");
    expect(told(await step({ code: await app.nextCode() }))).toEqual([200, "signed_in"]);
    expect((await next.get("/users")).status).toBe(200);
    expect((await open().get("/session", { cookie: `nodal=${half}` })).status).toBe(401);
    const { rows } = await installation.pool.query("select totp_secret from login where login_id = $1", [person.id]);
    expect(rows[0]!["totp_secret"]).toMatch(/^enc1:/);
  });

  test("takes each code once, also from many at the same time", async () => {
    const person = await newPerson(installation, merchant.id);
    const { app, codes } = await enrol(await Browser.signIn(installation, person), person);
    const race = async (factor: object): Promise<unknown[]> => {
      const browsers = await Promise.all([1, 2, 3, 4].map(() => Browser.signIn(installation, person)));
      const answers = await Promise.all(browsers.map((browser) => browser.post(SECOND_STEP, factor)));
      return answers.map(({ status }) => status).toSorted((a, b) => a - b);
    };
    expect(await race({ code: await app.nextCode() })).toEqual([200, 422, 422, 422]);
    expect(await race({ recovery_code: codes[3]!.toUpperCase().replaceAll("-", " ") })).toEqual([200, 422, 422, 422]);
    const browser = await Browser.signIn(installation, person);
    expect(told(await browser.post(SECOND_STEP, { recovery_code: codes[4] }))).toEqual([200, "signed_in"]);
    expect((await browser.get("/session")).body.recovery_codes_left).toBe(8);
  });

  test("is ended, and recovery codes are replaced, by password and code; or by the command line", async () => {
    const person = await newPerson(installation, merchant.id);
    const browser = await Browser.signIn(installation, person);
    const { app, codes } = await enrol(browser, person);
    const { password } = person;
    for (const path of [`${FACTOR}/recovery-codes`, `${FACTOR}/disable`]) {
      expect(told(await browser.post(path, { password: "wrong", code: "123456" }))).toEqual([400, "validation_failed"]);
      expect(told(await browser.post(path, { password, code: app.wrongCode() }))).toEqual([422, "code_refused"]);
    }
    const renewed = await browser.post(`${FACTOR}/recovery-codes`, {
      password,
      code: await app.nextCode(),
    });
    expect(renewed.body.recovery_codes).toHaveLength(10);
    const half = await Browser.signIn(installation, person);
    expect(told(await half.post(SECOND_STEP, { recovery_code: codes[0] }))).toEqual([422, "code_refused"]);
    const reset = ["user", "reset-second-factor", "--merchant", merchant.id, "--user", person.id];
    await nodalJson(installation.environment, ...reset);
    expect((await browser.get("/session")).status).toBe(401);
    const again = open();
    expect(told(await again.post(SIGN_IN, person))).toEqual([200, "signed_in"]);
    const anew = await enrol(again, person);
    const code = await anew.app.nextCode();
    expect((await again.post(`${FACTOR}/disable`, { password, code })).body).toEqual({ done: true });
    expect(told(await open().post(SIGN_IN, person))).toEqual([200, "signed_in"]);
  });
});

describe("sessions", () => {
  test("are listed and ended one by one or all others at once", async () => {
    const person = await newPerson(installation, merchant.id);
    const [one, two, three] = [
      await Browser.signIn(installation, person),
      await Browser.signIn(installation, person),
      await Browser.signIn(installation, person),
    ] as const;
    const stranger = await Browser.signIn(installation, await newPerson(installation, merchant.id));
    const { sessions } = (await one.get("/session/sessions")).body as { sessions: Record<string, unknown>[] };
    expect(sessions.map(({ current }) => current)).toEqual([false, false, true]);
    expect(sessions[0]).toMatchObject({ address: "127.0.0.1", created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });
    const path = `/session/sessions/${String(sessions[0]!["session_id"])}`;
    expect(told(await stranger.delete(path))).toEqual([404, "session_not_found"]);
    expect((await one.delete(path)).status).toBe(200);
    expect((await three.get("/session")).status).toBe(401);
    expect(told(await one.delete(path))).toEqual([404, "session_not_found"]);
    expect((await one.delete("/session/sessions")).body).toEqual({ ended: 1 });
    expect([(await two.get("/session")).status, (await one.get("/session")).status]).toEqual([401, 200]);
    expect((await stranger.get("/session")).status).toBe(200);
  });

  test("end after twelve silent hours and after seven days, and are forgotten then", async () => {
    const person = await newPerson(installation, merchant.id);
    for (const change of ["last_seen_at = now() - interval '12 hours'", "expires_at = now()"]) {
      const browser = await Browser.signIn(installation, person);
      expect((await browser.get("/session")).status).toBe(200);
      await installation.pool.query(`update login_session set ${change} where login_id = $1`, [person.id]);
      expect((await browser.get("/session")).status).toBe(401);
    }
    const browser = await Browser.signIn(installation, person);
    await installation.pool.query(
      "update login_session set last_seen_at = now() - interval '11 hours' where login_id = $1",
      [person.id],
    );
    expect((await browser.get("/session")).status).toBe(200);
    const { rows } = await installation.pool.query<{ lifetime: string; silent: boolean }>(
      `select (expires_at - created_at)::text as lifetime, last_seen_at < now() - interval '1 minute' as silent
       from login_session where login_id = $1 order by session_id desc limit 1`,
      [person.id],
    );
    expect(rows[0]).toEqual({ lifetime: "7 days", silent: false });
  });

  test("end with a changed password, but for who changed it", async () => {
    const person = await newPerson(installation, merchant.id);
    const [one, two] = [await Browser.signIn(installation, person), await Browser.signIn(installation, person)];
    const answer = await one.post("/session/password/change", { old_password: person.password, new_password: CHOSEN });
    expect(told(answer)).toEqual([200, "signed_in"]);
    expect([(await one.get("/session")).status, (await two.get("/session")).status]).toEqual([200, 401]);
    expect(told(await open().post(SIGN_IN, person))).toEqual([401, "sign_in_failed"]);
    expect(told(await open().post(SIGN_IN, { ...person, password: CHOSEN }))).toEqual([200, "signed_in"]);
    const reset = ["user", "reset-password", "--merchant", merchant.id, "--user", person.id];
    const { password } = await nodalJson<{ password: string }>(installation.environment, ...reset);
    expect((await one.get("/session")).status).toBe(401);
    expect(told(await open().post(SIGN_IN, { ...person, password }))).toEqual([200, "change_password"]);
  });
});

describe("a forgotten password", () => {
  const ask = (email: string): Promise<Answer> => open().post("/session/password/forgot", { email });
  const tokenOf = (text: string): string => /\/reset-password\?merchant=[0-9]+#(\S+)/.exec(text)![1]!;

  test("is replaced by a link that was sent by mail, which counts once", async () => {
    const person = await newPerson(installation, merchant.id);
    const browser = await Browser.signIn(installation, person);
    const answers = [await ask("nobody@example.com"), await ask(person.email)];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [200, answers[0]!.body]));
    await until(() => mail.to(person.email).length === 1);
    const [sent] = mail.to(person.email);
    expect(sent).toMatchObject({ from: { address: "nodal@pay.example" }, subject: "Reset your Nodal password" });
    expect(sent!.text).toContain(`${installation.server.baseUrl}/reset-password?merchant=${merchant.id}#`);
    const token = tokenOf(sent!.text!);
    const reset = (password: string, by = token): Promise<Answer> => open().post(RESET, { token: by, password });
    expect(told(await reset(person.email))).toEqual([400, "validation_failed"]);
    expect(told(await reset(CHOSEN, `${token.slice(0, -2)}xx`))).toEqual([422, "link_refused"]);
    expect(told(await reset(CHOSEN, "x"))).toEqual([422, "link_refused"]);
    const race = await Promise.all([1, 2, 3].map((number) => reset(`${CHOSEN} ${number}`)));
    expect(race.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422]);
    expect((await browser.get("/session")).status).toBe(401);
    const winner = race.findIndex(({ status }) => status === 200) + 1;
    expect(told(await open().post(SIGN_IN, { ...person, password: `${CHOSEN} ${winner}` }))).toEqual([
      200,
      "signed_in",
    ]);
    expect(mail.received.filter(({ to }) => to.includes("nobody@example.com"))).toEqual([]);
  });

  test("has links that end after an hour, or when the password is changed otherwise", async () => {
    const person = await newPerson(installation, merchant.id);
    const linkOf = async (count: number): Promise<string> => {
      await ask(person.email);
      await until(() => mail.to(person.email).length === count);
      return tokenOf(mail.to(person.email)[count - 1]!.text!);
    };
    const old = await linkOf(1);
    const { rows } = await installation.pool.query<{ minutes: number }>(
      "select round(extract(epoch from expires_at - now()) / 60)::integer as minutes from password_reset where login_id = $1",
      [person.id],
    );
    expect(rows).toEqual([{ minutes: 60 }]);
    await installation.pool.query("update password_reset set expires_at = now() where login_id = $1", [person.id]);
    expect(told(await open().post(RESET, { token: old, password: CHOSEN }))).toEqual([422, "link_refused"]);
    const fresh = await linkOf(2);
    const browser = await Browser.signIn(installation, person);
    await browser.post("/session/password/change", { old_password: person.password, new_password: CHOSEN });
    expect(told(await open().post(RESET, { token: fresh, password: CHOSEN }))).toEqual([422, "link_refused"]);
  });
});

describe("a franchise", () => {
  test("signs in with what its merchant saved, and is shut out where a page is not narrowed to it", async () => {
    const login = { login_email: "north@example.com", password: "correct horse", role_name: "Manager" };
    const franchise = { ...FRANCHISE_LEAST, enable_franchise_login: "1", ...login };
    const saved = await merchant.post("/api/v1/franchise/save", franchise);
    const id = saved.body.franchise_id as string;
    const person = { id, email: login.login_email, password: login.password, merchant: merchant.id };
    expect(told(await open().post(SIGN_IN, person))).toEqual([200, "change_password"]);
    await keepFirstPassword(installation.pool, id);
    const browser = await Browser.signIn(installation, person);
    const { body } = await browser.get("/session");
    expect(body).toMatchObject({ kind: "franchise", franchise_id: id, role: "Manager", merchant: { id: merchant.id } });
    expect(body.permissions).toEqual(expect.arrayContaining(["franchises.view", "invoices.view"]));
    expect(body.permissions.filter((name: string) => /payouts|users|manage/.test(name))).toEqual([]);
    expect(told(await browser.get("/users"))).toEqual([403, "access_denied"]);
    await merchant.post("/api/v1/franchise/delete", { franchise_id: id });
    expect((await browser.get("/session")).status).toBe(401);
    expect(told(await open().post(SIGN_IN, person))).toEqual([401, "sign_in_failed"]);
  });
});

describe("guessing", () => {
  test("is slowed down by account, but not for a browser that has signed in to it before", async () => {
    const person = await newPerson(installation, merchant.id);
    const known = await Browser.signIn(installation, person);
    const guess = { email: person.email, password: "a wrong guess" };
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await open().post(SIGN_IN, guess)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
    const refused = await open().post(SIGN_IN, person);
    expect(told(refused)).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60);
    expect(told(await known.post(SIGN_IN, person))).toEqual([200, "signed_in"]);
  });

  test("codes is slowed down by login", async () => {
    const person = await newPerson(installation, merchant.id);
    const { app } = await enrol(await Browser.signIn(installation, person), person);
    const browser = await Browser.signIn(installation, person);
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      statuses.push((await browser.post(SECOND_STEP, { code: app.wrongCode() })).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(422), 429]);
  });
});

test("no password, code, link, cookie or token is in the log or readable in the database", async () => {
  const { output } = installation.server;
  expect(output).toContain('"level":"debug"');
  const secrets = [
    CHOSEN,
    "correct horse",
    ...mail.received.map(({ mail: { text } }) => text!.split("#")[1]!.slice(0, 60)),
  ];
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
  for (const table of ["login", "login_session", "password_reset", "recovery_code", "journal"]) {
    const { rows } = await installation.pool.query<{ row: string }>(`select t::text as row from ${table} t`);
    for (const secret of secrets) expect(rows.filter(({ row }) => row.includes(secret))).toEqual([]);
  }
});
