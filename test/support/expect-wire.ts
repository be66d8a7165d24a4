// What every answer of the API has in common, as assertions for the wire tests.
// What belongs here: assertions about the form of an answer. What a route means to say is its test's.
import { expect } from "vitest";
import type { Installation, Members, TestMerchant } from "./installation.ts";
import type { Answer } from "./nodal.ts";

type Refusal = {
  readonly status: number;
  readonly code: string;
  /** The failing fields, in any order, as `field` or `field code`; without them the body has no `errors`. */
  readonly fields?: readonly string[];
  /** Further members of the body. */
  readonly details?: Members;
};

/** The body of a refusal, exactly as decisions.md words it for group A: nothing more, nothing less. */
export function expectRefusal(answer: Answer, { status, code, fields, details = {} }: Refusal): void {
  const fieldErrors = fields?.map(() => ({
    field: expect.any(String) as string,
    code: expect.stringMatching(/^[a-z_]+$/) as string,
    message: expect.stringMatching(/\S+ \S+/) as string,
  }));
  const body: unknown = answer.body;
  expect(body).toStrictEqual({
    ...details,
    status: 0,
    error: expect.stringMatching(/\S+ \S+/) as string,
    code,
    ...(fieldErrors ? { errors: fieldErrors } : {}),
  });
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  if (!fields) return;
  const errors = answer.body.errors as { field: string; code: string }[];
  const named = errors.map((error, index) =>
    fields[index]?.includes(" ") ? `${error.field} ${error.code}` : error.field,
  );
  expect(named.toSorted()).toEqual([...fields].toSorted());
}

/** A refusal that leaves the merchant's money, transfers, beneficiaries and idempotency keys as they were. */
export async function expectNoChange(merchant: TestMerchant, work: () => Promise<void>): Promise<void> {
  const before = await merchant.snapshot();
  await work();
  expect(await merchant.snapshot()).toEqual(before);
}

/** What must hold after every file: the books balance, and no answer had a status that the document does not name. */
export async function expectSound(installation: Installation): Promise<void> {
  expect(await installation.verify()).toMatchObject({ ok: true });
  expect(await installation.listUndocumented()).toEqual([]);
}
