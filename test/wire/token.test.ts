// Access over real HTTP: keys for a token, and what becomes of tokens that are not in order. The rate limit is in
// rate-limit.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueToken } from "../../src/merchants/keys/access-key.ts";
import "../support/expect-wire.ts";
import { Installation, type Keys, type TestMerchant } from "../support/installation.ts";
import { nodalJson, type Answer } from "../support/nodal.ts";
import { SERVERS, untilAllKnow } from "../support/proxied-servers.ts";

const HOUR_MS = 60 * 60 * 1000;

let installation: Installation;
let merchant: TestMerchant;

beforeAll(async () => {
  installation = await Installation.start({ TRUST_PROXY: "127.0.0.1" });
  merchant = await installation.newMerchant({ fund: "100.00" });
});
afterAll(() => installation.stop());

/** Reads the balance with a token, from an address (as a trusted proxy reports it). */
function readBalance(token: string, address?: string): Promise<Answer> {
  const forwarded = address === undefined ? {} : { "x-forwarded-for": address };
  return installation.send("GET", "/api/v1/payout/balance", undefined, {
    authorization: `Bearer ${token}`,
    ...forwarded,
  });
}

async function issue(keys: Keys, address: string): Promise<string> {
  const answer = await installation.send("POST", "/api/token", keys, { "x-forwarded-for": address });
  expect(answer.status).toBe(200);
  return answer.body.success.token as string;
}

