// The client's methods of /api/v4, made from the OpenAPI document, against a running server.
import { afterAll, beforeAll, expect, test } from "vitest";
import { InvalidRequestError, NodalClient, NotFoundError, PermissionError, type Retry } from "../sdk/index.ts";
import { Installation, type TestMerchant } from "./support/installation.ts";
import { nodalJson } from "./support/nodal.ts";

type Keys = { readonly access_key_id: string; readonly secret_access_key: string };

let installation: Installation;
let merchant: TestMerchant;
let keys: Keys;

beforeAll(async () => {
  installation = await Installation.shared();
  merchant = await installation.newMerchant({ fund: "1000.00" });
  keys = await newKey(
    "customers.view,customers.manage,beneficiaries.view,beneficiaries.manage,payouts.view,payouts.transfer",
  );
});
afterAll(() => installation.stop());

function newKey(scopes: string): Promise<Keys> {
  return nodalJson<Keys>(installation.environment, "key", "create", "--merchant", merchant.id, "--scopes", scopes);
}

/** A client whose first answers are lost, and the paths that it has asked for. */
function clientOf(
  given: Keys,
  { lost = 0, onRetry = () => {} }: { lost?: number; onRetry?: (retry: Retry) => void } = {},
) {
  const sent: string[] = [];
  let left = lost;
  const through: typeof fetch = async (url, init) => {
    const { pathname, search } = new URL(url as string);
    sent.push(`${init!.method} ${pathname}${search}`);
    const answer = await fetch(url, init);
    if (left === 0) return answer;
    left -= 1;
    throw new TypeError("fetch failed");
  };
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = given;
  const { baseUrl } = installation.server;
  return {
    client: new NodalClient({ baseUrl, accessKeyId, secretAccessKey, fetch: through, maxPauseMs: 50, onRetry }),
    sent,
  };
}

test("a resource creates, changes, reads and lists", async () => {
  const { v4 } = clientOf(keys).client;
  const { customer_id: id } = await v4.customers.create({ customer_code: "V4-1", customer_name: "Ravi Kumar" });
  await v4.customers.update(id, { city: "Pune" });
  expect((await v4.customers.get(id)).customer).toMatchObject({ customer_code: "V4-1", city: "Pune" });
  expect((await v4.customers.list({ search: "V4-1" })).customers).toHaveLength(1);
});

test("an iterator reads page after page, and every record once", async () => {
  const { client, sent } = clientOf(keys);
  const accounts = ["1", "2", "3", "4", "5"].map((digit) => `5010001234500${digit}`);
  for (const account_number of accounts) {
    await client.v4.beneficiaries.create({ name: `Payee ${account_number}`, account_number, ifsc: "HDFC0001234" });
  }
  const found = await Array.fromAsync(client.v4.beneficiaries.all({ limit: 2 }));
  expect(new Set(found.map(({ beneficiary_id }) => beneficiary_id)).size).toBe(5);
  expect(sent.filter((path) => path.startsWith("GET /api/v4/beneficiaries?"))).toHaveLength(3);
});

test("a lost answer is asked for again under the same key, and money moves once", async () => {
  const retries: Retry[] = [];
  const { client } = clientOf(keys, { lost: 1, onRetry: (retry) => retries.push(retry) });
  const beneficiaryId = await merchant.addBeneficiary({ upi: "sdk-v4@upi" });
  const before = Number(await merchant.available());
  const transfer = { beneficiary_id: beneficiaryId, amount: "10.00", reference_id: "v4-1", mode: "upi" } as const;
  const { transfer_id: id } = await client.v4.transfers.create(transfer);
  expect(before - Number(await merchant.available())).toBe(10);
  expect(retries).toMatchObject([{ method: "POST", path: "/api/v4/transfers", attempt: 1 }]);
  expect(retries[0]!.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  expect((await client.v4.transfers.get(id)).amount).toBe("10.00");
});

test("files come as bytes, and are sent as bytes", async () => {
  const { v4 } = clientOf(keys).client;
  const csv = new TextDecoder().decode(await v4.customers.csv());
  expect(csv.split("\r\n")[0]).toContain("customer_code");
  const sample = await v4.beneficiaryFiles.sample();
  expect((await v4.beneficiaryFiles.preview(sample)).lines).toBeGreaterThan(0);
});

test("refusals have their kind and name the fields", async () => {
  const { v4 } = clientOf(keys).client;
  const refused = async (sent: Promise<unknown>): Promise<unknown> => {
    try {
      await sent;
    } catch (error) {
      return error;
    }
    throw new Error("it was taken");
  };
  const wrong = await refused(v4.customers.create({ customer_code: "V4-2", customer_name: "x".repeat(201) }));
  expect(wrong).toBeInstanceOf(InvalidRequestError);
  expect(wrong).toMatchObject({ code: "validation_failed", errors: [{ field: "customer_name", code: "too_long" }] });
  expect(await refused(v4.customers.get("1"))).toBeInstanceOf(NotFoundError);
  const narrow = clientOf(await newKey("customers.view")).client;
  expect(await refused(narrow.v4.transfers.list())).toBeInstanceOf(PermissionError);
});
