// Idempotency-Key over real HTTP, on each POST that commits something: save, transfer, withdraw. A transfer's own
// reference is in transfers.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectNoChange } from "../support/expect-wire.ts";
import { GOOD_ACCOUNT, Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { INVOICE_SAVE, INVOICE_SETTLE, Invoices, PAYMENT, PLAIN } from "../support/invoices.ts";
import { NodalProcess, send, type Answer } from "../support/nodal.ts";
import { SERVERS } from "../support/proxied-servers.ts";
import { REPEATED, SUBSCRIPTION_SAVE } from "../support/subscriptions.ts";

const CONFLICT = { status: 409, code: "idempotency_conflict" };
const PATHS = {
  save: "/api/v1/beneficiary/save",
  transfer: "/api/v1/beneficiary/transfer",
  withdraw: "/api/v1/payout/withdraw",
} as const;

type Action = keyof typeof PATHS;

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

/** A merchant with 1000.00 rupees, and for each kind of request a body, another one, and one that is refused. */
async function prepare(): Promise<{
  merchant: TestMerchant;
  bodies: Record<Action, { first: Members; other: Members; refused: Members }>;
}> {
  const merchant = await installation.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT });
  const beneficiary_id = await merchant.addBeneficiary();
  return {
    merchant,
    bodies: {
      save: {
        first: { name: "New", upi: "new@upi" },
        other: { name: "Other", upi: "new@upi" },
        refused: { name: "Taken", ...GOOD_ACCOUNT },
      },
      transfer: {
        first: { beneficiary_id, amount: "10.00", reference_id: "r1", narrative: "one" },
        other: { beneficiary_id, amount: "10.00", reference_id: "r1", narrative: "two" },
        refused: { beneficiary_id, amount: "9999.00", reference_id: "r2" },
      },
      withdraw: {
        first: { amount: "10.00", narrative: "one" },
        other: { amount: "10.00", narrative: "two" },
        refused: { amount: "9999.00" },
      },
    },
  };
}

function withKey(merchant: TestMerchant, action: Action, key: string, body: unknown): Promise<Answer> {
  return merchant.post(PATHS[action], body, { "idempotency-key": key });
}

