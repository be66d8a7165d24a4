// The command line as an operator has it: real processes on a real database, with the server stopped and running. The
// checks of `verify` are tested beside it.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  makeDataDir,
  MerchantClient,
  nodal,
  nodalJson,
  nodalProcess,
  NodalProcess,
  removeDataDir,
  send,
  TEST_MASTER_KEY,
  type Environment,
} from "./support/nodal.ts";

type NewMerchant = { merchant_id: string; access_key_id: string; secret_access_key: string };
type Merchant = Record<string, string | boolean | number | null> & { merchant_id: string };
type Seeded = NewMerchant & { beneficiary_id: string };

const NEW_MERCHANT = ["merchant", "create", "--name", "Asha Traders", "--email", "asha@example.com"];

let dataDir: string;
let environment: Environment;

beforeAll(async () => {
  dataDir = await makeDataDir();
  environment = { DATA_DIR: dataDir };
});
afterAll(() => removeDataDir(dataDir));

function createMerchant(...options: string[]): Promise<NewMerchant & Merchant> {
  return nodalJson(environment, ...NEW_MERCHANT, ...options);
}

/** Runs a command that must fail: it says so on standard error alone, as one JSON value. */
async function refusal(...args: string[]): Promise<{ code: number; sentence: string }> {
  const { code, stdout, stderr } = await nodal(environment, ...args, "--json");
  expect(stdout).toBe("");
  expect(stderr).not.toMatch(/\n\s+at /);
  const { error: sentence } = JSON.parse(stderr) as { error: string };
  return { code, sentence };
}

