// Going live, and a merchant that is live with no provider connected: by no entrance does its money leave. The database
// is in src/payouts/dispatch/leaving.test.ts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LEFT_BEHIND, TAKEN_OVER } from "../../src/installation/index.ts";
import { requireMerchant } from "../../src/merchants/index.ts";
import { verify } from "../../src/payouts/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { COMMISSION_CHECKS } from "../../src/franchises/index.ts";
import { Browser, newPerson, type AuthenticatorApp, type Person } from "../support/dashboard.ts";
import "../support/expect-wire.ts";
import { makeFranchise, receive } from "../support/franchises.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";
import { giveSecondFactor, takeLive } from "../support/live.ts";
import { REPOSITORY } from "../support/files.ts";
import { nodal, nodalJson, TEST_MASTER_KEY } from "../support/nodal.ts";

let installation: Installation;
let operator: Browser;

beforeAll(async () => {
  installation = await Installation.start();
  operator = await Browser.signIn(installation, await newPerson(installation, null, "Operator"));
});
afterAll(() => installation.stop());

function stage() {
  return { server: installation.pool, ids: new IdSource(installation.pool) };
}

type Shown = { readonly merchant_id: string; readonly live: boolean; readonly counterpart_id: string | null };

function show(id: string): Promise<Shown> {
  return nodalJson<Shown>(installation.environment, "merchant", "show", "--merchant", id);
}

/** A sandbox, and one of its Owners, who has a second factor. */
async function newSandbox(): Promise<{ sandbox: TestMerchant; person: Person; app: AuthenticatorApp }> {
  const sandbox = await installation.newMerchant({ fund: "9.00", bank: GOOD_ACCOUNT });
  const person = { ...(await newPerson(installation, sandbox.id)), merchant: sandbox.id };
  const { bucket, merchantId } = await requireMerchant(installation.pool, BigInt(sandbox.id));
  const app = await giveSecondFactor(installation.pool, { bucket, merchantId, loginId: BigInt(person.id) });
  return { sandbox, person, app };
}

async function signIn(person: Person, app: AuthenticatorApp): Promise<Browser> {
  const browser = await Browser.signIn(installation, person);
  const answer = await browser.post("/session/sign-in/second-factor", { code: await app.nextCode() });
  expect(answer.status).toBe(200);
  return browser;
}

