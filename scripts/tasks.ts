// `npm run tasks`: how long five common tasks take in the dashboard, from Home until the result is shown. A browser does
// each task against a server with a made-up business. What a person adds is counted by the keystroke-level model, so that
// two versions can be compared: Card, Moran and Newell, Communications of the ACM 23 (7), 1980.
import type { Locator, Page } from "playwright-core";
import { createPool } from "../src/platform/database/pool.ts";
import { TestBrowser, type TestPage } from "../test/support/browser.ts";
import { Browser } from "../test/support/dashboard.ts";
import { makeDataDir, NodalProcess, nodalJson, removeDataDir } from "../test/support/nodal.ts";
import { TEST_ACTOR, withTestSecrets } from "../test/support/secrets.ts";
import { makeBusiness, type Business } from "./tour/business.ts";

/** The model's times: a key of an average typist, pointing, a press of the button, a hand that moves, a decision. */
const KEY_MS = 280;
const POINT_MS = 1100;
const PRESS_MS = 200;
const MOVE_MS = 400;
const DECIDE_MS = 1350;

/** Somebody at the dashboard: does what is asked, and adds up what a person and the server took. */
class Hand {
  readonly page: Page;
  readonly #opened: TestPage;
  clicks = 0;
  keys = 0;
  personMs = 0;
  serverMs = 0;

  constructor(opened: TestPage) {
    this.#opened = opened;
    this.page = opened.page;
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    this.personMs += DECIDE_MS + POINT_MS + PRESS_MS;
    await this.#wait(() => target.first().click());
  }

  /** Clicks a field and types in it. */
  async fill(target: Locator, text: string): Promise<void> {
    await this.click(target);
    await this.type(text);
  }

  /** Types in a field, which is clicked unless the cursor is there. */
  async typeInto(target: Locator, text: string): Promise<void> {
    const isThere = await target.first().evaluate((each) => each === each.ownerDocument.activeElement);
    if (!isThere) if (!isThere) await this.click(target);
    await this.type(text);
  }

  /** Types where the cursor is. */
  async type(text: string): Promise<void> {
    this.keys += text.length;
    this.personMs += MOVE_MS + text.length * KEY_MS;
    await this.#wait(() => this.page.keyboard.type(text));
  }

  /** Presses keys, such as `Tab` or `Enter`. */
  async press(...keys: readonly string[]): Promise<void> {
    this.keys += keys.length;
    this.personMs += DECIDE_MS + keys.length * KEY_MS;
    await this.#wait(async () => {
      for (const key of keys) await this.page.keyboard.press(key);
    });
  }

  /** Waits for something. */
  async see(target: Locator): Promise<void> {
    await this.#wait(() => target.first().waitFor());
  }

  async #wait(act: () => Promise<unknown>): Promise<void> {
    const begunMs = performance.now();
    await act();
    await this.#opened.settle();
    this.serverMs += performance.now() - begunMs;
  }
}

type Task = {
  readonly name: string;
  readonly begin: (business: Business) => string;
  readonly act: (hand: Hand) => Promise<void>;
};

const ACCOUNT = { number: "00011020001772", ifsc: "HDFC0000001" };

const TASKS: readonly Task[] = [
  { name: "invoice to a new customer", begin: () => "/", act: invoiceNewCustomer },
  { name: "payment recorded", begin: ({ unpaidInvoiceId }) => `/invoices/${unpaidInvoiceId}`, act: recordPayment },
  { name: "new vendor paid", begin: () => "/", act: payNewVendor },
  { name: "who owes most", begin: () => "/", act: findLargestDebtor },
  { name: "all franchises settled", begin: () => "/", act: settleFranchises },
];

const button = (page: Page, name: string | RegExp): Locator => page.getByRole("button", { name });
const link = (page: Page, name: string | RegExp): Locator => page.getByRole("link", { name });

const field = (page: Page, name: string | RegExp): Locator => page.getByRole("textbox", { name });

/** From Home to the saved invoice's page. */
async function invoiceNewCustomer(hand: Hand): Promise<void> {
  const { page } = hand;
  await hand.click(link(page, "New invoice"));
  await hand.click(button(page, "New customer"));
  await hand.typeInto(field(page, "Name"), "Ganga Stores");
  await hand.fill(field(page, "E-mail"), "ganga@shop.example");
  const item = page.getByRole("group", { name: "Item 1" });
  await hand.fill(item.getByLabel("Item", { exact: true }), "Cotton fabric");
  await hand.fill(item.getByLabel("GST"), "5");
  await hand.press("Tab");
  await hand.typeInto(item.getByLabel("Amount"), "12500");
  await hand.click(button(page, "Save invoice"));
  await hand.see(page.getByRole("heading", { level: 1, name: /^Invoice / }));
}

/** From the invoice's page, of the whole amount that is due. */
async function recordPayment(hand: Hand): Promise<void> {
  const { page } = hand;
  await hand.click(button(page, "Record payment"));
  await hand.click(page.getByRole("dialog").getByRole("button", { name: "Record payment" }));
  await hand.see(page.getByText("Paid", { exact: true }));
}

/** From Home to the started transfer's page. */
async function payNewVendor(hand: Hand): Promise<void> {
  const { page } = hand;
  await hand.click(link(page, "New transfer"));
  await hand.typeInto(page.getByRole("combobox", { name: "Beneficiary" }), "Ganga Dyes");
  await hand.click(page.getByRole("option", { name: /^Add / }));
  await hand.typeInto(field(page, "Account number"), ACCOUNT.number);
  await hand.press("Tab");
  await hand.typeInto(field(page, "IFSC"), ACCOUNT.ifsc);
  await hand.click(button(page, "Save and use"));
  await hand.typeInto(field(page, "Amount"), "12500");
  await hand.click(button(page, "Review"));
  await hand.click(button(page, "Transfer now"));
  await hand.see(page.getByRole("list", { name: "Timeline" }));
}

/** On Home. */
async function findLargestDebtor(hand: Hand): Promise<void> {
  await hand.see(hand.page.getByRole("heading", { name: "Who owes most" }));
  hand.personMs += DECIDE_MS;
}

/** From Home until all payments are started. */
async function settleFranchises(hand: Hand): Promise<void> {
  const { page } = hand;
  await hand.click(link(page, "Franchises"));
  await hand.click(button(page, "Settle all due"));
  await hand.click(page.getByRole("dialog").getByRole("button", { name: "Settle all due" }));
  await hand.see(page.getByText(/transfers? started\.$/));
}

const dataDir = await makeDataDir();
const environment = { DATA_DIR: dataDir };
const server = await NodalProcess.start(environment);
try {
  const { url } = await nodalJson<{ url: string }>(environment, "database");
  const pool = withTestSecrets(createPool({ url, size: 2, actor: TEST_ACTOR }));
  const business = await makeBusiness(server.baseUrl, environment, pool);
  const owner = await Browser.signIn({ server }, business.owner);
  const chromium = await TestBrowser.start(server.baseUrl);
  for (const { name, begin, act } of TASKS) {
    const opened = await chromium.open(begin(business), { as: owner });
    const hand = new Hand(opened);
    await act(hand);
    const seconds = (ms: number): string => (ms / 1000).toFixed(1);
    const { clicks, keys, personMs, serverMs } = hand;
    console.log(
      `${name}: ${seconds(personMs + serverMs)} s, of which ${seconds(serverMs)} s waiting; ${clicks} clicks, ${keys} keys`,
    );
    await opened.page.context().close();
  }
  await chromium.stop();
  await pool.end();
} finally {
  await server.stop();
  await removeDataDir(dataDir);
}
process.exit();
