// The frame of the dashboard in a browser: what is served, under which policy, how large, and the pages before signing
// in. Walks through the pages are the other files of this folder.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Installation } from "../support/installation.ts";

let site: Installation;
let browser: TestBrowser;
beforeAll(async () => {
  site = await Installation.shared();
  browser = await TestBrowser.shared(site.server.baseUrl);
});
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(site.server.baseUrl + path, { headers });

describe("what is served", () => {
  test.each(["/", "/sign-in", "/security", "/m/123", "/m/123/security/anything"])("%s is the page", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-cache");
  });

  test.each(["/nothing", "/api/nothing", "/assets/nothing.js", "/signin", "/m"])(
    "%s is nothing, in JSON for a program",
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: "not_found" });
    },
  );

  const byBrowser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
  test.each(["/nothing", "/signin", "/m", "/docs/nothing", "/i", "/a/b?c=<script>"])(
    "%s is nothing, as a page for a person",
    async (path) => {
      const answer = await get(path, byBrowser);
      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self';");
      expect(
        (await fetch(site.server.baseUrl + path, { method: "POST", headers: byBrowser })).headers.get("content-type"),
      ).toContain("application/json");
    },
  );

  test.each(["/api", "/api/nothing", "/api/v1/merchant/nothing", "/api/v4/nothing", "/api/session/nothing"])(
    "%s stays the API's",
    async (path) => {
      const answer = await get(path, byBrowser);
      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toContain("application/json");
    },
  );

  test("nothing runs or applies but what the server sent itself", async () => {
    const [first, second] = [await get("/"), await get("/sign-in")];
    const policy = first.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(second.headers.get("content-security-policy")).not.toBe(policy);
    const nonce = /'nonce-([^']+)'/.exec(policy)![1]!;
    expect(await first.text()).toContain(nonce);
    expect(first.headers.get("x-content-type-options")).toBe("nosniff");
    expect(first.headers.get("cross-origin-opener-policy")).toBe("same-origin");
  });

  test("assets are kept for ever, and come compressed for who takes that", async () => {
    const path = /rel="modulepreload"[^>]* href="([^"]+\/start-[^"]+)"/.exec(await (await get("/")).text())![1]!;
    const sizes = await Promise.all(
      ["br", "gzip", "identity", "br;q=0, identity"].map(async (encoding) => {
        const answer = await get(path, { "accept-encoding": encoding });
        expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
        expect(answer.headers.get("vary")).toBe("accept-encoding");
        return [answer.headers.get("content-encoding"), Number(answer.headers.get("content-length"))] as const;
      }),
    );
    expect(sizes.map(([encoding]) => encoding)).toEqual(["br", "gzip", null, null]);
    expect(sizes[0]![1]).toBeLessThan(sizes[1]![1]);
    expect(sizes[1]![1]).toBeLessThan(sizes[2]![1] / 2);
  });
});

describe("before signing in", () => {
  /** The server's answer to who nobody knows. */
  const nobody = { status: 401, json: { error: { code: "not_signed_in", message: "Sign in to go on.", fields: [] } } };
  const open = async (path: string, options: Parameters<TestBrowser["newPage"]>[0]) => {
    const opened = await browser.newPage(options);
    await opened.page.route("**/api/session", (route) => route.fulfill(nobody));
    await opened.goTo(path);
    return opened;
  };

  test.each([
    ["wide", "light"],
    ["phone", "dark"],
  ] as const)("every page can be used, %s and %s", async (size, mode) => {
    for (const path of ["/sign-in", "/forgot-password", "/reset-password#token", "/reset-password"]) {
      const opened = await open(path, { size, mode });
      await opened.page.getByRole("heading", { level: 1 }).waitFor();
      await opened.picture(`${path.replaceAll(/\W/g, "")}-${size}-${mode}`);
      expect(await opened.findProblems(), path).toEqual([]);
      const width = await opened.page.evaluate("document.documentElement.scrollWidth");
      expect(width, `${path} does not scroll sideways`).toBe(size === "phone" ? 360 : 1440);
      await opened.page.close();
    }
  });

  test.each([
    ["wide", "light"],
    ["phone", "dark"],
  ] as const)("an address that leads nowhere says so, and leads home, %s and %s", async (size, mode) => {
    const opened = await open("/signin", { size, mode });
    await opened.page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    await opened.picture(`nothing-${size}-${mode}`);
    // The browser notes the 404 of the address itself.
    expect(await opened.findProblems()).toEqual([expect.stringMatching(/^console: .*404/)]);
    await opened.page.getByRole("link", { name: "Go to home page" }).click();
    await opened.page.getByLabel("E-mail").waitFor();
  });

  test("a page of somebody leads to sign-in, which remembers the way back, in under 400 KB", async () => {
    const opened = await open("/security?tab=1", {});
    await opened.page.getByLabel("E-mail").waitFor();
    expect(new URL(opened.page.url()).pathname).toBe("/sign-in");
    expect(new URL(opened.page.url()).searchParams.get("next")).toBe("/security?tab=1");
    expect(opened.transferredBytes).toBeGreaterThan(50_000);
    expect(opened.transferredBytes).toBeLessThan(400_000);
    expect(await opened.findProblems()).toEqual([]);
  });

  test("what is wrong on a page is found", async () => {
    const opened = await open("/sign-in", {});
    const complaint = opened.page.waitForEvent("console");
    const bad = "<img src='https://example.com/x.png'><input>";
    await opened.page.evaluate(`document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(bad)})`);
    await complaint;
    expect(await opened.findProblems()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^console: .*Content Security Policy/),
        expect.stringMatching(/^axe image-alt/),
        expect.stringMatching(/^axe label/),
      ]),
    );
  });
});