describe("nodal merchant go-live", () => {
  const goLive = (id: string, ...more: string[]) => ["merchant", "go-live", "--merchant", id, ...more] as const;

  test("opens a live merchant once, and says what it takes over and what stays", async () => {
    const { sandbox, person } = await newSandbox();
    const { stdout, code } = await nodal(installation.environment, ...goLive(sandbox.id, "--owner", person.id));
    expect(code).toBe(0);
    for (const line of [...TAKEN_OVER, ...LEFT_BEHIND, person.email]) expect(stdout).toContain(line);
    const { counterpart_id: liveId } = await show(sandbox.id);
    expect(await show(liveId!)).toMatchObject({ live: true, counterpart_id: sandbox.id });
    expect(await show(sandbox.id)).toMatchObject({ live: false, available_balance: "9.00" });
    const again = await nodal(installation.environment, ...goLive(sandbox.id));
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`already has a live merchant, ${liveId}`)]);
  });

  test("names what is missing, and nothing in place becomes live", async () => {
    const merchant = await installation.newMerchant();
    const bare = await nodal(installation.environment, ...goLive(merchant.id));
    expect([bare.code, bare.stderr]).toEqual([1, expect.stringContaining("needs its own bank account")]);
    const [account, ifsc] = [GOOD_ACCOUNT.account_number, GOOD_ACCOUNT.ifsc];
    const bank = ["--bank-account", account, "--ifsc", ifsc];
    await nodalJson(installation.environment, "merchant", "set", "--merchant", merchant.id, ...bank);
    const { id } = await newPerson(installation, merchant.id);
    const owned = await nodal(installation.environment, ...goLive(merchant.id, "--owner", id));
    expect([owned.code, owned.stderr]).toEqual([1, expect.stringContaining("needs a second factor")]);
    const stranger = await nodal(installation.environment, ...goLive(merchant.id, "--owner", "5"));
    expect([stranger.code, stranger.stderr]).toEqual([2, expect.stringContaining("--owner")]);
    for (const flag of ["--live", "--sandbox"]) {
      const set = await nodal(installation.environment, "merchant", "set", "--merchant", merchant.id, flag);
      expect(set.code).toBe(2);
    }
    expect(await show(merchant.id)).toMatchObject({ live: false, counterpart_id: null });
  });

  test("killed when all but the last is written leaves nothing, and goes well afterwards", async () => {
    const { sandbox, person } = await newSandbox();
    const count = async () => {
      const { rows } = await installation.pool.query<Record<string, bigint>>(
        `select (select count(*) from merchant) as merchants, (select count(*) from login) as logins,
           (select count(*) from sign_in) as addresses, (select count(*) from template) as templates`,
      );
      return rows[0];
    };
    const before = await count();
    const held = await installation.pool.connect();
    await held.query("begin");
    await held.query("lock table notification_setting in access exclusive mode");
    const child = spawn(process.execPath, ["bin/nodal.js", ...goLive(sandbox.id)], {
      cwd: REPOSITORY,
      env: { ...process.env, NODAL_MASTER_KEY: TEST_MASTER_KEY, ...installation.environment },
      stdio: "ignore",
    });
    try {
      const waits = `select count(*) as count from pg_locks
        where not granted and relation = 'notification_setting'::regclass and database = (
          select oid from pg_database where datname = current_database())`;
      await expect
        .poll(async () => (await held.query<{ count: bigint }>(waits)).rows[0]!.count, { timeout: 180_000 })
        .toBeGreaterThan(0n);
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    } finally {
      await held.query("rollback");
      held.release();
    }
    expect(await count()).toEqual(before);
    expect(await show(sandbox.id)).toMatchObject({ counterpart_id: null });
    await nodalJson(installation.environment, ...goLive(sandbox.id, "--owner", person.id));
    expect((await show(sandbox.id)).counterpart_id).not.toBeNull();
  });

  test("is not needed for a merchant that is live from its start, of whom as much is asked", async () => {
    const create = ["merchant", "create", "--name", "Live Traders", "--email", "live@example.com", "--live"];
    const bare = await nodal(installation.environment, ...create);
    expect([bare.code, bare.stderr]).toEqual([1, expect.stringContaining("needs its own bank account")]);
    const bank = ["--bank-account", GOOD_ACCOUNT.account_number, "--ifsc", GOOD_ACCOUNT.ifsc];
    const made = await nodalJson<Shown & { access_key_id: string }>(installation.environment, ...create, ...bank);
    expect(made).toMatchObject({ live: true, counterpart_id: null });
    expect(made.access_key_id).toMatch(/^nk_live_/);
    const clock = ["clock", "advance", "--merchant", made.merchant_id, "--to", "2030-01-01"];
    expect((await nodal(installation.environment, ...clock)).stderr).toContain("live");
  });
});

