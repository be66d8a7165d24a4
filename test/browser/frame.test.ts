// The frame of the dashboard in a browser: what is served, under which policy, how large, and the pages before signing in.
// What belongs here: what holds without an account. Walks through the pages are the other files of this folder.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBrowser } from "../support/browser.ts";
import { Installation } from "../support/installation.ts";

let site: Installation;
let browser: TestBrowser;
beforeAll(async () => {
  site = await Installation.start();
  browser = await TestBrowser.start(site.server.baseUrl);
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
    "%s is nothing, in JSON",
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: "not_found" });
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
    const path = /src="([^"]+)"/.exec(await (await get("/")).text())![1]!;
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
