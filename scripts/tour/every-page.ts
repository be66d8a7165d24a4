// Pictures of every page for a person to look at: languages, sizes and modes, full and empty, and what is wrong on each.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createMerchantWithOwner, sampleProfile } from "../../src/installation/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import type { OwnedPool } from "../../src/platform/database/pool.ts";
import { TestBrowser } from "../../test/support/browser.ts";
import { Browser, newPerson } from "../../test/support/dashboard.ts";
import type { NodalProcess } from "../../test/support/nodal.ts";
import type { Business } from "./business.ts";

/** As the dashboard has it: its types are those of a browser. */
const AREAS = "../../web/src/app/areas.ts";
const OPEN = ["/sign-in", "/forgot-password", "/reset-password"];
const VARIANTS = (["en", "hi"] as const).flatMap((language) =>
  (["wide", "phone"] as const).flatMap((size) =>
    (["light", "dark"] as const).map((mode) => ({ language, size, mode })),
  ),
);

/** Somebody, and the pages to open: with the ids of what is there, or without those that need one. */
type Visit = { readonly who: string; readonly as: Browser | null; readonly paths: readonly string[] };

/** Takes the pictures into a folder, and prints what is wrong on the pages. */
export async function photographEveryPage(
  server: NodalProcess,
  pool: OwnedPool,
  business: Business,
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const chromium = await TestBrowser.start(server.baseUrl);
  try {
    for (const visit of await planVisits(server, pool, business)) {
      for (const variant of VARIANTS) await visitPages(chromium, visit, variant, folder);
    }
  } finally {
    await chromium.stop();
  }
}

async function planVisits(server: NodalProcess, pool: OwnedPool, business: Business): Promise<Visit[]> {
  const merchantPaths = await findPaths("merchant", "merchant-staff", "staff", "everyone");
  const ids = await findIds(pool, business);
  const fill = (path: string): string => path.replaceAll(/\$(\w+)/g, (_, name: string) => ids[name] ?? `no-${name}`);
  const profile = sampleProfile("Empty Traders", "empty@example.com");
  const empty = await createMerchantWithOwner(
    { pool, ids: new IdSource(pool) },
    { profile, userEmail: null, kycRequired: false },
  );
  await pool.query("update login set must_change_password = false");
  return [
    { who: "nobody", as: null, paths: OPEN },
    { who: "full", as: await Browser.signIn({ server }, business.owner), paths: merchantPaths.map(fill) },
    {
      who: "empty",
      as: await Browser.signIn({ server }, empty.user),
      paths: merchantPaths.filter((path) => !path.includes("$")),
    },
    {
      who: "operator",
      as: await Browser.signIn({ server }, await newPerson({ pool }, null)),
      paths: (await findPaths("operator", "everyone")).map(fill),
    },
  ];
}

/** The paths of the pages of some audiences. */
async function findPaths(...audiences: readonly string[]): Promise<string[]> {
  const { PAGES } = (await import(AREAS)) as { readonly PAGES: readonly { audience: string; path: string }[] };
  return PAGES.filter(({ audience }) => audiences.includes(audience)).map(({ path }) => path);
}

async function findIds(pool: OwnedPool, { merchant, ...business }: Business): Promise<Record<string, string>> {
  const newest = async (table: string, column: string, condition = "true"): Promise<string> => {
    const { rows } = await pool.query<{ id: bigint | null }>(
      `select max(${column}) as id from ${table} where merchant_id = $1 and ${condition}`,
      [merchant.merchantId],
    );
    return String(rows[0]!.id);
  };
  return {
    merchantId: String(merchant.merchantId),
    invoiceId: business.unpaidInvoiceId,
    transferId: business.reversedTransferId,
    approvalId: await newest("approval", "approval_id"),
    beneficiaryId: await newest("beneficiary", "beneficiary_id"),
    customerId: await newest("customer", "customer_id"),
    endpointId: await newest("webhook_endpoint", "endpoint_id"),
    franchiseId: await newest("franchise", "franchise_id"),
    subscriptionId: await newest("subscription", "subscription_id"),
    templateId: await newest("template", "template_id"),
  };
}

async function visitPages(
  chromium: TestBrowser,
  { who, as, paths }: Visit,
  variant: (typeof VARIANTS)[number],
  folder: string,
): Promise<void> {
  const opened = await chromium.newPage({ ...variant, ...(as && { as }) });
  for (const path of paths) {
    const name = `${who}${path.replaceAll(/[^\w]+/g, "-")}-${variant.language}-${variant.size}-${variant.mode}`;
    try {
      await opened.goTo(path);
      await opened.page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
      const width = await opened.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      if (width > 0) console.log(`${name}: scrolls sideways by ${width} pixels`);
      for (const problem of await opened.findProblems()) console.log(`${name}: ${problem}`);
    } catch (error) {
      console.log(`${name}: ${(error as Error).message}`);
    }
  }
  await opened.page.context().close();
}
