// The dashboard's API as a browser has it, for tests: cookies kept, the CSRF token sent, and people to sign in as. No
// assertion.
import { TOTP } from "otpauth";
import { recordEvents } from "../../src/ledger/index.ts";
import { OPERATORS, requireMerchant } from "../../src/merchants/index.ts";
import { insertUser } from "../../src/merchants/users/manage-users.ts";
import { makePassword } from "../../src/merchants/users/password-rule.ts";
import { matchTotp } from "../../src/merchants/users/totp.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { createHttpServer } from "../../src/platform/http/server.ts";
import { createLogger } from "../../src/platform/log.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { registerDashboardRoutes, type DashboardOptions, type RouteAccess } from "../../src/api/index.ts";
import { cheapHash } from "./cheap-password.ts";
import type { Installation } from "./installation.ts";
import { findBrokenPromises } from "./dashboard-contract.ts";
import { findRepeatFaults, firstWriteOf } from "./repeated-writes.ts";
import { send, type Answer, type NodalProcess } from "./nodal.ts";

export type Person = {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  /** Given if the sign-in has to name the merchant. */
  readonly merchant?: string;
};
/** A route as it is registered: `/api/v4/users/:user_id`. */
export type DashboardRoute = {
  readonly method: string;
  readonly url: string;
  /** Set for a route that programs call too. */
  readonly access?: RouteAccess;
};

let people = 0;

const KEEP_FIRST_PASSWORD =
  "update login set must_change_password = false where login_id = $1 returning bucket, merchant_id";

/** Makes a user of a merchant, or an operator for `null`, whose first password need not be changed and is checked fast. */
export async function newPerson(
  { pool }: Pick<Installation, "pool">,
  merchantId: string | null,
  roleName = "Owner",
): Promise<Person> {
  const owner = merchantId === null ? OPERATORS : await requireMerchant(pool, BigInt(merchantId));
  const email = `person${(people += 1)}@example.com`;
  const kind = merchantId === null ? "operator" : "user";
  const password = makePassword();
  const loginId = await new IdSource(pool).next();
  const person = {
    kind,
    email,
    name: `Person ${people}`,
    roleName,
    loginId,
    password,
    passwordHash: cheapHash(password),
  } as const;
  await inTransaction(pool, async (connection) => {
    await insertUser(connection, owner, person, true);
    await connection.query(KEEP_FIRST_PASSWORD, [loginId]);
  });
  return { id: String(loginId), email, password };
}

/** Lets a user or a franchise keep a first password. */
export async function keepFirstPassword(pool: Installation["pool"], loginId: bigint | string): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<{ bucket: number; merchant_id: bigint }>(KEEP_FIRST_PASSWORD, [loginId]);
    for (const { bucket, merchant_id: merchantId } of rows) {
      const changed = { type: "login.password_changed", subjectId: BigInt(loginId) };
      await recordEvents(connection, { bucket, merchantId }, [changed]);
    }
  });
}

/** A browser: it keeps cookies, and sends what pages send. */
export class Browser {
  readonly #baseUrl: string;
  readonly cookies = new Map<string, string>();
  /** The attributes with which each cookie was last set. */
  readonly cookieLines = new Map<string, string>();
  csrfToken = "";

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** Signs somebody in with a browser of its own; to a merchant, where one is named. */
  static async signIn(
    { server }: { readonly server: Pick<NodalProcess, "baseUrl"> },
    { email, password, merchant }: Omit<Person, "id">,
  ): Promise<Browser> {
    const browser = new Browser(server.baseUrl);
    const answer = await browser.post("/session/sign-in", { email, password, merchant });
    if (answer.status !== 200) throw new Error(`not signed in: ${answer.status} ${JSON.stringify(answer.body)}`);
    return browser;
  }

  /** The bytes of a file, where there is one. */
  async getFile(path: string): Promise<{ status: number; headers: Headers; bytes: Uint8Array }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(this.#baseUrl + addressOf(path), { headers: { cookie } });
    return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send("GET", path, undefined, headers);
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send("POST", path, body, headers);
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.send("PUT", path, body);
  }

  delete(path: string): Promise<Answer> {
    return this.send("DELETE", path);
  }

