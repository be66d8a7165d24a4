// The client library in sdk/ against a running server, over a network that loses answers.
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  AuthenticationError,
  ConnectionError,
  InvalidRequestError,
  NodalClient,
  NotFoundError,
  RateLimitError,
  UnprocessableError,
  verifyWebhook,
  type ClientOptions,
  type Retry,
} from "../sdk/index.ts";
import { REPOSITORY } from "./support/files.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "./support/installation.ts";
import { Invoices, PAYMENT } from "./support/invoices.ts";

type Fetch = typeof fetch;
type Sent = { readonly path: string; readonly key: string | null; readonly token: string | null };

let installation: Installation;
let merchant: TestMerchant;

beforeAll(async () => {
  installation = await Installation.shared();
  merchant = await installation.newMerchant({ fund: "1000.00" });
});
afterAll(() => installation.stop());

/** A client of the merchant, and what it has sent; `network` may break what passes. */
function clientOf(
  network: (send: () => Promise<Response>, path: string) => Promise<Response> = (send) => send(),
  options: Partial<ClientOptions> = {},
  { keys }: Pick<TestMerchant, "keys"> = merchant,
) {
  const sent: Sent[] = [];
  const through: Fetch = (url, init) => {
    const path = new URL(url as string).pathname;
    const headers = new Headers(init!.headers);
    sent.push({ path, key: headers.get("idempotency-key"), token: headers.get("authorization") });
    return network(() => fetch(url, init), path);
  };
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = keys;
  const baseUrl = `${installation.server.baseUrl}/`;
  const client = new NodalClient({ baseUrl, accessKeyId, secretAccessKey, fetch: through, maxPauseMs: 50, ...options });
  return { client, sent };
}

async function expectError(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => expect.unreachable("it was taken"),
    (error: unknown) => error as Error,
  );
}

/** The first `count` requests to other paths than the token's end as `how` says; the others pass. */
function failing(count: number, how: (send: () => Promise<Response>) => Promise<Response>) {
  let left = count;
  return (send: () => Promise<Response>, path: string): Promise<Response> => {
    if (path === "/api/token" || left === 0) return send();
    left -= 1;
    return how(send);
  };
}

const lost = async (send: () => Promise<Response>): Promise<never> => {
  await send();
  throw new TypeError("fetch failed");
};

describe("requests", () => {
  test("take a token, which is asked for once, or keys in the body", async () => {
    const { client, sent } = clientOf();
    const [balance] = await Promise.all([client.getBalance(), client.listBeneficiaries({ limit: 1 })]);
    expect(balance.available_balance).toBe("1000.00");
    const saved = await client.saveCustomers({ customer: [{ customer_code: "SDK", customer_name: "Ravi" }] });
    expect(saved.srvrsp[0]![0]!.customer_code).toBe("SDK");
    expect(sent.map(({ path }) => path).filter((path) => path === "/api/token")).toHaveLength(1);
    expect(sent.find(({ path }) => path.endsWith("customer/save"))).toMatchObject({ token: null });
  });

  test("get another token where theirs is not taken any more, once", async () => {
    let isRefused = true;
    const { client, sent } = clientOf(async (send, path) => {
      const answer = await send();
      if (path === "/api/token" && isRefused) {
        isRefused = false;
        return Response.json({ success: { token: "nt_sandbox_ended" } });
      }
      return answer;
    });
    expect((await client.getBalance()).status).toBe("1");
    expect(sent.map(({ path }) => path)).toEqual([
      "/api/token",
      "/api/v1/payout/balance",
      "/api/token",
      "/api/v1/payout/balance",
    ]);
  });

  test("with wrong keys fail at once, in both kinds", async () => {
    const { client, sent } = clientOf(undefined, { secretAccessKey: "wrong" });
    for (const refused of [client.getBalance(), client.listInvoices()]) {
      const error = await expectError(refused);
      expect(error).toBeInstanceOf(AuthenticationError);
      expect(error).toMatchObject({
        status: 401,
        code: "invalid_keys",
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      });
    }
    expect(sent).toHaveLength(2);
  });
});

