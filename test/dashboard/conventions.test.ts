// What all routes below /api/v4 and /api/session have in common on the wire: docs/api.md
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEAD_PATHS, rawOf, type Raw } from "../support/raw-api.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/;
const anyText = expect.any(String) as unknown;

let installation: Installation;
let merchant: TestMerchant;
let owner: Raw;

beforeAll(async () => {
  installation = await Installation.shared();
  merchant = await installation.newMerchant({ fund: "1000.00" });
  owner = rawOf(installation, await Browser.signIn(installation, await newPerson(installation, merchant.id)));
});
afterAll(() => installation.stop());

/** The shape of an error, whose only other members may be `details`. */
const refusal = (code: string, fields: readonly string[] = [], details: object = {}) => ({
  error: {
    code,
    message: anyText,
    fields: fields.map((path) => ({ path, code: anyText, message: anyText })),
    docs: expect.stringMatching(/^docs\/[a-z/-]+\.md#[a-z-]+$/) as unknown,
    ...details,
  },
});

describe("an error", () => {
  test.each([
    ["an unknown address", "GET", "/nothing", undefined, 404, "not_found"],
    ["an unknown object", "GET", "/transfers/999999", undefined, 404, "transfer_not_found"],
    ["a wrong method", "PUT", "/transfers", {}, 405, "method_not_allowed"],
    ["a body that is no JSON", "POST", "/transfers", "{", 400, "malformed_json"],
    ["a body that is too large", "POST", "/transfers", `{"narrative":"${"x".repeat(70_000)}"}`, 413, "body_too_large"],
  ] as const)("of %s has the one shape", async (_, method, path, body, status, code) => {
    const answer = await owner(method, path, body);
    expect([answer.status, answer.body]).toEqual([status, refusal(code)]);
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("of a form instead of JSON, of nobody, of another site, and of an open route has it as well", async () => {
    const form = await owner("POST", "/transfers", new URLSearchParams({ amount: "1" }));
    expect([form.status, form.body]).toEqual([415, refusal("unsupported_media_type")]);
    const nobody = rawOf(installation);
    for (const path of DEAD_PATHS) expect((await nobody("GET", path)).body).toEqual(refusal("not_found"));
    expect(await nobody("GET", "/transfers")).toMatchObject({ status: 401, body: refusal("not_signed_in") });
    const foreign = await owner("POST", "/transfers", {}, { origin: "https://evil.example" });
    expect([foreign.status, foreign.body]).toEqual([403, refusal("csrf_refused")]);
    const signIn = await nobody("POST", "session:/sign-in", { email: "x" });
    expect([signIn.status, signIn.body]).toEqual([400, refusal("validation_failed", ["email", "password"])]);
  });

  test("lists every wrong field with its path, and has the members of its code", async () => {
    const wrong = await owner("POST", "/transfers", { amount: "-1", beneficiary_id: "x" });
    expect([wrong.status, wrong.body]).toEqual([
      400,
      refusal(
        "validation_failed",
        ["beneficiary_id", "amount", "reference_id", "mode"].filter((name) => name !== "mode"),
      ),
    ]);
    const payee = { name: "Asha Rao", account_number: "00112233445566", ifsc: "HDFC0000001" };
    const saved = await owner("POST", "/beneficiaries", payee);
    const again = await owner("POST", "/beneficiaries", payee);
    const details = { beneficiary_id: saved.body.beneficiary_id as unknown };
    expect([again.status, again.body]).toEqual([409, refusal("beneficiary_exists", [], details)]);
  });

  test("stays as it was in the older API", async () => {
    const answer = await installation.send("GET", "/api/v1/payout/nothing");
    expect(answer.body).toEqual({ status: 0, error: anyText, code: "not_found" });
  });
});

describe("a query parameter that a route does not know", () => {
  test.each([
    ["/transfers?statuss=PENDING", "statuss", "status"],
    ["/customers?limitt=5", "limitt", "limit"],
    ["/invoices.csv?form=2026-01-01", "form", "from"],
  ])("is refused: %s", async (path, name, nearest) => {
    const answer = await owner("GET", path);
    expect([answer.status, answer.body]).toEqual([400, refusal("validation_failed", [name])]);
    expect(answer.body.error.fields[0]).toMatchObject({ code: "unknown" });
    expect(answer.body.error.fields[0].message).toContain(`The nearest known name is ${nearest}.`);
  });

  test("is listed beside other wrong ones, also where a route takes none, and in a request that changes something", async () => {
    const both = await owner("GET", "/transfers?limit=x&statuss=1");
    expect(both.body).toEqual(refusal("validation_failed", ["statuss", "limit"]));
    for (const path of ["/roles?a=1", "session:?a=1"]) {
      expect((await owner("GET", path)).body).toEqual(refusal("validation_failed", ["a"]));
    }
    const group = await owner("POST", "/customer-groups?name=Gold", { name: "Gold" });
    expect([group.status, group.body]).toEqual([400, refusal("validation_failed", ["name"])]);
  });
});

describe("a member that a route does not know", () => {
  test("is a warning beside the answer, and the request is done", async () => {
    const saved = await owner("POST", "/customer-groups", { name: "Silver", nmae: "Gold", colour: null });
    expect(saved.status).toBe(200);
    expect(saved.body).toEqual({
      group_id: anyText,
      warnings: [
        {
          code: "unknown_member",
          field: "nmae",
          message: expect.stringContaining("The nearest known name is name.") as unknown,
        },
        {
          code: "unknown_member",
          field: "colour",
          message: expect.stringContaining("colour is not supported here") as unknown,
        },
      ],
    });
    const { body } = await owner("GET", "/customer-groups");
    expect(body.groups.map(({ name }: { name: string }) => name)).toContain("Silver");
  });

  test("is one also where a route knows no member; a body of known members has no warnings", async () => {
    const { body } = await owner("POST", "/customer-groups", { name: "Bronze" });
    expect(Object.keys(body)).toEqual(["group_id"]);
    const user = await newPerson(installation, merchant.id);
    const reset = await owner("POST", `/users/${user.id}/reset-password`, { passwort: "x" });
    expect(reset.body.warnings).toMatchObject([{ code: "unknown_member", field: "passwort" }]);
  });
});

test("times have the offset of the merchant's time zone; files keep theirs", async () => {
  const { body } = await owner("GET", "/statement");
  expect(body.lines.length).toBeGreaterThan(0);
  for (const { posted_at: at } of body.lines) expect(at).toMatch(RFC_3339);
  expect(body.lines[0].posted_at).toMatch(/\+05:30$/);
  const file = await owner("GET", "/statement.csv");
  expect(file.body).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
});

test("answers say what is left of the rate limit, also refusals and files", async () => {
  for (const path of ["/customers", "/customers?a=1", "/customers.csv", "/transfers/999999"]) {
    const { headers } = await owner("GET", path);
    const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
      Number(headers.get(`ratelimit-${name}`)),
    );
    // What a server takes ahead may be used for 5 s, and counts for a minute from then.
    expect([path, limit! > 0, remaining! < limit!, reset! <= 65]).toEqual([path, true, true, true]);
    expect(headers.get("x-request-id")).not.toBeNull();
  }
});