describe.each(Object.keys(PATHS) as Action[])("%s", (action) => {
  test("the same key and body gives the same answer again and does nothing more", async () => {
    const { merchant, bodies } = await prepare();
    const { first } = bodies[action];
    const answer = await withKey(merchant, action, "key-1", first);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("idempotent-replayed")).toBeNull();
    const reordered = Object.fromEntries(Object.entries(first).toReversed());
    const keys = { access_key_id: "x", secret_access_key: "y" };
    await expectNoChange(merchant, async () => {
      for (const body of [first, reordered, { ...first, ...keys }]) {
        const again = await withKey(merchant, action, "key-1", body);
        expect(again.status).toBe(200);
        expect(again.body).toStrictEqual(answer.body);
        expect(again.headers.get("idempotent-replayed")).toBe("true");
      }
    });
  });

  test("another body with the key is a conflict", async () => {
    const { merchant, bodies } = await prepare();
    const { first, other } = bodies[action];
    expect((await withKey(merchant, action, "key-1", first)).status).toBe(200);
    await expectNoChange(merchant, async () => {
      expect(await withKey(merchant, action, "key-1", other)).toBeRefusal(CONFLICT);
    });
  });

  test("the key on another endpoint is a conflict", async () => {
    const { merchant, bodies } = await prepare();
    expect((await withKey(merchant, action, "key-1", bodies[action].first)).status).toBe(200);
    await expectNoChange(merchant, async () => {
      for (const elsewhere of (Object.keys(PATHS) as Action[]).filter((one) => one !== action)) {
        expect(await withKey(merchant, elsewhere, "key-1", bodies[elsewhere].first)).toBeRefusal(CONFLICT);
      }
    });
  });

  test("50 twins at once have one effect and one answer", async () => {
    const { merchant, bodies } = await prepare();
    const { first } = bodies[action];
    const answers = await Promise.all(Array.from({ length: 50 }, () => withKey(merchant, action, "key-1", first)));
    const isPending = ({ body }: Answer): boolean =>
      body["transfer_status"] === "PENDING" || body["withdrawal_status"] === "PENDING";
    const pending = SERVERS > 1 ? answers.filter(isPending) : [];
    const told = answers.filter((answer) => !pending.includes(answer));
    for (const answer of answers) expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    for (const answer of told) expect(answer.body).toStrictEqual(told[0]!.body);
    // A twin at another server than the first is answered at once, before the bank is heard of: docs/scale.md.
    for (const id of ["transfer_id", "withdrawal_id"]) {
      for (const { body } of pending) expect(body[id]).toBe(told[0]!.body[id]);
    }
    const originals = answers.filter((answer) => answer.headers.get("idempotent-replayed") === null);
    expect(originals).toHaveLength(1);
    expect(await merchant.available()).toBe(action === "save" ? "1000.00" : "990.00");
    expect((await merchant.list()).body.total_records).toBe(action === "save" ? 2 : 1);
  });

  test("a refused request leaves its key free", async () => {
    const { merchant, bodies } = await prepare();
    const { first, refused } = bodies[action];
    await expectNoChange(merchant, async () => {
      const answer = await withKey(merchant, action, "key-1", refused);
      expect(answer.status).toBe(action === "save" ? 409 : 422);
      const again = await withKey(merchant, action, "key-1", refused);
      expect(again.status).toBe(answer.status);
      expect(again.headers.get("idempotent-replayed")).toBeNull();
      expect((await withKey(merchant, action, "key-1", {})).status).toBe(400);
    });
    const answer = await withKey(merchant, action, "key-1", first);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("idempotent-replayed")).toBeNull();
  });

  test.each(["", " ", "क", "x".repeat(256)])("the key %j is refused", async (key) => {
    const { merchant, bodies } = await prepare();
    await expectNoChange(merchant, async () => {
      // A header carries bytes.
      const answer = await withKey(merchant, action, Buffer.from(key).toString("latin1"), bodies[action].first);
      const fields = ["Idempotency-Key invalid"];
      expect(answer).toBeRefusal({ status: 400, code: "validation_failed", fields });
    });
  });

  test("each merchant has keys of its own", async () => {
    const one = await prepare();
    const two = await prepare();
    const answer = await withKey(one.merchant, action, "key-1", one.bodies[action].first);
    const other = await withKey(two.merchant, action, "key-1", two.bodies[action].first);
    expect(other.status).toBe(200);
    expect(other.headers.get("idempotent-replayed")).toBeNull();
    expect(other.body).not.toEqual(answer.body);
  });

  test("twins of different endpoints at once: one of them has the key", async () => {
    const { merchant, bodies } = await prepare();
    const elsewhere = action === "save" ? "transfer" : "save";
    for (let round = 0; round < 10; round += 1) {
      const vary = (one: Action): Members =>
        one === "save" ? { name: "N", upi: `n${round}@upi` } : { ...bodies[one].first, reference_id: `x${round}` };
      const answers = await Promise.all(
        [action, elsewhere].map((one) => withKey(merchant, one as Action, `key-${round}`, vary(one as Action))),
      );
      const statuses = answers.map((answer) => answer.status).toSorted((a, b) => a - b);
      expect(statuses, JSON.stringify(answers.map((answer) => answer.body as unknown))).toEqual([200, 409]);
    }
  });
});