describe("the dashboard", () => {
  test("opens the live merchant for an Owner who shows the second factor, and leads to its sign-in", async () => {
    const { sandbox, person, app } = await newSandbox();
    const other = await newPerson(installation, sandbox.id);
    const browser = await signIn(person, app);
    expect((await browser.get("/session")).body.merchant).toMatchObject({ live: false, counterpart: null });
    expect((await browser.get("/go-live")).body).toMatchObject({
      mode: "sandbox",
      has_bank_account: true,
      has_second_factor: true,
      is_owner: true,
      owners: [
        { id: person.id, second_factor: true },
        { id: other.id, second_factor: false },
      ],
      takes_over: TAKEN_OVER,
      leaves_behind: LEFT_BEHIND,
    });
    const wrong = await browser.post("/go-live", { logins: [], code: app.wrongCode() });
    expect([wrong.status, wrong.body.code]).toEqual([422, "code_refused"]);
    const none = await browser.post("/go-live", { logins: [] });
    expect([none.status, none.body.code]).toEqual([400, "validation_failed"]);
    expect((await browser.get("/go-live")).body.counterpart).toBeNull();

    const code = await app.nextCode();
    const answer = await browser.post("/go-live", { logins: [], code });
    expect(answer.status).toBe(200);
    const { merchant_id: liveId, sign_in_url: url } = answer.body;
    expect(url).toMatch(new RegExp(`/sign-in\\?merchant=${liveId}$`));
    expect((await browser.get("/session")).body.merchant.counterpart).toEqual({ id: liveId, sign_in_url: url });

    // The session is the sandbox's. A code counts once, at both.
    const there = await Browser.signIn(installation, { ...person, merchant: liveId });
    const used = await there.post("/session/sign-in/second-factor", { code });
    expect([used.status, used.body.code]).toEqual([422, "code_refused"]);
    expect((await there.post("/session/sign-in/second-factor", { code: await app.nextCode() })).status).toBe(200);
    expect((await there.get("/session")).body).toMatchObject({
      role: "Owner",
      must_enrol: false,
      recovery_codes_left: 0,
      merchant: { id: liveId, live: true, counterpart: { id: sandbox.id } },
    });
    expect((await there.get("/go-live")).body).toMatchObject({
      mode: "live",
      has_provider: false,
      owners: [{ email: person.email }],
    });
    expect((await there.get("/access-keys")).body.keys).toEqual([]);
    const made = await there.post("/access-keys", {});
    expect(made.body.access_key_id).toMatch(/^nk_live_/);
    const keys = { access_key_id: made.body.access_key_id, secret_access_key: made.body.secret_access_key };
    const token = await installation.send("POST", "/api/token", keys);
    expect(token.body.success).toEqual({ token: expect.any(String) as string, mode: "live" });
    const again = await browser.post("/go-live", { logins: [], code: await app.nextCode() });
    expect([again.status, again.body.code]).toEqual([409, "already_live"]);
  });

  test("refuses people who are no Owners, and operators and Owners without a second factor", async () => {
    const { sandbox } = await newSandbox();
    const refused = async (browser: Browser, path = "/go-live") => {
      const { status, body } = await browser.post(path, { code: "123456" });
      return [status, body.code as string];
    };
    expect(await refused(operator, `/merchants/${sandbox.id}/go-live`)).toEqual([403, "second_factor_required"]);
    const manager = await Browser.signIn(installation, await newPerson(installation, sandbox.id, "Manager"));
    expect(await refused(manager)).toEqual([403, "access_denied"]);
    const bare = await Browser.signIn(installation, await newPerson(installation, sandbox.id));
    expect(await refused(bare)).toEqual([403, "second_factor_required"]);
    await operator.put(`/merchants/${sandbox.id}/operator-view`, { live: "1" });
    expect(await show(sandbox.id)).toMatchObject({ live: false, counterpart_id: null });
  });
});

describe("a live merchant without a provider", () => {
  let merchant: TestMerchant;
  let franchise: string;
  beforeAll(async () => {
    merchant = await installation.newMerchant({ fund: "500.00", bank: GOOD_ACCOUNT });
    const stored = await requireMerchant(installation.pool, BigInt(merchant.id));
    const made = await makeFranchise(stage(), stored);
    await receive(stage(), made, 10_000n);
    franchise = String(made.franchiseId);
    await takeLive(installation.pool, BigInt(merchant.id));
  });

  test("is answered 403, with nothing to retry, and nothing moves", async () => {
    const beneficiary_id = await merchant.addBeneficiary({ upi: "success@upi" });
    const refusals = [
      await merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: "live" }),
      await merchant.withdraw({ amount: "1.00" }),
    ];
    for (const refusal of refusals) {
      expect(refusal).toBeRefusal({ status: 403, code: "no_payout_provider" });
      expect(refusal.headers.get("retry-after")).toBeNull();
    }
    const settled = await nodal(
      installation.environment,
      "franchise",
      "settle",
      "--merchant",
      merchant.id,
      "--franchise",
      franchise,
    );
    expect([settled.code, settled.stderr]).toEqual([1, expect.stringContaining("has no payout provider connected")]);
    expect(await merchant.available()).toBe("500.00");
    const { rows } = await installation.pool.query<{ count: bigint }>(
      "select count(*) as count from transfer where merchant_id = $1",
      [merchant.id],
    );
    expect(rows[0]!.count).toBe(0n);
  });
});

test("afterwards the books are sound", async () => {
  await installation.pool.query("update simulator.payment set delivered = true");
  const { violations } = await verify(installation.pool, null, COMMISSION_CHECKS);
  // The stage's commission was earned by no invoice.
  expect(violations.filter(({ check }) => check !== "commission_source")).toEqual([]);
});
