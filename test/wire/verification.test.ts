// Whose an account is: asked in the sandbox and over providers, through dashboard, command and API of a running server.
// What a connector does is tested in src/payouts/providers.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectProvider, verifyBeneficiary } from "../../src/payouts/index.ts";
import { findMerchant } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { cashfree, verificationKeys } from "../../stand-ins/cashfree.ts";
import { razorpayx } from "../../stand-ins/razorpayx.ts";
import { startStandIn } from "../../stand-ins/stand-in.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import "../support/expect-wire.ts";
import { Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { takeLive } from "../support/live.ts";
import { nodal, nodalJson } from "../support/nodal.ts";
import { ownCredentials } from "../support/stand-ins.ts";

const GOOD = { account_number: "50100012345678", ifsc: "HDFC0001234" };
const SOMEBODY_ELSES = { account_number: "7766671735000", ifsc: "SBIN0000004" };
const NONE = { account_number: "2640101002729", ifsc: "CNRR0002640" };
const SLOW = { account_number: "007711000031", ifsc: "HDFC0000077" };
const OFFLINE = { account_number: "34978321547298", ifsc: "KKBK0000001" };

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  merchant = await site.newMerchant({ fund: "1000.00" });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
});
afterAll(() => site.stop());

const verify = (payee: string, by = owner) => by.post(`/beneficiaries/${payee}/verify`);
const shown = async (payee: string) => (await owner.get(`/beneficiaries/${payee}`)).body;
const listed = async (payee: string): Promise<Members | undefined> =>
  ((await merchant.list()).body.success as Members[]).find(({ beneficiary_id }) => beneficiary_id === payee);

describe("in the sandbox", () => {
  test("a good account is verified, and says so everywhere", async () => {
    const payee = await merchant.addBeneficiary({ name: "Shri Rajeev Kumar", ...GOOD });
    expect((await shown(payee)).verification).toBe("unverified");
    expect(await listed(payee)).not.toHaveProperty("account_verification");
    expect((await verify(payee)).body).toEqual({ verification: "verified" });
    expect(await shown(payee)).toMatchObject({
      verification: "verified",
      name_at_bank: "SHRI RAJEEV KUMAR",
      bank_branch: "Simulated branch",
      verified_at: expect.stringMatching(/^20/) as string,
    });
    expect(await listed(payee)).toMatchObject({ account_verification: "VERIFIED" });
    const [row] = await nodalJson<Members[]>(site.environment, "beneficiary", "list", "--merchant", merchant.id);
    expect(row).toMatchObject({ beneficiary_id: payee, verification: "verified" });
  });

  test("one in another name is accepted by somebody who may move money, with the reason in the log", async () => {
    const payee = await merchant.addBeneficiary({ name: "Rajeev Kumar", ...SOMEBODY_ELSES });
    const accept = (by: Browser) => by.post(`/beneficiaries/${payee}/accept-name`, { reason: "His company's account" });
    expect((await accept(owner)).body).toMatchObject({ code: "approval_decided" });
    expect((await verify(payee)).body).toEqual({ verification: "name_differs" });
    const viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
    expect((await accept(viewer)).status).toBe(403);
    expect((await accept(owner)).status).toBe(200);
    // What was accepted stays so for as long as the bank says the same.
    expect((await verify(payee)).body).toEqual({ verification: "accepted" });
    const { rows } = await site.pool.query<{ type: string; after: Members }>(
      "select type, after from journal where merchant_id = $1 and subject_id = $2 and type <> 'beneficiary.created' order by entry_no",
      [merchant.id, payee],
    );
    expect(rows.map(({ type }) => type)).toEqual([
      "beneficiary.checked",
      "beneficiary.name_accepted",
      "beneficiary.checked",
    ]);
    expect(rows[1]!.after).toMatchObject({ verification: { state: "accepted" }, reason: "His company's account" });
  });

  test("no such account, no answer yet, and no answer at all", async () => {
    const [none, slow, offline] = await Promise.all(
      [NONE, SLOW, OFFLINE].map((account) => merchant.addBeneficiary({ name: "Rajeev Kumar", ...account })),
    );
    expect((await verify(none!)).body).toEqual({ verification: "invalid" });
    expect((await verify(slow!)).body).toEqual({ verification: "pending" });
    const refused = await verify(offline!);
    expect([refused.status, refused.body.code]).toEqual([422, "provider_check_failed"]);
    expect((await shown(offline!)).verification).toBe("unverified");
  });

  test("a handle has no account to be asked about, and one that is deactivated is not asked about", async () => {
    const handle = await merchant.addBeneficiary({ upi: "asha@upi" });
    expect((await verify(handle)).body).toMatchObject({ code: "no_bank_account" });
    const ended = await merchant.addBeneficiary({ account_number: "5550001", ifsc: "HDFC0001234" });
    await owner.post(`/beneficiaries/${ended}/deactivate`);
    expect((await verify(ended)).body).toMatchObject({ code: "beneficiary_not_approved" });
    const other = await site.newMerchant();
    const stranger = await Browser.signIn(site, await newPerson(site, other.id));
    expect((await verify(handle, stranger)).body).toMatchObject({ code: "beneficiary_not_found" });
  });

  test("the command verifies, says what to do, and accepts", async () => {
    const payee = await merchant.addBeneficiary({
      name: "Ravi",
      account_number: "02014457596969",
      ifsc: "CITI0000001",
    });
    const args = ["beneficiary", "verify", "--merchant", merchant.id, "--beneficiary", payee];
    const { stdout } = await nodal(site.environment, ...args);
    expect(stdout).toContain("SOMEBODY ELSE");
    expect(stdout).toContain("--accept-name");
    const accepted = await nodalJson<Members>(site.environment, ...args, "--accept-name", "Seen his passbook");
    expect(accepted).toMatchObject({ verification: "accepted", name_at_bank: "SOMEBODY ELSE" });
  });
});

