// The API's reference at /docs, in a browser: nobody is signed in, and the policy of the page holds.
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Installation } from "../support/installation.ts";

let installation: Installation;
let browser: TestBrowser;

beforeAll(async () => {
  installation = await Installation.shared();
  browser = await TestBrowser.shared(installation.server.baseUrl);
});
afterAll(async () => {
  await browser?.stop();
  await installation?.stop();
});

test("shows every operation, with an example and a try", async () => {
  const { page } = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${installation.server.baseUrl}/docs`);
  await page.locator(".opblock").first().waitFor();
  const { body } = await installation.send("GET", "/openapi.json");
  const { paths, webhooks } = body as { paths: Record<string, Record<string, { tags: [string] }>>; webhooks: object };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const drawn = page.locator(".opblock");
  const ofWebhooks = Object.keys(webhooks).length;
  expect(await drawn.count()).toBe(ofWebhooks);
  for (const tag of new Set(operations.map(({ tags }) => tags[0]))) {
    const heading = page.locator(`#operations-tag-${tag.replaceAll(" ", "_")}`);
    const count = operations.filter(({ tags }) => tags[0] === tag).length;
    await heading.click();
    await drawn.nth(ofWebhooks + count - 1).waitFor();
    expect(await drawn.count(), tag).toBe(ofWebhooks + count);
    await heading.click();
    await drawn.nth(ofWebhooks).waitFor({ state: "detached" });
  }
  await page.locator("#operations-tag-Payouts").click();
  await page.locator("#operations-Payouts-createTransfer .opblock-summary-control").click();
  await page.getByText('"reference_id": "order-1"').first().waitFor();
  await page.getByRole("button", { name: "Try it out" }).click();
  await page.getByRole("button", { name: "Execute" }).click();
  // Without a token it is refused, which the page shows: so the answer has come from this server.
  await page.getByText("missing_token").first().waitFor();
  expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
});

test("is dark where the reader's system is, and has room on a phone", async () => {
  for (const [mode, isDark] of [
    ["dark", true],
    ["light", false],
  ] as const) {
    const opened = await browser.newPage({ mode, size: "phone" });
    await opened.goTo("/docs");
    await opened.page.locator(".opblock").first().waitFor();
    const brightness = await opened.page.evaluate<number[]>(
      `[getComputedStyle(document.documentElement).backgroundColor,
        getComputedStyle(document.querySelector(".swagger-ui .info .title")).color]
        .map((colour) => Math.max(...colour.match(/[0-9]+/g).slice(0, 3).map(Number), colour.endsWith(", 0)") ? 255 : 0))`,
    );
    const [ground, text] = brightness as [number, number];
    expect([ground < 100, text > 150], mode).toEqual([isDark, isDark]);
    expect(await opened.page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await opened.picture(`docs-phone-${mode}`);
    await opened.page.context().close();
  }
});

test("finds an operation in the list, opens it by its address, and sends it with the reader's token", async () => {
  const merchant = await installation.newMerchant({ fund: "590.00" });
  const opened = await browser.newPage();
  const { page } = opened;
  await opened.goTo("/docs");
  const links = page.getByRole("navigation", { name: "Operations" }).getByRole("link");
  await links.first().waitFor();
  const { paths } = (await installation.send("GET", "/openapi.json")).body as { paths: Record<string, object> };
  expect(await links.count()).toBe(Object.values(paths).flatMap((methods) => Object.keys(methods)).length);
  await page.getByLabel("Filter operations").fill("nothing like that");
  await page.getByText("No operation matches.").waitFor();
  await page.getByLabel("Filter operations").fill("getBalance");
  expect(await links.count()).toBe(1);
  await links.first().press("Enter");
  expect(new URL(page.url()).hash).toBe("#/Payouts/getBalance");
  const operation = page.locator("#operations-Payouts-getBalance");
  await operation.locator(".opblock-body").waitFor();
  await page.getByRole("button", { name: "Authorize" }).first().click();
  await page.getByLabel("auth-bearer-value").fill(merchant.token);
  await page.getByRole("button", { name: "Apply credentials" }).first().click();
  await page.getByRole("button", { name: "Close", exact: true }).first().click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  await operation.getByRole("button", { name: "Execute" }).click();
  await operation.locator(".live-responses-table").getByText("590.00").first().waitFor();
  await operation.getByText("JavaScript", { exact: true }).first().click();
  await operation.getByText("await fetch").first().waitFor();
  await opened.pictures("docs-operation");
  // What is sent on the left, the answer on the right; the list beside both.
  const left = async (selector: string): Promise<number> => (await page.locator(selector).first().boundingBox())!.x;
  expect(await left("#contents")).toBe(0);
  expect(await left("#operations-Payouts-getBalance .opblock-section")).toBeLessThan(600);
  expect(await left("#operations-Payouts-getBalance .responses-wrapper")).toBeGreaterThan(800);
});

/** Swagger UI's own: the button that opens an operation has a link to it inside. The list beside it has links of its own. */
const OF_SWAGGER_UI = "axe nested-interactive: <button aria-expanded=";

test("is accessible, and keeps to the policy of the page", async () => {
  for (const mode of ["light", "dark"] as const) {
    const opened = await browser.newPage({ mode });
    await opened.goTo("/docs#/Payouts/createTransfer");
    await opened.page.getByText('"reference_id": "order-1"').first().waitFor();
    await opened.picture(`docs-wide-${mode}`);
    const problems = await opened.findProblems();
    expect(
      problems.filter((problem) => !problem.startsWith(OF_SWAGGER_UI)),
      mode,
    ).toEqual([]);
    await opened.page.context().close();
  }
});
