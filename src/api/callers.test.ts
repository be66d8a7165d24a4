// Recognizing requests from our own pages, and cookies that browsers accept.
import { expect, test } from "vitest";
import { checkSameOrigin, cookieModeOf, type Caller } from "./callers.ts";

const PUBLIC_URL = "https://pay.example.com/";

function caller(headers: Caller["headers"], protocol = "http"): Caller {
  return { headers, host: "10.0.0.5:8080", protocol };
}

test.each<[string, Caller["headers"]]>([
  ["a program, which sends no origin", {}],
  ["the address that the proxy shows", { origin: "https://pay.example.com", "sec-fetch-site": "same-origin" }],
  ["the address that is asked itself", { origin: "http://10.0.0.5:8080" }],
])("%s is taken", (_, headers) => expect(() => checkSameOrigin(caller(headers), PUBLIC_URL)).not.toThrow());

test.each<[string, Caller["headers"]]>([
  ["another site", { "sec-fetch-site": "cross-site" }],
  ["another host of the same site", { "sec-fetch-site": "same-site" }],
  ["another origin", { origin: "https://evil.example" }],
  ["another port", { origin: "https://pay.example.com:8443" }],
  ["no secure channel", { origin: "http://pay.example.com" }],
  ["a page without origin", { origin: "null" }],
])("%s is refused", (_, headers) => {
  expect(() => checkSameOrigin(caller(headers), PUBLIC_URL)).toThrow(expect.objectContaining({ code: "csrf_refused" }));
});

test("in production nobody signs in over plain http", () => {
  const production = true;
  expect(cookieModeOf(caller({}, "https"), production)).toBe("https");
  expect(cookieModeOf(caller({ origin: "https://pay.example.com" }), production)).toBe("https");
  for (const plain of [caller({}), caller({ origin: "http://pay.example.com" }, "https")]) {
    expect(() => cookieModeOf(plain, production)).toThrow(expect.objectContaining({ code: "tls_required" }));
    expect(cookieModeOf(plain, false)).toBe("http");
  }
});