  /**
   * Sends a request below /api/v4, or /api for /session/…, and keeps the cookies and the CSRF token of the answer. A member or
   * parameter `request_key` is sent as Idempotency-Key. A refusal is returned as `flatRefusal` says. Throws where the answer is not of
   * the type that its handler declares.
   */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const [address, keyInPath] = takeKey(addressOf(path));
    const [sent, key = keyInPath] = takeKeyOfBody(body);
    const first = firstWriteOf(method, address, key ?? headers["idempotency-key"]);
    const ask = (): Promise<Answer> =>
      send(this.#baseUrl, method, address, sent, {
        ...(cookie === "" ? {} : { cookie }),
        ...(this.csrfToken === "" || method === "GET" ? {} : { "x-nodal-csrf": this.csrfToken }),
        ...(first === null && key === undefined ? {} : { "idempotency-key": key ?? first!.key }),
        ...headers,
      });
    const received = await ask();
    const answer = { ...received, body: flatRefusal(received.body) };
    for (const line of answer.headers.getSetCookie()) {
      const [name, value] = line.split(";", 1)[0]!.split("=") as [string, string];
      this.cookieLines.set(name, line);
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const broken = [
      ...findBrokenPromises(method, address, answer.status, answer.body),
      ...(first ? await findRepeatFaults(first, received, ask) : []),
    ];
    if (broken.length > 0) throw new Error(`not what the handler declares: ${broken.join("; ")}`);
    const token = (answer.body as { csrf_token?: string } | null)?.csrf_token;
    if (token !== undefined) this.csrfToken = token;
    return answer;
  }
}

/** The members of an error beside its fields, as tests name them: `error` is its sentence, `errors` its fields. Anything else as it is. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in `Answer`
export function flatRefusal(body: unknown): any {
  const { error } = (body ?? {}) as { readonly error?: { readonly fields: readonly { readonly path: string }[] } };
  if (typeof error !== "object" || error === null || !Array.isArray(error.fields)) return body;
  const {
    message,
    fields,
    docs: _,
    ...rest
  } = error as unknown as Record<string, unknown> & {
    readonly fields: readonly Record<string, unknown>[];
  };
  const errors = fields.map(({ path, ...field }) => ({ field: path, ...field }));
  return { status: 0, error: message, ...rest, ...(errors.length > 0 ? { errors } : {}) };
}

function takeKey(address: string): [string, string | undefined] {
  const key = /[?&]request_key=([^&]*)/.exec(address)?.[1];
  return [address.replace(/([?&])request_key=[^&]*&?/, "$1").replace(/[?&]$/, ""), key];
}

function takeKeyOfBody(body: unknown): [unknown, string?] {
  if (typeof body !== "object" || body === null || !("request_key" in body)) return [body];
  const { request_key: key, ...rest } = body;
  return typeof key === "string" && key !== "" ? [rest, key] : [rest];
}

/** The path in the contract of a route as it is registered. */
export function pathOf(url: string): string {
  return url.replace(/^\/api(\/v4)?/, "");
}

/** Where a route is, by its path in the contract: `/session/…` is for people at a screen alone. */
function addressOf(path: string): string {
  return `${/^\/session(\/|$)/.test(path) ? "/api" : "/api/v4"}${path}`;
}

/** An authenticator app. Each code is one that it has not shown yet: the next step's counts too. */
const TYPED_WITHIN_MS = 25_000;

export class AuthenticatorApp {
  readonly #secret: string;
  #lastStep = 0n;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /**
   * A currently valid code, which stays valid long enough to be typed on a busy machine. There are two or three in half a minute;
   * after that it waits for the next step.
   */
  async nextCode(): Promise<string> {
    const stepAt = (atMs: number): bigint => BigInt(Math.floor(atMs / 30_000));
    for (;;) {
      // A code is valid in its own step and the adjacent ones.
      const steps = [];
      for (let each = stepAt(Date.now() + TYPED_WITHIN_MS) - 1n; each <= stepAt(Date.now()) + 1n; each += 1n)
        steps.push(each);
      const step = steps.find((candidate) => candidate > this.#lastStep);
      if (step !== undefined) {
        this.#lastStep = step;
        return new TOTP({ secret: this.#secret }).generate({ timestamp: Number(step) * 30_000 });
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  /** A code of no valid step. */
  wrongCode(): string {
    const now = Temporal.Now.instant();
    const codes = ["000000", "111111", "222222", "333333"];
    return codes.find((code) => matchTotp(this.#secret, code, now) === null)!;
  }
}

/** Every route of the dashboard's API, from the server's own registration. */
export async function listDashboardRoutes(): Promise<DashboardRoute[]> {
  const metrics = createMetrics();
  const logger = createLogger("silent");
  const app = await createHttpServer({ logger, metrics, trustProxy: [], publicUrl: null });
  const routes: DashboardRoute[] = [];
  app.addHook("onRoute", ({ method, url, config }) => {
    const access = config?.access;
    for (const each of [method].flat())
      if (each !== "HEAD") routes.push({ method: each, url, ...(access && { access }) });
  });
  await registerDashboardRoutes(app, {} as DashboardOptions);
  await app.ready();
  await app.close();
  await metrics.close();
  return routes;
}
