// Verifying accounts over every connector, against its stand-in over real HTTP.
import { RefusedError } from "../../platform/providers/errors.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cashfree, verificationKeys } from "../../../stand-ins/cashfree.ts";
import { SOURCE_ACCOUNT, razorpayx, razorpayxOn } from "../../../stand-ins/razorpayx.ts";
import { startStandIn, type Protocol, type StandIn } from "../../../stand-ins/stand-in.ts";
import type { AccountQuestion } from "../rails/rail.ts";
import { Cashfree } from "./cashfree.ts";
import { type Connector, type ProviderAccess } from "./connector.ts";
import { RazorpayX } from "./razorpayx.ts";

const NEVER = new AbortController().signal;
const CREDENTIALS = { id: "key", secret: "secret", noticeSecret: "whsec" };
const SUITES: readonly { protocol: Protocol; connect: (access: ProviderAccess) => Connector }[] = [
  { protocol: cashfree, connect: (access) => new Cashfree(access) },
  { protocol: razorpayx, connect: (access) => new RazorpayX(access) },
];

describe.each(SUITES)("$protocol.name", ({ protocol, connect }) => {
  let bank: StandIn;
  let connector: Connector;

  beforeEach(async () => {
    bank = await startStandIn(protocol, {
      port: 0,
      file: ":memory:",
      credentials: CREDENTIALS,
      noticeUrl: null,
      settleMs: 60,
      callsPerSecond: null,
      random: Math.random,
    });
    connector = reach();
  });
  afterEach(() => bank.stop());

  function reach(change: Partial<ProviderAccess> = {}): Connector {
    const { id, secret, noticeSecret: webhookSecret } = CREDENTIALS;
    const ofCashfree = { moreWebhookSecrets: [], fundSource: null, signingKey: null };
    const verification = verificationKeys(CREDENTIALS);
    const secrets = { secret, webhookSecret, olderWebhookSecret: null, verification };
    const more = { sourceAccount: SOURCE_ACCOUNT, tag: "abc123", timeoutMs: 2000, returnsFees: false, ...ofCashfree };
    return connect({ baseUrl: bank.url, id, ...secrets, ...more, ...change });
  }

  function about(accountNumber: string, ifsc: string, more: Partial<AccountQuestion> = {}): AccountQuestion {
    const payee = { name: "Āśā Rao", accountNumber, ifsc, upi: null };
    return { bucket: 7, merchantId: 1_000_001n, payee, mobile: "+91 97309 46150", reference: null, ...more };
  }

  test("a good account has its name at the bank, and a UTR", async () => {
    expect(await connector.verifyAccount(about("50100012345678", "HDFC0001234"), NEVER)).toEqual({
      status: "valid",
      nameAtBank: "ASA RAO",
      branch: protocol === cashfree ? "Simulated branch" : "",
      utr: expect.stringMatching(/^[0-9]{12}$/) as string,
    });
    expect(bank.desk.accountChecks.count).toBe(1);
  });

  test("somebody else's account has that name, whatever the provider's own score says", async () => {
    const check = await connector.verifyAccount(about("7766671735000", "SBIN0000004"), NEVER);
    expect(check).toMatchObject({ status: "valid", nameAtBank: "SOMEBODY ELSE" });
  });

  test.each([
    ["2640101002729", "CNRR0002640"],
    ["026291800001190", "YESB0000262"],
  ])("there is no account %s %s: that the question is completed does not make it good", async (account, ifsc) => {
    expect(await connector.verifyAccount(about(account, ifsc), NEVER)).toMatchObject({ status: "invalid" });
  });

  test("an answer that takes long is asked for by its reference, and the bank is asked once", async () => {
    const pending = await connector.verifyAccount(about("007711000031", "HDFC0000077"), NEVER);
    if (pending.status !== "pending") throw new Error(pending.status);
    const again = () =>
      reach().verifyAccount(about("007711000031", "HDFC0000077", { reference: pending.reference }), NEVER);
    expect(await again()).toEqual(pending);
    bank.desk.clock.advance(3_600_000);
    expect(await again()).toMatchObject({ status: "valid", nameAtBank: "ASA RAO" });
    expect(bank.desk.accountChecks.count).toBe(1);
  });

  test("where the bank is offline nothing is said of the account", async () => {
    const held = about("34978321547298", "KKBK0000001");
    await expect(connector.verifyAccount(held, NEVER)).rejects.toThrow("gave no answer");
  });

  test.each(["error_before", "error_after", "lost_before", "lost_after", "malformed", "too_many"])(
    "%s is no answer",
    async (kind) => {
      bank.desk.faults.add({ kind, on: "verify", count: 1 });
      const question = about("50100012345678", "HDFC0001234");
      await expect(connector.verifyAccount(question, NEVER)).rejects.toThrow();
      expect(await connector.verifyAccount(question, NEVER)).toMatchObject({ status: "valid" });
    },
  );

  test.runIf(protocol === razorpayx)("an account that can verify none says so, and nothing is asked", async () => {
    const current = await startStandIn(razorpayxOn("current_account"), {
      port: 0,
      file: ":memory:",
      credentials: CREDENTIALS,
      noticeUrl: null,
      settleMs: 60,
      callsPerSecond: null,
      random: Math.random,
    });
    const question = about("50100012345678", "HDFC0001234");
    try {
      const asked = reach({ baseUrl: current.url }).verifyAccount(question, NEVER);
      await expect(asked).rejects.toMatchObject({
        name: "UnavailableError",
        message: expect.stringContaining("can't verify bank accounts") as string,
      });
      expect(current.desk.accountChecks.count).toBe(0);
    } finally {
      await current.stop();
    }
    const inTestMode = reach({ id: "rzp_test_1" }).verifyAccount(question, NEVER);
    await expect(inTestMode).rejects.toMatchObject({ name: "UnavailableError" });
  });

  test("what the provider refuses, and credentials that it does not take, are told apart", async () => {
    const unknown = about("50100012345678", "HDFC0001234", {
      reference: protocol === cashfree ? "99" : "fav_00000000000099",
    });
    await expect(connector.verifyAccount(unknown, NEVER)).rejects.toBeInstanceOf(RefusedError);
    const wrong = reach({ secret: "wrong", verification: { id: "key", secret: "secret" } });
    const question = about("50100012345678", "HDFC0001234");
    await expect(wrong.verifyAccount(question, NEVER)).rejects.toMatchObject({ code: "unauthorized" });
  });
});

test("Cashfree verifies with the keys of Secure ID, and says what to do where they are missing", async () => {
  const access = {
    baseUrl: "http://127.0.0.1:59999",
    id: "key",
    secret: "secret",
    webhookSecret: "secret",
    olderWebhookSecret: null,
    moreWebhookSecrets: [],
    sourceAccount: null,
    fundSource: null,
    returnsFees: false,
    verification: null,
    signingKey: null,
    tag: "abc123",
    timeoutMs: 2000,
  };
  const payee = { name: "Asha Rao", accountNumber: "50100012345678", ifsc: "HDFC0001234", upi: null };
  const question = { bucket: 7, merchantId: 1_000_001n, payee, mobile: "", reference: null };
  await expect(new Cashfree(access).verifyAccount(question, NEVER)).rejects.toMatchObject({
    name: "UnavailableError",
    message: expect.stringMatching(/Secure ID.*verify_key_id.*provider set/) as string,
  });
});
