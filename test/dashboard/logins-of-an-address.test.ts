// An address with several logins, one at each merchant: who takes an address learns of no other login, and no login
// opens, locks or changes another.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AuthenticatorApp, Browser, keepFirstPassword, newPerson, type Person } from "../support/dashboard.ts";
import { FRANCHISE_LEAST, FRANCHISE_SAMPLE } from "../support/franchises.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { MailServer } from "../support/mail.ts";
import { nodal, nodalJson, type Answer } from "../support/nodal.ts";
import { until } from "../support/webhooks.ts";

const THEIRS = "nine calm tigers";
const OURS = "eight loud tigers";

let mail: MailServer;
let site: Installation;
/** Without mail: there an address changes at once. */
let silent: Installation;
/** Where neither of two has a login. */
let stranger: TestMerchant;
let addresses = 0;

beforeAll(async () => {
  mail = await MailServer.start();
  site = await Installation.start({ SMTP_URL: mail.url });
  silent = await Installation.start();
  stranger = await site.newMerchant();
});
afterAll(async () => {
  await site?.stop();
  await silent?.stop();
  await mail?.stop();
});

function open({ server }: Installation = site): Browser {
  return new Browser(server.baseUrl);
}

function told(answer: Answer): unknown {
  return [answer.status, answer.body.code ?? answer.body.state];
}

function newAddress(): string {
  return `shared${(addresses += 1)}@example.com`;
}

/** A franchise with a login, as a merchant's program saves it. */
async function saveLogin(merchant: TestMerchant, email: string, password: string): Promise<string> {
  const login = { enable_franchise_login: "1", login_email: email, password, role_name: "Franchise" };
  const answer = await merchant.post("/api/v1/franchise/save", {
    ...FRANCHISE_LEAST,
    franchise_code: email,
    ...login,
  });
  if (answer.status !== 200) throw new Error(`not saved: ${JSON.stringify(answer.body)}`);
  return answer.body.franchise_id as string;
}

/** An address with a login of every kind: an operator, a merchant's user, and a franchise of another merchant. */
async function takenAddress(installation: Installation): Promise<string> {
  const email = newAddress();
  const [one, two] = [await installation.newMerchant(), await installation.newMerchant()];
  await nodalJson(installation.environment, "operator", "create", "--email", email);
  await nodalJson(installation.environment, "user", "create", "--merchant", one.id, "--email", email);
  await saveLogin(two, email, THEIRS);
  return email;
}

/** What an answer says, without what is each answer's own: ids, secrets, times, and the address itself. */
function plain(answer: { readonly status: number; readonly body: unknown }, email: string): string {
  const text = JSON.stringify(answer.body, (name, value: unknown) =>
    /(^|_)id$|password|secret|created_at|^access_key/.test(name) ? typeof value : value,
  );
  return `${answer.status} ${text.replaceAll(email, "the address").replaceAll(/merchant=[0-9]+/g, "merchant=…")}`;
}