test("a replayed transfer answers with its present status", async () => {
  const merchant = await installation.newMerchant({ fund: "100.00" });
  const beneficiary_id = await merchant.addBeneficiary({ account_number: "00224412311300", ifsc: "YESB0000001" });
  const body = { beneficiary_id, amount: "10.00", reference_id: "r" };
  const first = await withKey(merchant, "transfer", "later", body);
  expect(first.body).toMatchObject({ transfer_status: "PENDING" });
  await merchant.recordWith("SUCCESS", first.body.transfer_id as string);
  const again = await withKey(merchant, "transfer", "later", body);
  expect(again.body).toMatchObject({ transfer_status: "SUCCESS", transfer_id: first.body.transfer_id as string });
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

test("a new key with a used reference gives the transfer, and does not take the key", async () => {
  const { merchant, bodies } = await prepare();
  const { first } = bodies.transfer;
  const { body } = await withKey(merchant, "transfer", "key-1", first);
  const again = await withKey(merchant, "transfer", "key-2", first);
  expect(again.body).toStrictEqual(body);
  const next = await withKey(merchant, "transfer", "key-2", { ...first, reference_id: "r9" });
  expect(next.status).toBe(200);
});

test("the longest key, and one with spaces inside, are taken", async () => {
  const { merchant, bodies } = await prepare();
  for (const key of ["k".repeat(255), "a key of words"]) {
    expect((await withKey(merchant, "withdraw", key, bodies.withdraw.first)).status).toBe(200);
    const again = await withKey(merchant, "withdraw", key, bodies.withdraw.first);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  }
  expect(await merchant.available()).toBe("980.00");
});

describe("a date", () => {
  const subscription = { mode: "Monthly", repeat_every: "1", end_mode: "End date", carry_forword_dues: "0" };
  const dates = { start_date: "2099-01-01", due_date: "2099-01-11", end_date: "2099-12-31" };
  const repeated = { template_id: "", ...subscription, ...dates, invoice: REPEATED };
  test.each([
    ["bill_date of a save", INVOICE_SAVE, { template_id: "", invoice: [PLAIN] }, ["invoice", 0, "bill_date"]],
    ["due_date of a save", INVOICE_SAVE, { template_id: "", invoice: [PLAIN] }, ["invoice", 0, "due_date"]],
    ["paid_date of a settlement", INVOICE_SETTLE, { amount: "1.00", ...PAYMENT }, ["paid_date"]],
    ["start_date of a subscription", SUBSCRIPTION_SAVE, repeated, ["start_date"]],
    ["due_date of a subscription", SUBSCRIPTION_SAVE, repeated, ["due_date"]],
    ["end_date of a subscription", SUBSCRIPTION_SAVE, repeated, ["end_date"]],
  ] as [string, string, Members, (string | number)[]][])("counts: %s", async (_, path, body, place) => {
    const invoices = await Invoices.ofNewMerchant(installation);
    const { invoice_id } = await invoices.add();
    const first: Members = path === INVOICE_SETTLE ? { ...body, invoice_id } : body;
    const other = structuredClone(first) as Record<string | number, never>;
    const last = place.at(-1)!;
    const holder = place.slice(0, -1).reduce<Record<string | number, never>>((within, name) => within[name]!, other);
    holder[last] = Temporal.PlainDate.from(holder[last]!).subtract({ days: 1 }).toString() as never;
    const send = (sent: Members): Promise<Answer> => invoices.ask(path, sent, { "idempotency-key": "dated" });
    expect((await send(first)).status).toBe(200);
    expect((await send(first)).headers.get("idempotent-replayed")).toBe("true");
    expect(await send(other)).toBeFailure({ status: 409, code: "idempotency_conflict" });
  });
});

test("two server processes with one key have one effect", async () => {
  const second = await NodalProcess.start({ ...installation.environment });
  try {
    const { merchant } = await prepare();
    for (let round = 0; round < 5; round += 1) {
      const headers = { authorization: `Bearer ${merchant.token}`, "idempotency-key": `round-${round}` };
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const baseUrl = index % 2 === 0 ? installation.server.baseUrl : second.baseUrl;
          return send(baseUrl, "POST", PATHS.withdraw, { amount: "10.00" }, headers);
        }),
      );
      expect(new Set(answers.map((answer) => answer.body.withdrawal_id as string)).size).toBe(1);
      for (const answer of answers) expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    }
    expect(await merchant.available()).toBe("950.00");
  } finally {
    await second.stop();
  }
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