test("under the policy an account that is not verified is refused by the API until it is, and its reference stays free", async () => {
  const careful = await site.newMerchant({ fund: "1000.00" });
  const set = ["policy", "set", "--merchant", careful.id, "--verified-payees", "on"];
  expect(await nodalJson(site.environment, ...set)).toMatchObject({ verified_payees_only: true });
  const payee = await careful.addBeneficiary({ name: "Rajeev Kumar", ...GOOD, upi: "rajeev@upi" });
  const pay = (mode: string) =>
    careful.transfer({ beneficiary_id: payee, amount: "1.00", reference_id: `r-${mode}`, mode });
  expect(await pay("banktransfer")).toBeRefusal({ status: 422, code: "beneficiary_not_verified" });
  const person = await Browser.signIn(site, await newPerson(site, careful.id));
  expect((await verify(payee, person)).body).toEqual({ verification: "verified" });
  expect((await pay("banktransfer")).body).toMatchObject({ transfer_status: "SUCCESS" });
  expect(await pay("upi")).toBeRefusal({ status: 422, code: "beneficiary_not_verified" });
});

describe.each([cashfree, razorpayx])("a live merchant over $name", (protocol) => {
  test("asks its own provider, goes on with an answer that it waits for, and never the simulator", async () => {
    const credentials = { id: "key", secret: "a-secret", noticeSecret: "whsec" };
    const bank = await startStandIn(protocol, {
      port: 0,
      file: ":memory:",
      noticeUrl: null,
      settleMs: 50,
      callsPerSecond: null,
      credentials,
      random: Math.random,
    });
    try {
      const live = await site.newMerchant();
      await takeLive(site.pool, BigInt(live.id));
      const ask = async (payee: string) => {
        const found = (await findMerchant(site.pool, BigInt(live.id)))!;
        const context = { pool: site.pool, accounts: site.pool, merchant: found, verificationsPerDay: 4 };
        return (await verifyBeneficiary(context, BigInt(payee))).verification;
      };
      const payee = await live.addBeneficiary({ name: "Rajeev Kumar", ...GOOD });
      await expect(ask(payee)).rejects.toMatchObject({ code: "no_payout_provider" });
      const keys = verificationKeys(credentials);
      await connectProvider(
        { pool: site.pool, ids: new IdSource(site.pool), merchant: { merchantId: BigInt(live.id) } },
        {
          provider: protocol.name,
          baseUrl: bank.url,
          keyId: credentials.id,
          secret: credentials.secret,
          ...ownCredentials(protocol.name, credentials.noticeSecret),
          modes: null,
          ...(protocol === cashfree ? { verifyKeyId: keys.id, verifySecret: keys.secret } : {}),
        },
      );
      expect(await ask(payee)).toMatchObject({ state: "verified", nameAtBank: "RAJEEV KUMAR" });
      const slow = await live.addBeneficiary({ name: "Rajeev Kumar", ...SLOW });
      expect(await ask(slow)).toMatchObject({ state: "pending" });
      expect(await ask(slow)).toMatchObject({ state: "pending" });
      expect(bank.desk.accountChecks.count).toBe(2);
      bank.desk.clock.advance(3_600_000);
      expect(await ask(slow)).toMatchObject({ state: "verified", reference: null });
      expect(bank.desk.accountChecks.count).toBe(2);
      bank.desk.faults.add({ kind: "lost_after", on: "verify", count: 1 });
      await expect(ask(payee)).rejects.toMatchObject({ code: "provider_check_failed" });
      const suspended = { ...(await findMerchant(site.pool, BigInt(live.id)))!, status: "suspended" as const };
      // Four questions have been asked: the one that is not answered yet was one, the one without an answer another.
      await expect(ask(payee)).resolves.toMatchObject({ state: "verified" });
      const asked = bank.desk.accountChecks.count;
      await expect(ask(payee)).rejects.toMatchObject({ code: "rate_limited" });
      expect(bank.desk.accountChecks.count).toBe(asked);
      const context = { pool: site.pool, accounts: site.pool, merchant: suspended, verificationsPerDay: 4 };
      await expect(verifyBeneficiary(context, BigInt(payee))).rejects.toMatchObject({ code: "access_denied" });
    } finally {
      await bank.stop();
    }
  });
});

test("the books and seals are sound", async () => {
  expect(await site.findProblems()).toEqual([]);
});
