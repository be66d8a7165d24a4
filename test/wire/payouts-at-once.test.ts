// Requests for a later day, and batches, that use a reference for the first time at the same moment.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installation } from "../support/installation.ts";

const BATCH = "/api/v1/beneficiary/transfer/batch";
const SCHEDULED = "/api/v1/beneficiary/transfer/scheduled";
const SAVED = { account_number: "00011020001772", ifsc: "HDFC0000001" };
const day = (days: number): string => Temporal.Now.plainDateISO("Asia/Kolkata").add({ days }).toString();

type Line = Readonly<Record<string, string | number>>;

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

describe("a payout of a later day", () => {
  test("asked for many times at once is one, and each is answered with it", async () => {
    const merchant = await installation.newMerchant({ fund: "10.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    const payoutRequest = { beneficiary_id, amount: "4.00", reference_id: "rent", scheduled_for: day(2) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => merchant.transfer(payoutRequest)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [200, expect.objectContaining({ transfer_id: answers[0]!.body.transfer_id as string })]),
    );
    const listed = (await merchant.get(SCHEDULED)).body.success as Line[];
    expect(listed).toHaveLength(1);
    const others = await Promise.all(
      ["1.00", "2.00", "1.00", "2.00"].map((amount) =>
        merchant.transfer({ ...payoutRequest, reference_id: "fees", amount }),
      ),
    );
    expect(others.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(2);
    expect(others.filter(({ status }) => status === 409)).toHaveLength(2);
  });

  test("in batches that are sent at once is paid by one of them", async () => {
    const merchant = await installation.newMerchant({ fund: "10.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    const references = ["a", "b", "c", "d"];
    const batchOf = (place: number) => {
      const turned = [...references.slice(place), ...references.slice(0, place)];
      return turned.map((reference_id) => ({ beneficiary_id, amount: "1.00", reference_id, scheduled_for: day(2) }));
    };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, place) =>
        merchant.post(BATCH, { name: "Salaries", transfers: batchOf(place % references.length) }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const listed = (await merchant.get(SCHEDULED)).body.success as Line[];
    expect(listed).toHaveLength(references.length);
    expect(new Set(listed.map(({ reference_id: reference }) => reference))).toEqual(new Set(references));
  });
});
