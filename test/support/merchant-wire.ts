// Requests for tests with keys in their bodies, and matchers for every answer in the envelope. Each route's test checks the rest.
import { expect } from "vitest";
import type { Installation, Members, TestMerchant } from "./installation.ts";
import type { Answer } from "./nodal.ts";

export const CUSTOMER_SAVE = "/api/v1/merchant/customer/save";
export const CUSTOMER_UPDATE = "/api/v1/merchant/customer/update";
export const CUSTOMER_DETAIL = "/api/v1/merchant/customer/detail";
export const CUSTOMER_LIST = "/api/v1/merchant/customer/getlist";

type Failure = {
  readonly status: number;
  readonly code: string;
  /** The failing members in any order, as `keypath code`. */
  readonly fields?: readonly string[];
};
type ListedError = { readonly code: string; readonly keypath: string };

declare module "vitest" {
  interface Matchers {
    /** Whether an answer is a success in the envelope exactly: docs/rules/values-and-errors.md#envelope. */
    toBeSuccess: (kind: "write" | "read", totalRecords?: number) => void;
    /** Whether an answer is this failure in the envelope exactly: nothing more, nothing less. */
    toBeFailure: (failure: Failure) => void;
  }
}

const SENTENCE: unknown = expect.stringMatching(/\S+ \S+/);
const TIMESTAMP: unknown = expect.stringMatching(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/);
const TIMES = { reqtime: TIMESTAMP, resptime: TIMESTAMP };
const HEAD = {
  type: "application/json; charset=utf-8",
  requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
};

expect.extend({
  toBeSuccess(answer: Answer, kind: "write" | "read", totalRecords?: number) {
    const actual = describeAnswer(answer);
    const body = {
      ...TIMES,
      srvrsp: expect.anything() as unknown,
      errcode: kind === "write" ? 0 : null,
      errmsg: "",
      errlist: null,
      ...(totalRecords === undefined ? {} : { total_records: totalRecords }),
    };
    const expected = { ...HEAD, status: 200, body };
    const message = () => `expected ${answer.status} ${JSON.stringify(answer.body)} to be a success`;
    return { pass: this.equals(actual, expected, [], true), message, actual, expected };
  },
  toBeFailure(answer: Answer, { status, code, fields = [] }: Failure) {
    const actual = describeAnswer(answer);
    const errlist = fields.toSorted().map((text) => {
      const [keypath, fieldCode] = text.split(" ") as [string, string];
      const keyname = keypath
        .split(".")
        .at(-1)!
        .replaceAll(/\[\d+\]/g, "");
      return { code: fieldCode, msg: SENTENCE, keyname, keypath };
    });
    const expected = { ...HEAD, status, body: { ...TIMES, srvrsp: null, errcode: code, errmsg: SENTENCE, errlist } };
    const message = () => `expected ${answer.status} ${JSON.stringify(answer.body)} to be ${status} ${code}`;
    return { pass: this.equals(actual, expected, [], true), message, actual, expected };
  },
});

/** Sends a request with the merchant's keys in its body. */
export function ask(
  installation: Installation,
  { keys }: TestMerchant,
  path: string,
  body: Members,
  headers?: Record<string, string>,
): Promise<Answer> {
  return installation.send("POST", path, { ...keys, ...body }, headers);
}

function describeAnswer({ status, headers, body }: Answer): Members {
  const { errlist, ...rest } = body as { readonly errlist: readonly ListedError[] | null };
  const name = ({ keypath, code }: ListedError) => `${keypath} ${code}`;
  const inOrder = errlist?.toSorted((a, b) => (name(a) < name(b) ? -1 : 1)) ?? null;
  return {
    status,
    type: headers.get("content-type"),
    requestId: headers.get("x-request-id"),
    body: { ...rest, errlist: inOrder },
  };
}
