// `npm run tour`: starts a server with a made-up business and takes the pictures of docs/tour.md. With
// `-- --all <folder>` it takes pictures of every page instead, in every size and mode, full and empty.
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

/** A picture: its file name, the page, and what to do there first. */
type Shot = {
  readonly name: string;
  readonly path: (business: Business) => string;
  readonly before?: (opened: TestPage) => Promise<void>;
};

const SHOTS: readonly Shot[] = [
  { name: "home", path: () => "/" },
  { name: "transfers", path: () => "/transfers" },
  { name: "transfer-confirm", path: () => "/transfers/new", before: fillTransfer },
  { name: "invoice", path: ({ invoiceId }) => `/invoices/${invoiceId}` },
  { name: "invoice-public", path: ({ invoiceUrl }) => new URL(invoiceUrl).pathname },
  { name: "franchises", path: () => "/franchises" },
];

async function fillTransfer({ page }: TestPage): Promise<void> {
  await page.getByPlaceholder(/^Search by name/).fill("Asha");
  await page.getByText("Asha Rao").first().click();
  await page.getByRole("textbox", { name: "Amount" }).fill("1,23,456.50");
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("dialog").waitFor();
}

async function takePictures(server: NodalProcess, business: Business): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const owner = await Browser.signIn({ server }, business.owner);
  const chromium = await TestBrowser.start(server.baseUrl);
  try {
    for (const { name, path, before } of SHOTS) {
      const opened = await chromium.open(path(business), { as: owner });
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