describe("POST /api/token", () => {
  const forms: Record<string, (keys: Keys) => unknown> = {
    "multipart form": ({ access_key_id, secret_access_key }) => {
      const form = new FormData();
      form.set("access_key_id", access_key_id);
      form.set("secret_access_key", secret_access_key);
      return form;
    },
    "urlencoded form": (keys) => new URLSearchParams(keys),
    JSON: (keys) => keys,
  };

  test.each(Object.keys(forms))("takes the keys as a %s", async (name) => {
    const answer = await installation.send("POST", "/api/token", forms[name]!(merchant.keys));
    expect(answer.status).toBe(200);
    expect(answer.body).toStrictEqual({ success: { token: expect.any(String) as string, mode: "sandbox" } });
    expect((await readBalance(answer.body.success.token as string)).status).toBe(200);
  });

  test.each(Object.keys(forms))("refuses wrong keys in a %s", async (name) => {
    const wrong = { ...merchant.keys, secret_access_key: `${merchant.keys.secret_access_key}x` };
    const answer = await installation.send("POST", "/api/token", forms[name]!(wrong));
    expect(answer.status).toBe(401);
    expect(answer.body).toStrictEqual({ error: "Invalid Keys", status: 0, code: "invalid_keys" });
  });

  test("refuses missing, malformed and unknown keys in the same two words, whatever is wrong with them", async () => {
    const { access_key_id, secret_access_key } = merchant.keys;
    const other = await installation.newMerchant();
    const wrong: unknown[] = [
      {},
      { access_key_id },
      { secret_access_key },
      { access_key_id: "", secret_access_key: "" },
      { access_key_id: null, secret_access_key: null },
      { access_key_id: 7, secret_access_key: 7 },
      { access_key_id: [access_key_id], secret_access_key: [secret_access_key] },
      { access_key_id: "nk_1_2_3", secret_access_key },
      { access_key_id: `${access_key_id}0`, secret_access_key },
      { access_key_id: access_key_id.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")), secret_access_key },
      { access_key_id: "nk_99999_9999999999999999999999_abc", secret_access_key },
      { access_key_id: "nk_999_9999999999999999_abcdefabcdef", secret_access_key },
      { access_key_id: "x".repeat(5000), secret_access_key: "y".repeat(5000) },
      { access_key_id: "\u0000' or 1=1 --", secret_access_key: "\u0000" },
      { access_key_id, secret_access_key: other.keys.secret_access_key },
      { access_key_id: other.keys.access_key_id, secret_access_key },
    ];
    for (const body of wrong) {
      const answer = await installation.send("POST", "/api/token", body);
      expect(answer.body, JSON.stringify(body).slice(0, 200)).toStrictEqual({
        error: "Invalid Keys",
        status: 0,
        code: "invalid_keys",
      });
      expect(answer.status).toBe(401);
    }
  });

  test("says so when the body can't be read at all", async () => {
    const malformed = await installation.send("POST", "/api/token", "{ access_key_id:");
    expect(malformed).toBeRefusal({ status: 400, code: "malformed_json" });
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const torn = await installation.send("POST", "/api/token", "--y\r\n\r\n", headers);
    expect([400, 401]).toContain(torn.status);
    const text = await installation.send("POST", "/api/token", "hello", { "content-type": "text/plain" });
    expect(text).toBeRefusal({ status: 415, code: "unsupported_media_type" });
  });

  test("leaves earlier tokens valid", async () => {
    const second = await issue(merchant.keys, "127.0.0.1");
    expect(second).not.toBe("");
    expect((await readBalance(merchant.token)).status).toBe(200);
    expect((await readBalance(second)).status).toBe(200);
  });
});

describe("a bearer token", () => {
  test("is required on every route that takes a token, before anything else is looked at", async () => {
    const routes = [
      ["POST", "/api/v1/beneficiary/save"],
      ["POST", "/api/v1/beneficiary/transfer"],
      ["POST", "/api/v1/beneficiary/detail"],
      ["POST", "/api/v1/payout/withdraw"],
      ["GET", "/api/v1/beneficiary/list"],
      ["GET", "/api/v1/payout/balance"],
      ["GET", "/api/v1/payout/transferstatus/transferid/1"],
      ["GET", "/api/v1/payout/transferstatus/nonsense/1"],
    ] as const;
    for (const [method, path] of routes) {
      const body = method === "POST" ? "{ not json" : undefined;
      expect(await installation.send(method, path, body)).toBeRefusal({ status: 401, code: "missing_token" });
      const bad = await installation.send(method, path, body, { authorization: "Bearer abc" });
      expect(bad).toBeRefusal({ status: 401, code: "invalid_token" });
      expect(bad.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test.each(["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Token abc"])("is missing in %j", async (authorization) => {
    const answer = await installation.send("GET", "/api/v1/payout/balance", undefined, { authorization });
    expect(answer).toBeRefusal({ status: 401, code: "missing_token" });
  });

  test("is refused when any part of it was changed", async () => {
    const parts = merchant.token.split(".");
    const other = (await installation.newMerchant()).token.split(".");
    const swap = (index: number, value: string) => parts.with(index, value).join(".");
    const last = parts.length - 1;
    const tampered = [
      swap(0, other[0]!),
      swap(1, String(Number(parts[1]) + 1)),
      swap(2, "AAAAAAAAAAAA"),
      swap(last, other[last]!),
      swap(last, ""),
      `${merchant.token}.x`,
      merchant.token.slice(0, -2),
      parts.slice(0, -1).join("."),
      "....",
      "x".repeat(2000),
    ];
    for (const token of tampered) expect(await readBalance(token)).toBeRefusal({ status: 401, code: "invalid_token" });
  });

  test("runs out after 60 minutes", async () => {
    const secret = await installation.readSecret();
    const { access_key_id } = merchant.keys;
    const old = issueToken(secret, access_key_id, "127.0.0.1", Date.now() - HOUR_MS - 1000);
    expect(await readBalance(old)).toBeRefusal({ status: 401, code: "expired_token" });
    const nearlyOld = issueToken(secret, access_key_id, "127.0.0.1", Date.now() - HOUR_MS + 30_000);
    expect((await readBalance(nearlyOld)).status).toBe(200);
  });

  test("of a key that never was is refused, even with the right signature", async () => {
    const token = issueToken(await installation.readSecret(), "nk_1_1_abcdefabcdef", "127.0.0.1", Date.now());
    expect(await readBalance(token)).toBeRefusal({ status: 401, code: "invalid_token" });
  });

  test("is bound to the address that asked for it", async () => {
    const token = await issue(merchant.keys, "203.0.113.7");
    expect((await readBalance(token, "203.0.113.7")).status).toBe(200);
    expect(await readBalance(token, "203.0.113.8")).toBeRefusal({ status: 401, code: "token_ip_mismatch" });
    expect(await readBalance(token)).toBeRefusal({ status: 401, code: "token_ip_mismatch" });
    expect(await readBalance(merchant.token, "203.0.113.7")).toBeRefusal({ status: 401, code: "token_ip_mismatch" });
  });

  test("takes an IPv4-mapped IPv6 address, and any spelling of an IPv6 one, as the same address", async () => {
    const token = await issue(merchant.keys, "203.0.113.9");
    for (const same of ["::ffff:203.0.113.9", "::FFFF:cb00:7109", "203.0.113.9:50000"]) {
      expect((await readBalance(token, same)).status, same).toBe(200);
    }
    const longToken = await issue(merchant.keys, "2001:db8:0:0:0:0:0:1");
    expect((await readBalance(longToken, "2001:db8::1")).status).toBe(200);
    expect((await readBalance(longToken, "2001:db8::2")).status).toBe(401);
  });

  test("believes only the nearest untrusted address of X-Forwarded-For", async () => {
    const token = await issue(merchant.keys, "198.51.100.1");
    expect((await readBalance(token, "203.0.113.99, 198.51.100.1")).status).toBe(200);
    expect(await readBalance(token, "198.51.100.1, 203.0.113.99")).toBeRefusal({
      status: 401,
      code: "token_ip_mismatch",
    });
  });
});

describe("access that is taken away", () => {
  test("ends the tokens of a revoked key within seconds, and leaves another key's", async () => {
    const revoked = await installation.newMerchant({ fund: "10.00" });
    const { id, keys } = revoked;
    const other = await nodalJson<Keys>(installation.environment, "key", "create", "--merchant", id);
    const otherToken = await issue(other, "127.0.0.1");
    expect((await revoked.balance()).status).toBe(200);
    await nodalJson(installation.environment, "key", "revoke", "--merchant", id, "--key", keys.access_key_id);
    expect(await revoked.balanceWith(403)).toBeRefusal({ status: 403, code: "access_denied" });
    // What one server refuses, another may take for the rest of the second that it remembers keys for.
    await untilAllKnow();
    for (let server = 0; server < SERVERS; server += 1) {
      const newToken = await installation.send("POST", "/api/token", keys);
      expect(newToken).toBeRefusal({ status: 403, code: "access_denied" });
      expect(await revoked.balance()).toBeRefusal({ status: 403, code: "access_denied" });
    }
    expect((await readBalance(otherToken)).status).toBe(200);
  });

  test("refuses a suspended merchant everything until it is let back in", async () => {
    const suspended = await installation.newMerchant({ fund: "10.00" });
    const beneficiary_id = await suspended.addBeneficiary();
    await nodalJson(installation.environment, "merchant", "set", "--merchant", suspended.id, "--suspend");
    await untilAllKnow();
    const answers = [
      await suspended.balanceWith(403),
      await suspended.list(),
      await suspended.transfer({ beneficiary_id, amount: "1.00", reference_id: "while-suspended" }),
      await installation.send("POST", "/api/token", suspended.keys),
    ];
    for (const answer of answers) expect(answer).toBeRefusal({ status: 403, code: "access_denied" });
    await nodalJson(installation.environment, "merchant", "set", "--merchant", suspended.id, "--activate");
    await untilAllKnow();
    expect((await suspended.balanceWith(200)).body).toMatchObject({ balance: "10.00" });
  });
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
