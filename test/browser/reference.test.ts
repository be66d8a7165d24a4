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
