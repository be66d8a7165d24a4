// Signing in with a browser: password, second factor set up and asked for, the way back to a page, and out. Other rules
// are tested in test/dashboard.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser, type TestPage } from "../support/browser.ts";
import { AuthenticatorApp, Browser, newPerson, type Person } from "../support/dashboard.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { MailServer } from "../support/mail.ts";
import { nodalJson, type Answer } from "../support/nodal.ts";
import { until } from "../support/webhooks.ts";

/** How a link is refused that counts no more. */
const REFUSED = { status: 422, body: { code: "link_refused" } };

let mail: MailServer;
let site: Installation;
let browser: TestBrowser;
let merchantId: string;
beforeAll(async () => {
  mail = await MailServer.start();
  site = await Installation.start({ SMTP_URL: mail.url });
  browser = await TestBrowser.shared(site.server.baseUrl);
  ({ id: merchantId } = await site.newMerchant({ name: "Asha Traders" }));
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
  await mail?.stop();
});

async function givePassword({ page }: TestPage, { email, password }: Person): Promise<void> {
  // The password first: a page that was left, and is there until this one is loaded, may have an e-mail field too.
  await page.getByLabel("Password", { exact: false }).first().fill(password);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("an owner sets up a second factor, and signs in with it to the page that was asked for", async () => {
  const owner = await newPerson(site, merchantId);
  const opened = await browser.open("/security?from=link");
  const { page } = opened;
  await givePassword(opened, { ...owner, password: "not the password" });
  await page.getByRole("alert").waitFor();
  expect(await page.getByLabel("E-mail").inputValue(), "what was typed is kept").toBe(owner.email);
  await givePassword(opened, owner);

  await page.getByRole("button", { name: "Set up" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/Confirm your password/).fill(owner.password);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const secret = (await dialog.locator("code").textContent())!.replaceAll(" ", "");
  const app = new AuthenticatorApp(secret);
  await dialog.getByAltText("QR code of the key").waitFor();
  await dialog.getByLabel(/^Code from the app/).fill(await app.nextCode());
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await expect.poll(() => dialog.getByRole("listitem").count()).toBe(10);
  expect(await opened.findProblems()).toEqual([]);
  await dialog.getByRole("button", { name: "I have saved them" }).click();

  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await opened.goTo("/security?from=link");
  await givePassword(opened, owner);
  await page.getByLabel("6-digit code").fill(app.wrongCode());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("6-digit code").fill(await app.nextCode());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("**/security?from=link");
  await page.getByText("10 recovery codes left.").waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.page.context().close();
});

test("who was given a first password chooses an own one, and gets another one by mail when that is forgotten", async () => {
  const draft = ["--name", "Meera Stores", "--email", "meera@example.com"];
  const made = await nodalJson<Record<string, string>>(site.environment, "merchant", "create", ...draft);
  const first = { id: "", email: made["user_email"]!, password: made["user_password"]! };
  const opened = await browser.open("/customers?search=asha");
  const { page } = opened;
  await givePassword(opened, first);
  await page.getByRole("heading", { name: "Choose your own password" }).waitFor();
  const choose = async (chosen: string, again = chosen): Promise<void> => {
    await page.getByLabel("New password", { exact: false }).first().fill(chosen);
    await page.getByLabel("Confirm new password", { exact: false }).fill(again);
  };
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await page.getByLabel("Current password", { exact: false }).fill(first.password);
  await choose("password123", "password124");
  await press("Change password");
  await page.getByText("The passwords don't match.").waitFor();
  await choose("password123");
  await press("Change password");
  await page.getByText(/^Is too easy to guess/).waitFor();
  await opened.pictures("first-password-refused");
  expect(await opened.findProblems()).toEqual([]);
  await choose("seven wild tigers");
  await press("Change password");
  await page.waitForURL("**/customers?search=asha");
  await page.getByRole("heading", { level: 1, name: "Customers" }).waitFor();

  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  // The page before has a field of the same name, and stays until this one is loaded.
  await page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
  await page.getByLabel("E-mail").fill(first.email);
  await opened.pictures("forgot-password");
  await press("Send link");
  await page
    .getByRole("status")
    .getByText(/we've sent it a link/)
    .waitFor();
  await expect.poll(() => mail.to(first.email).length).toBe(1);
  const link = /http\S+\/reset-password\S+/.exec(mail.to(first.email)[0]!.text!)![0];
  await opened.goTo(link);
  await choose("eight calm tigers");
  await opened.pictures("reset-password");
  expect(await opened.findProblems()).toEqual([]);
  await press("Set password");
  await page.getByText("Password set. Sign in with your new password.").waitFor();
  await page.goto("about:blank");
  await opened.goTo(link);
  await choose("nine loud tigers");
  await press("Set password");
  await page.getByText(/already used or has expired/).waitFor();
  await page.getByRole("link", { name: "Request another link" }).click();
  await page.getByRole("link", { name: "Back to sign-in" }).click();
  await givePassword(opened, { ...first, password: "seven wild tigers" });
  await page.getByRole("alert").waitFor();
  const own = { ...first, password: "eight calm tigers" };
  await givePassword(opened, own);
  await page.getByRole("heading", { level: 1, name: "Meera Stores" }).waitFor();

  await opened.goTo("/security");
  await page.getByLabel("New e-mail address").fill("meera@example.org");
  await page.getByLabel("Confirm your password").fill("not the password");
  await press("Change e-mail");
  await page.getByText("Is not your password.").waitFor();
  expect(await page.getByLabel("New e-mail address").inputValue()).toBe("meera@example.org");
  await opened.pictures("security-email");
  await page.getByLabel("Confirm your password").fill(own.password);
  await press("Change e-mail");
  await page.getByText("We sent a link to meera@example.org.", { exact: false }).waitFor();
  await expect.poll(() => mail.to("meera@example.org").length).toBe(1);
  const confirmation = /http\S+\/confirm-email\S+/.exec(mail.to("meera@example.org")[0]!.text!)![0];
  await opened.goTo(confirmation);
  await opened.pictures("confirm-email");
  expect(await opened.findProblems()).toEqual([]);
  await press("Confirm e-mail");
  await page.getByText("E-mail changed. Sign in with your new address.").waitFor();
  await expect.poll(() => mail.to(first.email).length).toBe(2);
  await page.getByRole("link", { name: "Back to sign-in" }).click();
  await givePassword(opened, own);
  await page.getByRole("alert").waitFor();
  await givePassword(opened, { ...own, email: "meera@example.org" });
  await page.getByRole("heading", { level: 1, name: "Meera Stores" }).waitFor();
  await page.context().close();
});

test("another address counts once its link was opened, which works once, and is refused when it is too old", async () => {
  const person = await newPerson(site, merchantId);
  const signedIn = await Browser.signIn(site, person);
  const ask = async (email: string): Promise<string> => {
    const before = mail.to(email).length;
    const answer = await signedIn.post("/session/email/change", { email, password: person.password });
    expect(answer.body).toEqual({ state: "sent" });
    await until(() => mail.to(email).length > before);
    return /\/confirm-email\S*#(\S+)/.exec(mail.to(email).at(-1)!.text!)![1]!;
  };
  const confirm = (token: string): Promise<Answer> =>
    new Browser(site.server.baseUrl).post("/session/email/confirm", { token });
  const [first, second] = [`first.${person.email}`, `second.${person.email}`];
  const earlier = await ask(first);
  const token = await ask(second);
  expect(await confirm(earlier), "a later wish takes its place").toMatchObject(REFUSED);
  expect(await confirm(`${token.slice(0, -2)}xx`)).toMatchObject(REFUSED);
  expect((await signedIn.get("/session")).body.email).toBe(person.email);
  const race = await Promise.all([confirm(token), confirm(token), confirm(token)]);
  expect(race.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422]);
  expect((await signedIn.get("/session")).status).toBe(401);
  expect((await new Browser(site.server.baseUrl).post("/session/sign-in", person)).status).toBe(401);
  const moved = await Browser.signIn(site, { ...person, email: second, merchant: merchantId });
  await until(() => mail.to(person.email).length === 1);
  const old = await moved.post("/session/email/change", { email: first, password: person.password });
  expect(old.status).toBe(200);
  await until(() => mail.to(first).length === 2);
  await site.pool.query("update email_change set expires_at = now() where login_id = $1", [person.id]);
  const late = /\/confirm-email\S*#(\S+)/.exec(mail.to(first).at(-1)!.text!)![1]!;
  expect(await confirm(late)).toMatchObject(REFUSED);
});

test("a session that ends elsewhere asks for a sign-in at the next request, on the page that was asked for", async () => {
  const viewer = await newPerson(site, merchantId, "Viewer");
  const opened = await browser.open("/");
  await givePassword(opened, viewer);
  await opened.page.getByRole("heading", { level: 1, name: "Asha Traders" }).waitFor();
  await opened.page.getByRole("navigation", { name: "Main navigation" }).getByText("Sandbox").waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await site.pool.query("delete from login_session where login_id = $1", [viewer.id]);
  await opened.page.getByRole("button", { name: /^Account:/ }).click();
  await opened.page.getByRole("menuitem", { name: "Security" }).click();
  await opened.page.getByRole("dialog").getByText("Your session expired").waitFor();
  expect(new URL(opened.page.url()).pathname).toBe("/security");
  await opened.page.context().close();
});

test("who has a merchant's link stays with that merchant: through a forgotten password, out, and back in", async () => {
  const other = await site.newMerchant({ name: "Ravi Stores" });
  const first = await newPerson(site, merchantId);
  const login = {
    enable_franchise_login: "1",
    role_name: "Franchise",
    login_email: first.email,
    password: "two tigers",
  };
  const saved = await other.post("/api/v1/franchise/save", { ...FRANCHISE_LEAST, ...login });
  expect(saved.status).toBe(200);
  const second = { ...first, password: login.password };
  const at = `merchant=${other.id}`;
  const opened = await browser.open(`/sign-in?${at}`);
  const { page } = opened;
  await page.getByText(`Signing in to merchant ${other.id}.`).waitFor();
  expect(await page.textContent("body"), "its name is not for strangers").not.toContain("Ravi Stores");
  await opened.pictures("sign-in-merchant");
  expect(await opened.findProblems()).toEqual([]);
  await givePassword(opened, first);
  await page.getByRole("alert").waitFor();
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
  expect(new URL(page.url()).search).toBe(`?${at}`);
  await page.getByLabel("E-mail").fill(first.email);
  await page.getByRole("button", { name: "Send link" }).click();
  await expect.poll(() => mail.to(first.email).length).toBe(1);
  const link = /http\S+\/reset-password\S+/.exec(mail.to(first.email)[0]!.text!)![0];
  await opened.goTo(link);
  await page.getByLabel("New password", { exact: false }).first().fill("eight calm tigers");
  await page.getByLabel("Confirm new password", { exact: false }).fill("eight calm tigers");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByRole("link", { name: "Back to sign-in" }).click();
  await page.getByText(`Signing in to merchant ${other.id}.`).waitFor();
  await givePassword(opened, { ...second, password: "eight calm tigers" });
  await page.getByRole("heading", { level: 1, name: "Least" }).waitFor();

  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(`**/sign-in?${at}`);
  await page.goto("about:blank");
  await opened.goTo("/security");
  await page.waitForURL(`**/sign-in?next=%2Fsecurity&${at}`);
  await givePassword(opened, { ...second, password: "eight calm tigers" });
  await page.waitForURL("**/security");

  // The link of another merchant asks for the login there, no matter who is signed in here.
  await opened.goTo(`/sign-in?merchant=${merchantId}`);
  await givePassword(opened, first);
  await page.getByRole("heading", { level: 1, name: "Asha Traders" }).waitFor();
  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("link", { name: "Sign in to another account" }).click();
  await page.waitForURL("**/sign-in");
  await givePassword(opened, first);
  await page.getByRole("heading", { level: 1, name: "Asha Traders" }).waitFor();
  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await page.context().close();
});

test("a link to sign-in leads nowhere but to this dashboard, whatever it names", async () => {
  const signedIn = await Browser.signIn(site, await newPerson(site, merchantId));
  const opened = await browser.open("/security", { as: signedIn });
  const { page } = opened;
  const asked: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(site.server.baseUrl).origin) asked.push(request.url());
  });
  const own = new URL(site.server.baseUrl).origin;
  const elsewhere = ["//e.example/x", "/.//e.example/x", "/..//e.example/x", "/%2e//e.example/x", "/\\e.example/x"];
  for (const next of [...elsewhere, "https://e.example/", "javascript:alert(1)", "http://", `${own}//e.example/x`]) {
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await page.waitForURL((url) => url.pathname !== "/sign-in");
    expect([next, new URL(page.url()).origin]).toEqual([next, own]);
  }
  expect(asked).toEqual([]);
  await page.goto("/sign-in?next=%2Fsettings%2Fusers%3Fsort%3Dname");
  await page.waitForURL("**/settings/users?sort=name");
  await page.context().close();
});

test("an operator finds a merchant and sees its dashboard", async () => {
  const opened = await browser.open("/", { size: "phone", mode: "dark" });
  await givePassword(opened, await newPerson(site, null, "Operator"));
  await opened.page.getByRole("link", { name: "Asha Traders", exact: true }).click();
  await opened.page.waitForURL(`**/m/${merchantId}`);
  await opened.page.getByRole("heading", { level: 1, name: "Asha Traders" }).waitFor();
  expect(await opened.findProblems()).toEqual([]);
  await opened.page.context().close();
});