describe("whether an address has a login elsewhere", () => {
  type Entrance = (owner: Browser, merchant: TestMerchant, email: string) => Promise<Answer>;
  const franchise = (email: string) => ({
    ...FRANCHISE_SAMPLE,
    franchise_code: "F1",
    enable_franchise_login: "1",
    login_email: email,
    password: OURS,
    role_name: "Franchise",
  });
  const ENTRANCES: readonly (readonly [string, number, Entrance])[] = [
    ["a franchise is saved", 200, (_, merchant, email) => merchant.post("/api/v1/franchise/save", franchise(email))],
    [
      "a franchise with other faults is saved",
      400,
      (_, merchant, email) => merchant.post("/api/v1/franchise/save", { ...franchise(email), role_name: "Emperor" }),
    ],
    ["a franchise is made at the dashboard", 200, (owner, _, email) => owner.post("/franchises", franchise(email))],
    [
      "a franchise is let in",
      200,
      async (owner, merchant, email) => {
        const { body } = await merchant.post("/api/v1/franchise/save", FRANCHISE_LEAST);
        const login = { login_email: email, password: OURS, role_name: "Franchise" };
        return owner.put(`/franchises/${body.franchise_id}/login`, login);
      },
    ],
    [
      "a franchise gets another address",
      200,
      async (owner, merchant, email) => {
        const id = await saveLogin(merchant, newAddress(), OURS);
        return owner.put(`/franchises/${id}/login`, { login_email: email, password: "", role_name: "Franchise" });
      },
    ],
    ["a user is made", 200, (owner, _, email) => owner.post("/users", { name: "Ravi", email, role: "Viewer" })],
    [
      "a user gets another address",
      200,
      async (owner, _, email) => {
        const { body } = await owner.post("/users", { name: "Ravi", email: newAddress(), role: "Viewer" });
        return owner.put(`/users/${body.user.user_id}`, { email });
      },
    ],
  ];

  test.each(ENTRANCES)("is not told when %s", async (_, status, enter) => {
    const answers: string[] = [];
    for (const email of [await takenAddress(site), newAddress()]) {
      const merchant = await site.newMerchant();
      const owner = await Browser.signIn(site, await newPerson(site, merchant.id));
      // The same at the first as at the eleventh: nothing is counted.
      answers.push(plain(await enter(owner, merchant, email), email));
    }
    expect(answers[0]).toBe(answers[1]);
    expect(answers[0]!.slice(0, 3)).toBe(String(status));
  });

  test.each([
    ["at once", () => silent, { state: "changed" }],
    ["by a link", () => site, { state: "sent" }],
  ])("is not told when one changes one's own, %s", async (_, where, answer) => {
    const installation = where();
    for (const email of [await takenAddress(installation), newAddress()]) {
      const person = await newPerson(installation, (await installation.newMerchant()).id);
      const owner = await Browser.signIn(installation, person);
      const changed = await owner.post("/session/email/change", { email, password: person.password });
      expect([changed.status, changed.body]).toEqual([200, answer]);
      if (installation === silent) continue;
      await until(() => mail.to(email).length === 1);
      const [, token] = /\/confirm-email\S*#(\S+)/.exec(mail.to(email)[0]!.text!)!;
      expect(told(await open().post("/session/email/confirm", { token }))).toEqual([200, undefined]);
    }
  });

  test("is not told by a command, nor to an operator who makes a merchant", async () => {
    const operator = await Browser.signIn(site, await newPerson(site, null));
    const texts: string[] = [];
    for (const email of [await takenAddress(site), newAddress()]) {
      const { id } = await site.newMerchant();
      const create = await nodal(site.environment, "user", "create", "--merchant", id, "--email", email, "--json");
      const made = await operator.post("/merchants", { name: "Asha Traders", email });
      texts.push(plain({ status: create.code, body: JSON.parse(create.stdout) as object }, email), plain(made, email));
    }
    expect(texts.slice(0, 2)).toEqual(texts.slice(2));
  });

  test("is not seen by signing in with the password that one gave: that takes the merchant's link", async () => {
    const merchant = await site.newMerchant();
    for (const email of [await takenAddress(site), newAddress()]) {
      await saveLogin(merchant, email, OURS);
      const credentials = { email, password: OURS };
      expect(told(await open().post("/session/sign-in", credentials))).toEqual([401, "sign_in_failed"]);
      expect(told(await open().post("/session/sign-in", { ...credentials, merchant: merchant.id }))).toEqual([
        200,
        "change_password",
      ]);
    }
  });
});

test("an address that another login of the merchant has taken meanwhile is not confirmed", async () => {
  const merchant = await site.newMerchant();
  const person = await newPerson(site, merchant.id);
  const email = newAddress();
  const browser = await Browser.signIn(site, person);
  expect((await browser.post("/session/email/change", { email, password: person.password })).body).toEqual({
    state: "sent",
  });
  await until(() => mail.to(email).length === 1);
  await saveLogin(merchant, email, OURS);
  const [, token] = /\/confirm-email\S*#(\S+)/.exec(mail.to(email)[0]!.text!)!;
  expect(told(await open().post("/session/email/confirm", { token }))).toEqual([409, "email_taken"]);
  expect(told(await open().post("/session/sign-in", person))).toEqual([200, "signed_in"]);
  expect(told(await open().post("/session/sign-in", { email, password: OURS, merchant: merchant.id }))).toEqual([
    200,
    "change_password",
  ]);
});

