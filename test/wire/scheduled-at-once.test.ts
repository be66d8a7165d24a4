// Requests and batches for payouts of a later day that arrive at the same time.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { nodalJson } from "../support/nodal.ts";

const BATCH = "/api/v1/beneficiary/transfer/batch";
const SAVED = { account_number: "00011020001772", ifsc: "HDFC0000001" };

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

type Line = Readonly<Record<string, string | number>>;

const day = (days: number): string => Temporal.Now.plainDateISO("Asia/Kolkata").add({ days }).toString();

async function post(merchant: TestMerchant, transfers: readonly Members[]): Promise<void> {
  const answer = await merchant.post(BATCH, { name: "Salaries", transfers });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

test("a payout of a later day that is asked for many times at once is one, and each is answered with it", async () => {
  const merchant = await installation.newMerchant({ fund: "10.00" });
  const beneficiary_id = await merchant.addBeneficiary(SAVED);
  const payoutRequest = { beneficiary_id, amount: "4.00", reference_id: "rent", scheduled_for: day(2) };
  const answers = await Promise.all(Array.from({ length: 20 }, () => merchant.transfer(payoutRequest)));
  expect(answers.map(({ status, body }) => [status, body])).toEqual(
    answers.map(() => [200, expect.objectContaining({ transfer_id: answers[0]!.body.transfer_id as string })]),
  );
  const listed = (await merchant.get("/api/v1/beneficiary/transfer/scheduled")).body.success as Line[];
  expect(listed).toHaveLength(1);
  const others = await Promise.all(
    ["1.00", "2.00", "1.00", "2.00"].map((amount) =>
      merchant.transfer({ ...payoutRequest, reference_id: "fees", amount }),
    ),
  );
  expect(others.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 200, 409, 409]);
});

test("a payout of a later day in batches that are sent at once is paid by one of them", async () => {
  const merchant = await installation.newMerchant({ fund: "10.00" });
  const beneficiary_id = await merchant.addBeneficiary(SAVED);
  const references = ["a", "b", "c", "d"];
  const batchOf = (place: number) => {
    const turned = [...references.slice(place), ...references.slice(0, place)];
    return turned.map((reference_id) => ({ beneficiary_id, amount: "1.00", reference_id, scheduled_for: day(2) }));
  };
  await Promise.all(Array.from({ length: 12 }, (_, place) => post(merchant, batchOf(place % references.length))));
  const listed = (await merchant.get("/api/v1/beneficiary/transfer/scheduled")).body.success as Line[];
  expect(
    listed.map(({ reference_id: reference }) => String(reference)).toSorted((one, other) => (one < other ? -1 : 1)),
  ).toEqual(references);
});

test("a payout of a later day is answered with its transfer also in the moment in which its line still says that it is being made", async () => {
  const merchant = await installation.newMerchant({ fund: "10.00" });
  const beneficiary_id = await merchant.addBeneficiary(SAVED);
  const payoutRequest = { beneficiary_id, amount: "4.00", reference_id: "rent", scheduled_for: day(2) };
  const id = (await merchant.transfer(payoutRequest)).body.transfer_id as string;
  await nodalJson(installation.environment, "clock", "advance", "--merchant", merchant.id, "--to", day(3));
  await merchant.recordWith("SUCCESS", id);
  const lineWas = (from: string, to: string) =>
    installation.pool.query(
      "update payout_batch_line set state = $3 where merchant_id = $1 and transfer_id = $2 and state = $4",
      [merchant.id, id, to, from],
    );
  await expect.poll(async () => (await lineWas("requested", "requesting")).rowCount, { timeout: 180_000 }).toBe(1);
  expect((await merchant.transfer(payoutRequest)).body).toMatchObject({ transfer_status: "SUCCESS" });
  await lineWas("requesting", "requested");
});

test("afterwards the books are sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