/** Starts a command without waiting for its end. Its standard output is kept. */
function startCommand(settings: Environment, ...args: string[]): { child: ChildProcess; output: () => string } {
  const env = { PATH: process.env["PATH"] ?? "", NODAL_MASTER_KEY: TEST_MASTER_KEY, ...settings };
  const child = spawn(process.execPath, ["bin/nodal.js", ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output };
}

/** What each command answers is the same whether it starts the database itself or finds the server's. */
function commandTests(): void {
  test("merchant create, show, list", async () => {
    const options = [
      "--state",
      "Kerala",
      "--gstin",
      "33brspp2039t1zu",
      "--bank-account",
      "0012345678",
      "--ifsc",
      "hdfc0000001",
    ];
    const created = await createMerchant(...options, "--reveal");
    expect(created).toMatchObject({
      merchant_id: expect.stringMatching(/^[0-9]+$/),
      access_key_id: expect.stringMatching(/^nk_/),
      secret_access_key: expect.stringMatching(/^ns_/),
      name: "Asha Traders",
      gstin: "33BRSPP2039T1ZU",
      bank_account: "0012345678",
      ifsc: "HDFC0000001",
      status: "active",
      live: false,
    });
    const show = ["merchant", "show", "--merchant", created.merchant_id];
    const shown = await nodalJson<Merchant>(environment, ...show);
    const { access_key_id: _, template_id: _t, secret_access_key: secret, ...told } = created;
    const { user_email: _u, user_password: _p, sign_in_url: _s, ...revealed } = told;
    const profile = { ...revealed, bank_account: "XXXX5678" };
    const today = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
    const balances = { available_balance: "0.00", held_balance: "0.00", ledger_balance: "0.00" };
    expect(shown).toEqual({ ...profile, today, ...balances });
    expect(await nodalJson<Merchant>(environment, ...show, "--reveal")).toMatchObject(revealed);
    const list = await nodalJson<Merchant[]>(environment, "merchant", "list");
    expect(list.find((merchant) => merchant.merchant_id === created.merchant_id)).toEqual(profile);
    expect(JSON.stringify([shown, list])).not.toContain(secret);
  });

  test("merchant set changes what is given and nothing else", async () => {
    const { merchant_id: id } = await createMerchant("--city", "Kochi");
    const set = (...options: string[]) =>
      nodalJson<Merchant>(environment, "merchant", "set", "--merchant", id, ...options);
    const expected = {
      name: "Asha Traders",
      city: "Kochi",
      rate_limit_per_minute: 600,
      status: "suspended",
    };
    expect(await set("--rate-limit", "600", "--suspend")).toMatchObject({
      ...expected,
      waiting: { unsent_transfers: 0, unsent_amount: "0.00", transfers_at_bank: 0, approvals: 0 },
    });
    expect(await set("--fees", "platform")).toMatchObject({ ...expected, fees_paid_by: "platform" });
    expect(await set("--city", "", "--name", "आशा")).toMatchObject({ ...expected, city: "", name: "आशा" });
    expect(
      await set("--rate-limit", "default", "--activate", "--bank-account", "12345678", "--ifsc", "HDFC0000001"),
    ).toMatchObject({
      rate_limit_per_minute: null,
      status: "active",
      live: false,
      bank_account: "XXXX5678",
      name: "आशा",
    });
  });

  test("fund credits once for each reference", async () => {
    const { merchant_id: id } = await createMerchant();
    const fund = (amount: string, reference: string) => [
      "fund",
      "--merchant",
      id,
      "--amount",
      amount,
      "--reference",
      reference,
    ];
    const first = await nodalJson<Record<string, unknown>>(environment, ...fund("1000.00", "R 1"));
    expect(first).toMatchObject({ merchant_id: id, amount: "1000.00", reference: "R 1", repeated: false });
    expect(await nodalJson(environment, ...fund("1000", "R 1"))).toEqual({ ...first, repeated: true });
    const conflict = await refusal(...fund("1000.01", "R 1"));
    expect(conflict).toMatchObject({ code: 1, sentence: expect.stringContaining("another amount") });
    const shown = await nodalJson<Merchant>(environment, "merchant", "show", "--merchant", id);
    expect(shown).toMatchObject({ available_balance: "1000.00", ledger_balance: "1000.00" });
    const events = await nodalJson<Record<string, string>[]>(environment, "event", "list", "--merchant", id);
    expect(events).toMatchObject([{ type: "balance.funded", subject_id: first["funding_id"] }]);
    const { seq } = events[0]!;
    expect(await nodalJson(environment, "event", "list", "--merchant", id, "--after", seq!)).toEqual([]);
  });

  test("key create, list, revoke", async () => {
    const { merchant_id: id, access_key_id: firstKey } = await createMerchant();
    const terms = ["--name", "Payroll", "--scopes", "payouts.transfer,payouts.view", "--expires-on", "2190-03-31"];
    const from = ["--allow-from", "203.0.113.9,2001:db8::/32"];
    const key = await nodalJson<NewMerchant>(environment, "key", "create", "--merchant", id, ...terms, ...from);
    expect(key.secret_access_key).toMatch(/^ns_/);
    const revoke = ["key", "revoke", "--merchant", id, "--key", key.access_key_id];
    expect(await nodalJson(environment, ...revoke)).toEqual({
      merchant_id: id,
      access_key_id: key.access_key_id,
      revoked: true,
    });
    const keys = await nodalJson<Record<string, string | boolean | null>[]>(
      environment,
      "key",
      "list",
      "--merchant",
      id,
    );
    const [first, second] = keys;
    expect(first).toEqual({
      access_key_id: firstKey,
      name: "",
      scopes: expect.stringContaining("payouts.transfer"),
      allowed_addresses: "",
      expires_on: null,
      is_expired: false,
      created_at: expect.any(String),
      last_used_at: null,
      revoked_at: null,
    });
    expect(second).toMatchObject({
      access_key_id: key.access_key_id,
      name: "Payroll",
      scopes: "payouts.view,payouts.transfer",
      allowed_addresses: "203.0.113.9/32,2001:db8::/32",
      expires_on: "2190-03-31",
      revoked_at: expect.any(String),
    });
    expect(keys).toHaveLength(2);
    const { merchant_id: other } = await createMerchant();
    expect(await refusal("key", "revoke", "--merchant", other, "--key", firstKey)).toMatchObject({ code: 1 });
  });
}

describe("with the server stopped", () => {
  test("migrate makes the installation, also several at once, and database says where it is", async () => {
    const runs = await Promise.all([1, 2].map(() => nodalProcess(environment, "migrate", "--json")));
    const applied = runs.map(({ stdout }) => (JSON.parse(stdout) as { applied: string[] }).applied.length > 0);
    expect(applied).toContain(true);
    expect(applied).toContain(false);
    const database = await nodalJson<{ url: string; running: boolean }>(environment, "database");
    expect(database).toEqual({ url: expect.stringMatching(/^postgres:/), running: false });
    expect(await nodalJson(environment, "database")).toEqual(database);
    expect(await nodalJson(environment, "migrate")).toEqual({ database: environment["DATA_DIR"], applied: [] });
  });

  test("several commands at once, the first ones of the installation", async () => {
    const commands = [NEW_MERCHANT, NEW_MERCHANT, ["migrate"]];
    const [one, two] = await Promise.all(commands.map((words) => nodalProcess(environment, ...words, "--json")));
    const list = await nodalJson<Merchant[]>(environment, "merchant", "list");
    const ids = list.map((merchant) => merchant.merchant_id);
    for (const { stdout } of [one!, two!]) expect(ids).toContain((JSON.parse(stdout) as Merchant).merchant_id);
    expect(await nodalJson(environment, "database")).toMatchObject({ running: false });
  });

  commandTests();

  test("seed makes 1,000 merchants, again and again, and their books hold", async () => {
    const seeded = await nodalJson<Seeded[]>(environment, "seed", "--merchants", "1000", "--fund", "2500.50");
    const more = await nodalJson<Seeded[]>(environment, "seed", "--merchants", "7", "--fund", "1");
    const all = [...seeded, ...more];
    for (const name of ["merchant_id", "access_key_id", "secret_access_key", "beneficiary_id"] as const) {
      expect(new Set(all.map((item) => item[name])).size).toBe(1007);
    }
    const last = await nodalJson<Merchant>(environment, "merchant", "show", "--merchant", seeded[999]!.merchant_id);
    expect(last).toMatchObject({ available_balance: "2500.50" });
    expect(await nodalJson(environment, "verify")).toMatchObject({ ok: true });
    expect((await refusal("seed", "--merchants", "100001", "--fund", "1")).code).toBe(2);
  });

  test("an interrupted command stops the database that it started", async () => {
    const { child, output } = startCommand(environment, "seed", "--merchants", "100000", "--fund", "1", "--json");
    while (!(await nodalJson<{ running: boolean }>(environment, "database")).running) await sleep(50);
    child.kill("SIGTERM");
    await once(child, "close");
    expect({ code: child.exitCode, output: output() }).toEqual({ code: 143, output: "" });
    expect(await nodalJson(environment, "database")).toMatchObject({ running: false });
    expect(await nodalJson(environment, "verify")).toMatchObject({ ok: true });
  });
});

describe("with the server running", () => {
  let server: NodalProcess | undefined;
  beforeAll(async () => {
    server = await NodalProcess.start(environment);
  });
  afterAll(() => server?.stop());

  commandTests();

  test("the server follows: balance, book, suspension, further and revoked keys", async () => {
    const [seeded] = await nodalJson<Seeded[]>(environment, "seed", "--merchants", "1", "--fund", "500");
    const { merchant_id: id, access_key_id: firstKey, beneficiary_id } = seeded!;
    const client = await MerchantClient.signIn(server!.baseUrl, seeded!);
    const transfer = { beneficiary_id, amount: "100.50", reference_id: "T1" };
    const paid = await client.post("/api/v1/beneficiary/transfer", transfer);
    expect(paid.body).toMatchObject({ status: "1" });
    const book = await nodalJson<Record<string, unknown>[]>(environment, "simulator", "book", "--merchant", id);
    expect(book).toEqual([
      {
        transfer_id: String(paid.body.transfer_id),
        amount: "100.50",
        utr: expect.stringMatching(/^[0-9]{12}$/),
        mode: "IMPS",
        payee_name: "Asha Rao",
        account_number: "XXXX1191",
        ifsc: "YESB0000262",
        upi: "XXXX@upi",
        booked_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      },
    ]);
    const key = await nodalJson<NewMerchant>(environment, "key", "create", "--merchant", id);
    const second = await MerchantClient.signIn(server!.baseUrl, key);
    await nodalJson(environment, "key", "revoke", "--merchant", id, "--key", firstKey);
    await sleep(2500);
    expect((await client.get("/api/v1/payout/balance")).status).toBe(403);
    expect((await second.get("/api/v1/payout/balance")).body).toMatchObject({ balance: "399.50" });
    await nodalJson(environment, "merchant", "set", "--merchant", id, "--suspend");
    await sleep(2500);
    expect((await second.get("/api/v1/payout/balance")).status).toBe(403);
    expect((await send(server!.baseUrl, "POST", "/api/token", key)).status).not.toBe(200);
  });

  test("database says that it runs, a second server is refused, and the first keeps running", async () => {
    expect(await nodalJson(environment, "database")).toMatchObject({ running: true });
    expect(await refusal("start")).toMatchObject({ code: 1, sentence: expect.stringContaining("already running") });
    expect((await send(server!.baseUrl, "GET", "/readyz")).status).toBe(200);
  });

  test("links lead to it, whatever its port", async () => {
    const create = ["merchant", "create", "--name", "Asha Traders", "--email", "asha@example.com"];
    const { sign_in_url: url } = await nodalJson<{ sign_in_url: string }>(environment, ...create);
    expect(url.startsWith(`${server!.baseUrl}/sign-in?merchant=`), url).toBe(true);
  });
});

describe("what is not understood", () => {
  test.each([
    { args: ["frobnicate"], says: "unknown command" },
    { args: ["merchant", "frobnicate"], says: "unknown command" },
    { args: ["merchant", "list", "--frobnicate"], says: "unknown option" },
    { args: ["merchant", "list", "frobnicate"], says: "too many arguments" },
    { args: ["merchant", "show"], says: "--merchant is required" },
    { args: ["merchant", "show", "--merchant", "M1"], says: "--merchant must be" },
    { args: ["merchant", "set", "--merchant", "1"], says: "Nothing to change" },
    { args: ["merchant", "set", "--merchant", "1", "--name", ""], says: "--name is required" },
    { args: ["merchant", "set", "--merchant", "1", "--ifsc", "HDFC0000002"], says: "--bank-account is required" },
    { args: ["merchant", "set", "--merchant", "1", "--suspend", "--activate"], says: "cannot be used with" },
    { args: ["merchant", "set", "--merchant", "1", "--rate-limit", "0"], says: "--rate-limit must be" },
    { args: ["event", "list", "--merchant", "1", "--after", "-1"], says: "--after must be" },
    { args: ["fund", "--merchant", "1", "--reference", "r", "--amount", "-1"], says: "--amount must be" },
    { args: ["fund", "--merchant", "1", "--reference", "r", "--amount", "0"], says: "--amount must be" },
    { args: ["fund", "--merchant", "1", "--reference", "r", "--amount", "1e3"], says: "--amount must be" },
    { args: ["fund", "--merchant", "1", "--reference", "r", "--amount", "1.234"], says: "--amount must be" },
    { args: ["fund", "--merchant", "1", "--reference", "r", "--amount", "१००"], says: "--amount must be" },
    { args: ["fund", "--merchant", "1", "--reference", "a\u0007", "--amount", "1"], says: "--reference must not" },
    { args: ["fund", "--merchant", "1", "--reference", "x".repeat(65), "--amount", "1"], says: "--reference must be" },
  ])("$args", async ({ args, says }) => {
    expect(await refusal(...args)).toMatchObject({ code: 2, sentence: expect.stringContaining(says) });
  });

  test("every failing option at once", async () => {
    const contact = ["--email", "asha", "--mobile", "12", "--zipcode", "1", "--time-zone", "+05:30"];
    const numbers = ["--gstin", "1", "--pan", "1", "--bank-account", "1"];
    const { code, sentence } = await refusal("merchant", "create", ...contact, ...numbers);
    expect(code).toBe(2);
    for (const flag of ["name", "email", "mobile", "zipcode", "gstin", "pan", "bank-account", "ifsc", "time-zone"]) {
      expect(sentence).toMatch(new RegExp(`^--${flag} `, "m"));
    }
  });

  test.each([
    ["merchant", "show"],
    ["key", "create"],
    ["key", "list"],
    ["event", "list"],
    ["simulator", "book"],
  ])("%s %s of a merchant that does not exist", async (...command) => {
    expect(await refusal(...command, "--merchant", "99")).toEqual({
      code: 1,
      sentence: "There is no merchant 99: see `nodal merchant list`.",
    });
  });

  test("a database that can't be reached", async () => {
    const unreachable = { DATABASE_URL: "postgres://nodal:secret@127.0.0.1:9/nodal" };
    const { code, stdout, stderr } = await nodal(unreachable, "merchant", "list", "--json");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({
      error: expect.stringMatching(/^The database can't be reached: .*Check DATABASE_URL/) as string,
    });
    expect(stderr).not.toContain("secret");
    expect(await nodalJson(unreachable, "database")).toEqual({ url: unreachable.DATABASE_URL, running: false });
  });
});

test("help shows an example for each command, and nothing but the answer goes to standard output", async () => {
  for (const command of [
    "start",
    "migrate",
    "database",
    "merchant create",
    "merchant set",
    "key revoke",
    "fund",
    "seed",
  ]) {
    const { code, stdout } = await nodal(environment, ...command.split(" "), "--help");
    expect(code).toBe(0);
    expect(stdout).toContain(`nodal ${command}`);
    expect(stdout).toContain("Example:");
    expect(stdout).toContain("--json");
  }
});

test("start --json says hello in one JSON value", async () => {
  const fresh = await makeDataDir();
  const { child, output } = startCommand({ DATA_DIR: fresh, PORT: "0", LOG_LEVEL: "warn" }, "start", "--json");
  try {
    while (!output().includes("\n")) await sleep(50);
    const hello = JSON.parse(output()) as { url: string; demo_merchant: Seeded };
    expect((await send(hello.url, "GET", "/healthz")).status).toBe(200);
    await MerchantClient.signIn(hello.url, hello.demo_merchant);
  } finally {
    child.kill("SIGTERM");
    await once(child, "close");
    await removeDataDir(fresh);
  }
});
