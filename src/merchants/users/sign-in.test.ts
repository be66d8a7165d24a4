// Signing in many times at once: an unchecked attempt is no failure, attempts of different logins don't wait for each other, and a
// login has a limited number of sessions. test/dashboard/sign-in.test.ts has single sign-ins.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { RateBook } from "../../../test/support/rate-book.ts";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { withTestSecrets } from "../../../test/support/secrets.ts";
import { createPool, type OwnedPool } from "../../platform/database/pool.ts";
import { TenantDatabase } from "../../platform/database/tenant.ts";
import { RateWindow } from "../../platform/rates/rate-window.ts";
import { hashPassword, UNKNOWN_LOGIN } from "../../platform/password.ts";
import type { Merchant } from "../merchant.ts";
import { createUser } from "./manage-users.ts";
import { MAX_SESSIONS, type SignInParts } from "./session.ts";
import { signIn, type SignIn } from "./sign-in.ts";
import { hashOfEmail } from "./sign-in-store.ts";
import { SIGN_IN_WINDOW_MS, SignInThrottle } from "./sign-in-throttle.ts";

const HOME = "192.0.2.1";
const ELSEWHERE = "198.51.100.7";

let db: LedgerDatabase;
let requests: OwnedPool;
let parts: SignInParts;
let people = 0;

beforeAll(async () => {
  db = await openLedgerDatabase();
  requests = withTestSecrets(createPool({ url: db.url, size: 8, role: "nodal_tenant", pipelined: true }));
});
beforeEach(() => {
  const secret = randomBytes(32);
  parts = {
    pool: db.server,
    tenants: new TenantDatabase(requests),
    ids: db.ids,
    throttle: new SignInThrottle(secret, new RateWindow(new RateBook().take, SIGN_IN_WINDOW_MS)),
    installationSecret: secret,
  };
});
afterAll(async () => {
  await requests.end();
  await db.close();
});

type Person = Omit<SignIn, "device">;

async function newPerson(): Promise<Person & { readonly loginId: bigint }> {
  const [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  const email = `many${(people += 1)}@example.com`;
  const draft = { kind: "user", email, name: "Asha", roleName: "Owner" } as const;
  const { loginId, password } = await createUser({ pool: db.server, ids: db.ids, merchant, by: null }, draft);
  await db.owner.query("update login set must_change_password = false where login_id = $1", [loginId]);
  return { email, password, loginId, merchantId: null };
}

function attempt(credentials: Person, address = HOME, device: string | null = null): Promise<string> {
  return signIn({ ...parts, visitor: { address, userAgent: "" } }, { ...credentials, device }).then(
    () => "in",
    (error: unknown) => (error as { code: string }).code,
  );
}

async function countSessions(loginId: bigint, state: string): Promise<number> {
  const { rows } = await db.owner.query<{ count: number }>(
    "select count(*)::integer as count from login_session where login_id = $1 and state = $2",
    [loginId, state],
  );
  return rows[0]!.count;
}

test("an attempt that found no place does not count, so that nobody is locked out by it", async () => {
  const person = await newPerson();
  const { device } = await signIn({ ...parts, visitor: { address: HOME, userAgent: "" } }, { ...person, device: null });
  let unavailable = 0;
  for (let round = 0; unavailable < 10; round += 1) {
    expect(round).toBeLessThan(10);
    // The account's queue is full: one is checked, eight wait.
    const account = `${UNKNOWN_LOGIN}${hashOfEmail(person.email).toString("hex")}`;
    const taken = Promise.allSettled(Array.from({ length: 9 }, () => hashPassword("anything", account)));
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => attempt(person, `198.51.100.${index}`)),
    );
    unavailable += outcomes.filter((outcome) => outcome === "unavailable").length;
    await taken;
  }
  // None of them counts as a failure: ten are left, and the eleventh is refused.
  const wrong = { ...person, password: "wrong" };
  for (let count = 0; count < 10; count += 1) expect(await attempt(wrong, `203.0.113.${count}`)).toBe("sign_in_failed");
  expect(await attempt(wrong, ELSEWHERE)).toBe("rate_limited");
  expect(await attempt(person, HOME, device)).toBe("in");
});

test("one login that signs in again and again, also with many devices, keeps no other waiting", async () => {
  const [hostile, good] = [await newPerson(), await newPerson()];
  const devices: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    devices.push(
      (await signIn({ ...parts, visitor: { address: HOME, userAgent: "" } }, { ...hostile, device: null })).device,
    );
  }
  const order: string[] = [];
  const flood = Array.from({ length: 40 }, (_, index) =>
    attempt(hostile, ELSEWHERE, devices[index % devices.length]).then((outcome) => order.push(`hostile ${outcome}`)),
  );
  const own = attempt(good).then((outcome) => order.push(`good ${outcome}`));
  await Promise.all([...flood, own]);
  const hashed = order.filter((entry) => entry.endsWith(" in"));
  // At most eight of one IP address are queued; the correct one is among them.
  expect(hashed.indexOf("good in")).toBeGreaterThanOrEqual(0);
  expect(hashed.indexOf("good in")).toBeLessThan(9);
  expect(order.filter((entry) => entry === "hostile sign_in_failed")).toEqual([]);
});

test("the oldest session of a login makes room for the next one; half ones end no whole ones", async () => {
  const person = await newPerson();
  const first = await signIn({ ...parts, visitor: { address: HOME, userAgent: "" } }, { ...person, device: null });
  for (let count = 0; count < MAX_SESSIONS.whole; count += 1) expect(await attempt(person)).toBe("in");
  expect(await countSessions(person.loginId, "signed_in")).toBe(MAX_SESSIONS.whole);
  const [, , firstId] = first.session.cookie.split(".");
  const { rows } = await db.owner.query("select from login_session where session_id = $1", [firstId]);
  expect(rows).toEqual([]);
  await db.owner.query("update login set must_change_password = true where login_id = $1", [person.loginId]);
  for (let count = 0; count < MAX_SESSIONS.half + 2; count += 1) expect(await attempt(person)).toBe("in");
  expect(await countSessions(person.loginId, "change_password")).toBe(MAX_SESSIONS.half);
  expect(await countSessions(person.loginId, "signed_in")).toBe(MAX_SESSIONS.whole);
});