describe("a lost answer", () => {
  test("moves money once: the same key is sent again", async () => {
    const beneficiaryId = await merchant.addBeneficiary();
    const { client, sent } = clientOf(failing(2, lost));
    const before = await merchant.available();
    const { withdrawal_status: _, ...paid } = {
      withdrawal_status: "",
      ...(await client.createTransfer({ beneficiary_id: beneficiaryId, amount: "10.00", reference_id: "sdk-1" })),
    };
    expect(paid.transfer_status).toBe("SUCCESS");
    const tries = sent.filter(({ path }) => path.endsWith("/transfer"));
    expect(tries).toHaveLength(3);
    expect(new Set(tries.map(({ key }) => key)).size).toBe(1);
    expect(tries[0]!.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(Number(before) - Number(await merchant.available())).toBe(10);
  });

  test("saves a customer once", async () => {
    const { client } = clientOf(failing(1, lost));
    const saved = await client.saveCustomers({ customer: [{ customer_code: "ONCE", customer_name: "Meera" }] });
    expect(saved.srvrsp[0]).toHaveLength(1);
    expect((await client.findCustomer({ customer_code: "ONCE" })).total_records).toBe(1);
  });

  test("that stays lost is an error with the key, and what takes no key is not sent again", async () => {
    const { client, sent } = clientOf(failing(9, lost), { maxAttempts: 2 });
    const customer = [{ customer_code: "GONE", customer_name: "Asha" }];
    const error = await expectError(client.saveCustomers({ customer }, { idempotencyKey: "mine" }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ idempotencyKey: "mine" });
    expect(sent.filter(({ key }) => key === "mine")).toHaveLength(2);
    sent.length = 0;
    expect(await expectError(client.cancelScheduledTransfer({ reference_id: "none" }))).toBeInstanceOf(ConnectionError);
    expect(sent.filter(({ path }) => path.endsWith("/cancel"))).toHaveLength(1);
  });
});

test("onRetry is told of each retry, why it is made and under which key", async () => {
  const told: Retry[] = [];
  const { client } = clientOf(failing(2, lost), { onRetry: (retry) => told.push(retry) });
  const customer = [{ customer_code: "TOLD", customer_name: "Asha" }];
  await client.saveCustomers({ customer }, { idempotencyKey: "told-1" });
  const path = "/api/v1/merchant/customer/save";
  expect(told).toMatchObject([1, 2].map((attempt) => ({ method: "POST", path, attempt, idempotencyKey: "told-1" })));
  for (const { error, pauseMs } of told) {
    expect(error).toBeInstanceOf(ConnectionError);
    expect(pauseMs).toBeGreaterThan(0);
  }
  const ending = clientOf(failing(1, lost), {
    onRetry: () => {
      throw new Error("enough");
    },
  });
  expect((await expectError(ending.client.getBalance())).message).toBe("enough");
});

test("its package, made as the README says, works in a project of plain JavaScript", async () => {
  const folder = await mkdtemp(join(tmpdir(), "nodal-package-"));
  try {
    const run = promisify(execFile);
    const sdk = join(REPOSITORY, "sdk");
    const { stdout } = await run("npm", ["pack", "--json", "--silent", "--pack-destination", folder], { cwd: sdk });
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ filename: string }];
    const place = join(folder, "node_modules/nodal-client");
    await mkdir(place, { recursive: true });
    await run("tar", ["-xzf", join(folder, filename), "-C", place, "--strip-components=1"]);
    await symlink(join(REPOSITORY, "node_modules/standardwebhooks"), join(folder, "node_modules/standardwebhooks"));
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = merchant.keys;
    const options = { baseUrl: installation.server.baseUrl, accessKeyId, secretAccessKey };
    const program = `import { NodalClient } from "nodal-client";
      console.log((await new NodalClient(${JSON.stringify(options)}).getBalance()).status);`;
    await writeFile(join(folder, "program.mjs"), program);
    expect((await run(process.execPath, ["program.mjs"], { cwd: folder })).stdout).toBe("1\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

describe("refusals", () => {
  test("for now are waited for as the server asks, and no longer than the client may", async () => {
    const limited = async (): Promise<Response> =>
      Response.json(
        { status: 0, error: "Wait.", code: "rate_limited" },
        { status: 429, headers: { "retry-after": "1" } },
      );
    const patient = clientOf(failing(1, limited), { maxPauseMs: 5000 });
    const startedAt = performance.now();
    expect((await patient.client.getBalance()).status).toBe("1");
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    const error = await expectError(clientOf(failing(1, limited), { maxPauseMs: 500 }).client.getBalance());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 1000 });
  });

  test("have their kind, their code and every member that is wrong, in both forms", async () => {
    const { client } = clientOf();
    const wrong = await expectError(
      client.createTransfer({ beneficiary_id: "x", amount: "-1", reference_id: "sdk-2" }),
    );
    expect(wrong).toBeInstanceOf(InvalidRequestError);
    expect((wrong as InvalidRequestError).errors.map(({ field }) => field)).toEqual(["beneficiary_id", "amount"]);
    const missing = await expectError(client.getInvoice({ invoice_id: "R000000001" }));
    expect(missing).toBeInstanceOf(NotFoundError);
    expect(missing).toMatchObject({ code: "invoice_not_found", status: 404 });
    const date = await expectError(client.saveInvoices({ invoice: [{ bill_date: "never", due_date: "2026-06-01" }] }));
    expect((date as InvalidRequestError).errors[0]).toMatchObject({ field: "invoice[0].bill_date", code: "invalid" });
    const beneficiary = await merchant.addBeneficiary({ upi: "sdk@upi" });
    const poor = client.createTransfer({ beneficiary_id: beneficiary, amount: "99999.00", reference_id: "sdk-3" });
    expect(await expectError(poor)).toMatchObject({ code: "insufficient_balance", name: UnprocessableError.name });
  });

  test("of a proxy have its status and what it said", async () => {
    const { client } = clientOf(failing(1, async () => new Response("<h1>Bad gateway</h1>", { status: 502 })));
    expect(await expectError(client.getBalance())).toMatchObject({
      status: 502,
      code: "unknown",
      body: "<h1>Bad gateway</h1>",
    });
  });
});

test("iterators go through every page", async () => {
  const { merchant: equipped } = await Invoices.ofNewMerchant(installation);
  await equipped.addBeneficiary();
  const { client, sent } = clientOf(undefined, {}, equipped);
  const customers = ["A", "B", "C"].map((code) => ({ customer_code: `IT-${code}`, customer_name: "Page Turner" }));
  await client.saveCustomers({ customer: customers });
  const invoice = {
    bill_date: "2026-06-01",
    due_date: "2026-06-15",
    particular_rows: [{ item: "Work", total_amount: "5.00" }],
  };
  const saved = await client.saveInvoices({
    invoice: customers.map(({ customer_code }) => ({ ...invoice, customer_code })),
  });
  await client.settleInvoice({ invoice_id: saved.srvrsp[0]!.invoice_id, amount: "5.00", ...PAYMENT, mode: "Online" });
  const listed = await Array.fromAsync(client.invoices({}, { pageSize: 2 }));
  expect(listed.map(({ customer_code: code }) => code)).toEqual(["IT-C", "IT-B", "IT-A"]);
  expect(sent.filter(({ path }) => path.endsWith("invoice/getlist"))).toHaveLength(2);
  const found = await Array.fromAsync(client.customers({ searchby: "name", keyword: "turner" }, { pageSize: 1 }));
  expect(found).toHaveLength(3);
  const [first] = await Array.fromAsync(client.beneficiaries({ pageSize: 1 }));
  expect(first).toMatchObject({ bank_account_no: GOOD_ACCOUNT.account_number });
});

describe("a webhook", () => {
  const secret = `whsec_${Buffer.from("a secret of thirty-two characters").toString("base64")}`;
  const body = JSON.stringify({ type: "invoice.paid", sequence: 7, merchant_id: "1", data: { amount: "₹5" } });

  function headersOf(sentAt: number, signedBody = body): Record<string, string> {
    const timestamp = String(Math.floor(sentAt / 1000));
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const signature = createHmac("sha256", key).update(`evt_1.${timestamp}.${signedBody}`).digest("base64");
    return { "Webhook-Id": "evt_1", "Webhook-Timestamp": timestamp, "Webhook-Signature": `v1,${signature}` };
  }

  test("is taken with one of the secrets, as text or bytes", () => {
    const headers = headersOf(Date.now());
    const other = `whsec_${Buffer.from("another secret").toString("base64")}`;
    expect(verifyWebhook(body, headers, secret).type).toBe("invoice.paid");
    expect(verifyWebhook(Buffer.from(body), new Headers(headers), [other, secret])).toMatchObject({ sequence: 7 });
  });

  test("is refused when it was changed, is old, or is signed by another", () => {
    expect(() => verifyWebhook(`${body} `, headersOf(Date.now()), secret)).toThrow(/signature/i);
    expect(() => verifyWebhook(body, headersOf(Date.now() - 600_000), secret)).toThrow(/timestamp/i);
    expect(() => verifyWebhook(body, headersOf(Date.now(), "else"), secret)).toThrow(/signature/i);
    expect(() => verifyWebhook(body, {}, secret)).toThrow(/headers/i);
    expect(() => verifyWebhook(body, headersOf(Date.now()), [])).toThrow(/secret/);
  });
});
