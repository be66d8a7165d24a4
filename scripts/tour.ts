// `npm run tour`: starts a server with a made-up business and takes the pictures of docs/tour.md anew. With
// `-- --all <folder>` it takes pictures of every page instead, in every size and mode, with and without anything to show.
// What belongs here: which pictures the tour has. The business is made in tour/business.ts.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createPool } from "../src/platform/database/pool.ts";
import { TestBrowser, type TestPage } from "../test/support/browser.ts";
import { Browser } from "../test/support/dashboard.ts";
import { makeDataDir, NodalProcess, nodalJson, removeDataDir } from "../test/support/nodal.ts";
import { TEST_ACTOR, withTestSecrets } from "../test/support/secrets.ts";
import { makeBusiness, type Business } from "./tour/business.ts";
import { photographEveryPage } from "./tour/every-page.ts";

const FOLDER = join(import.meta.dirname, "../docs/tour");
const FADE_MS = 400;

/** A picture: its file's name, the page, and what is done there first. */
type Shot = {
  readonly name: string;
  readonly path: (business: Business) => string;
  readonly size?: "wide" | "phone";
  readonly mode?: "light" | "dark";
  readonly before?: (opened: TestPage) => Promise<void>;
};

const SHOTS: readonly Shot[] = [
  { name: "home", path: () => "/" },
  { name: "home-phone-dark", path: () => "/", size: "phone", mode: "dark" },
  { name: "transfers", path: () => "/transfers" },
  { name: "transfer-reversed", path: ({ reversedTransferId }) => `/transfers/${reversedTransferId}` },
  { name: "transfer-confirm", path: () => "/transfers/new", before: fillTransfer },
  { name: "statement", path: () => "/statement" },
  { name: "invoices", path: () => "/invoices" },
  { name: "invoice", path: ({ invoiceId }) => `/invoices/${invoiceId}` },
  { name: "invoice-edit", path: ({ unpaidInvoiceId }) => `/invoices/${unpaidInvoiceId}/edit`, before: scrollToTotals },
  { name: "invoice-public", path: ({ invoiceUrl }) => new URL(invoiceUrl).pathname },
  { name: "customers", path: () => "/customers" },
  { name: "franchises", path: () => "/franchises" },
  { name: "subscriptions", path: () => "/subscriptions" },
  { name: "template", path: () => "/templates", before: openFirstTemplate },
  { name: "roles", path: () => "/settings/roles" },
  { name: "audit", path: () => "/settings/audit", mode: "dark" },
  { name: "reference", path: () => "/reference" },
];

async function fillTransfer({ page }: TestPage): Promise<void> {
  await page.getByPlaceholder(/^Search by name/).fill("Asha");
  await page.getByText("Asha Rao").first().click();
  await page.getByRole("textbox", { name: "Amount" }).fill("1,23,456.50");
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("dialog").waitFor();
}

async function openFirstTemplate({ page }: TestPage): Promise<void> {
  await page.locator("main a[href^='/templates/']:not([href$='/new'])").first().click();
  await page.waitForURL(/\/templates\/\d+$/);
}

async function scrollToTotals({ page }: TestPage): Promise<void> {
  await page.getByRole("heading", { name: "Totals" }).scrollIntoViewIfNeeded();
}

async function takePictures(server: NodalProcess, business: Business): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const owner = await Browser.signIn({ server }, business.owner);
  const chromium = await TestBrowser.start(server.baseUrl);
  try {
    for (const { name, path, size = "wide", mode = "light", before } of SHOTS) {
      const opened = await chromium.open(path(business), { size, mode, as: owner });
      await before?.(opened);
      await opened.settle();
      // Dialogs fade in.
      await opened.page.waitForTimeout(FADE_MS);
      await opened.page.screenshot({ path: join(FOLDER, `${name}.png`) });
      await opened.page.context().close();
      console.log(`docs/tour/${name}.png`);
    }
  } finally {
    await chromium.stop();
  }
}

const dataDir = await makeDataDir();
const environment = { DATA_DIR: dataDir };
const server = await NodalProcess.start(environment);
try {
  const { url } = await nodalJson<{ url: string }>(environment, "database");
  const pool = withTestSecrets(createPool({ url, size: 2, actor: TEST_ACTOR }));
  const business = await makeBusiness(server.baseUrl, environment, pool);
  const { values } = parseArgs({ options: { all: { type: "string" } } });
  if (values.all === undefined) await takePictures(server, business);
  else await photographEveryPage(server, pool, business, values.all);
  await pool.end();
} finally {
  await server.stop();
  await removeDataDir(dataDir);
}
process.exit();