describe("of two logins with one address", () => {
  /** One that a command made at a merchant, and one that another merchant's program did. */
  async function twins(where = site): Promise<{ email: string; first: Person; second: Person; maker: TestMerchant }> {
    const [one, maker] = [await where.newMerchant(), await where.newMerchant()];
    const email = newAddress();
    const made = ["user", "create", "--merchant", one.id, "--email", email, "--role", "Viewer"];
    const { id, password } = await nodalJson<Person>(where.environment, ...made);
    const franchiseId = await saveLogin(maker, email, OURS);
    for (const loginId of [id, franchiseId]) await keepFirstPassword(where.pool, loginId);
    return {
      email,
      first: { id, email, password, merchant: one.id },
      second: { id: franchiseId, email, password: OURS, merchant: maker.id },
      maker,
    };
  }

  async function kindOf(browser: Browser): Promise<unknown> {
    const { body } = await browser.get("/session");
    return [body.kind, body.id, body.merchant.id];
  }

  test("each signs in with its own password at its merchant, and one's does not open the other", async () => {
    const { email, first, second } = await twins();
    expect(await kindOf(await Browser.signIn(site, first))).toEqual(["user", first.id, first.merchant]);
    expect(await kindOf(await Browser.signIn(site, second))).toEqual(["franchise", second.id, second.merchant]);
    for (const [credentials, merchant] of [
      [first, second.merchant],
      [second, first.merchant],
      [first, stranger.id],
      [first, "9007199254740991"],
      [first, "0"],
    ] as const) {
      const refused = await open().post("/session/sign-in", { email, password: credentials.password, merchant });
      expect(told(refused)).toEqual([401, "sign_in_failed"]);
    }
    const texts = [
      { ...first, password: "wrong" },
      { ...first, merchant: "9007199254740991" },
      { ...first, email: newAddress() },
      { email: newAddress(), password: "wrong" },
    ].map(async (body) => plain(await open().post("/session/sign-in", body), ""));
    expect(new Set((await Promise.all(texts)).map((text) => text.replace(/"request_id":"[^"]*"/, "")))).toHaveLength(1);
  });

  test("that of a command signs in without its merchant; a later one, also of a command, does not come before it", async () => {
    const { email, first } = await twins();
    const later = ["user", "create", "--merchant", stranger.id, "--email", email];
    const { password } = await nodalJson<Person>(site.environment, ...later);
    expect(await kindOf(await Browser.signIn(site, { email, password: first.password }))).toContain(first.id);
    expect(told(await open().post("/session/sign-in", { email, password }))).toEqual([401, "sign_in_failed"]);
    const ops = await nodalJson<Person>(site.environment, "operator", "create", "--email", email);
    expect(told(await open().post("/session/sign-in", ops))).toEqual([200, "change_password"]);
    expect(told(await open().post("/session/sign-in", { email, password: first.password }))).toEqual([
      401,
      "sign_in_failed",
    ]);
    expect(await kindOf(await Browser.signIn(site, first))).toContain(first.id);
    expect(told(await open().post("/session/sign-in", { ...ops, merchant: "0" }))).toEqual([401, "sign_in_failed"]);
  });

  test("one that is disabled, deleted or changed leaves the other as it was", async () => {
    const { first, second, maker } = await twins();
    const [theirs, ours] = [await Browser.signIn(site, first), await Browser.signIn(site, second)];
    await nodalJson(site.environment, "user", "disable", "--merchant", first.merchant!, "--user", first.id);
    expect((await theirs.get("/session")).status).toBe(401);
    expect(told(await open().post("/session/sign-in", first))).toEqual([403, "access_denied"]);
    expect(await kindOf(ours)).toContain(second.id);
    await nodalJson(site.environment, "user", "enable", "--merchant", first.merchant!, "--user", first.id);
    const again = await Browser.signIn(site, first);
    await maker.post("/api/v1/franchise/delete", { franchise_id: second.id });
    expect(told(await open().post("/session/sign-in", second))).toEqual([401, "sign_in_failed"]);
    expect(await kindOf(again)).toContain(first.id);
    expect(await kindOf(await Browser.signIn(site, { email: first.email, password: first.password }))).toContain(
      first.id,
    );
  });

  test("one's second factor and one's new password are not the other's", async () => {
    const { first, second } = await twins();
    const [theirs, ours] = [await Browser.signIn(site, first), await Browser.signIn(site, second)];
    const { secret } = (await ours.post("/session/second-factor/enrol", { password: OURS })).body as { secret: string };
    const app = new AuthenticatorApp(secret);
    expect((await ours.post("/session/second-factor/confirm", { code: await app.nextCode() })).status).toBe(200);
    expect(told(await open().post("/session/sign-in", second))).toEqual([200, "second_factor"]);
    expect(told(await open().post("/session/sign-in", first))).toEqual([200, "signed_in"]);
    const changed = { old_password: OURS, new_password: "seven wild tigers" };
    expect((await ours.post("/session/password/change", changed)).status).toBe(200);
    expect(await kindOf(theirs)).toContain(first.id);
    expect(told(await open().post("/session/sign-in", { ...first, password: "seven wild tigers" }))).toEqual([
      401,
      "sign_in_failed",
    ]);
  });

  test("guesses at one count for it alone, however its merchant is written", async () => {
    // In a process of its own: all of this comes from one address, which is counted too.
    const { email, first, second } = await twins(silent);
    const guess = async (merchant: string | undefined): Promise<number> =>
      (await open(silent).post("/session/sign-in", { email, password: "wrong", merchant })).status;
    const statuses: number[] = [];
    for (const merchant of [second.merchant!, `000${second.merchant}`]) {
      for (let count = 0; count < 6; count += 1) statuses.push(await guess(merchant));
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    // The right password of an own login gives back none of what was used up, of this one or another.
    expect(told(await open(silent).post("/session/sign-in", first))).toEqual([200, "signed_in"]);
    expect(await guess(second.merchant)).toBe(429);
    expect(await kindOf(await Browser.signIn(silent, { email, password: first.password }))).toContain(first.id);
  });

  test("each has links of its own to a new password, which go to the address, at one merchant or at all", async () => {
    const { email, first, second } = await twins();
    const ask = async (merchant: string | undefined, mails: number): Promise<string[]> => {
      const before = mail.to(email).length;
      const answer = await open().post("/session/password/forgot", { email, merchant });
      expect(answer.body).toEqual({ sent: expect.stringContaining("If an account has this e-mail") as unknown });
      await until(() => mail.to(email).length === before + mails);
      return mail
        .to(email)
        .slice(before)
        .map(({ text }) => text!);
    };
    const [only] = await ask(second.merchant, 1);
    const { baseUrl } = site.server;
    expect(only).toContain(`${baseUrl}/sign-in?merchant=${second.merchant}`);
    const [, token] = new RegExp(`${baseUrl}/reset-password\\?merchant=${second.merchant}#(\\S+)`).exec(only!)!;
    const both = await ask(undefined, 2);
    expect(new Set(both.map((text) => /sign-in\?merchant=([0-9]+)/.exec(text)![1]))).toEqual(
      new Set([first.merchant, second.merchant]),
    );
    expect((await open().post("/session/password/reset", { token, password: "seven wild tigers" })).status).toBe(200);
    expect(told(await open().post("/session/sign-in", { ...second, password: "seven wild tigers" }))).toEqual([
      200,
      "signed_in",
    ]);
    expect(told(await open().post("/session/sign-in", first))).toEqual([200, "signed_in"]);
    expect(told(await open().post("/session/sign-in", { ...first, password: "seven wild tigers" }))).toEqual([
      401,
      "sign_in_failed",
    ]);
    // Nobody has it there: the answer is the same, and no mail goes.
    await ask(stranger.id, 0);
    // What was asked for an address is counted by it, and keeps no login from changing its own.
    const asked = { email: newAddress(), password: first.password };
    expect((await (await Browser.signIn(site, first)).post("/session/email/change", asked)).body).toEqual({
      state: "sent",
    });
  });
});

test("afterwards the books hold", async () => {
  expect([...(await site.findProblems()), ...(await silent.findProblems())]).toEqual([]);
});
