// Nodal as its users have it, for tests: a server process of its own, the command line, and a client of its API. No
// assertion.
import { execFile, fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { CommandResult, HostedCommand } from "./command-host.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
export const START_TIMEOUT_MS = 180_000;
/** The master key of every server and command of the tests, but for those that are about master keys. */
export const TEST_MASTER_KEY = "dGVzdHMgb25seTogbm90IGEgc2VjcmV0IGF0IGFsbCE=";

/** Where main.ts keeps what was compiled: by its name from the start, it has what comes before main.ts too. */
const COMPILED = { NODE_COMPILE_CACHE: join(REPOSITORY, "node_modules/.cache/nodal") };

/** Only a proxy polls /readyz before a test's server stops. */
const AT_ONCE = { DRAIN_NOTICE_MS: "0" };

/** Tests make more requests than people and programs do, but for those that are about limits. */
const UNLIMITED = {
  RATE_LIMIT_PER_MINUTE: "1000000",
  DASHBOARD_RATE_LIMIT_PER_MINUTE: "1000000",
  PROVIDER_CALLS_PER_SECOND: "0",
};

export type Environment = Readonly<Record<string, string>>;

/** A folder for an installation's data, which PostgreSQL's own user can enter. */
export async function makeDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "nodal-test-"));
  await chmod(folder, 0o755);
  return join(folder, "data");
}

/** Removes what `makeDataDir` made. The server must have stopped. */
export async function removeDataDir(dataDir: string): Promise<void> {
  await rm(join(dataDir, ".."), { recursive: true, force: true });
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** A server process. Its standard output and error are kept, for messages of failing tests. */
export class NodalProcess {
  readonly baseUrl: string;
  readonly child: ChildProcess;
  output = "";

  /** Its own address, also where requests go through a proxy before it. */
  get ownUrl(): string {
    return this.baseUrl;
  }

  protected constructor(child: ChildProcess, baseUrl: string) {
    this.child = child;
    this.baseUrl = baseUrl;
    child.stdout?.on("data", (chunk: Buffer) => (this.output += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (this.output += chunk.toString()));
  }

  /** Starts a server and waits until it is ready. `environment` needs DATA_DIR or DATABASE_URL. */
  static async start(environment: Environment): Promise<NodalProcess> {
    const port = environment["PORT"] ?? String(await freePort());
    const child = spawn(process.execPath, ["--import", "./test/support/end-with-parent.ts", "src/main.ts"], {
      cwd: REPOSITORY,
      env: { ...COMPILED, ...serverEnvironment(environment), PORT: port },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const server = new NodalProcess(child, `http://127.0.0.1:${port}`);
    await server.#untilReady(environment["OPERATIONS_PORT"] ?? port);
    return server;
  }

  /** Asks the server to stop and waits until it has. Returns its exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (hasEnded(this.child)) return this.child.exitCode;
    this.child.kill(signal);
    await once(this.child, "exit");
    return this.child.exitCode;
  }

  async #untilReady(port: string): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      if (this.child.exitCode !== null || Date.now() > deadline)
        throw new Error(`the server did not start:\n${this.output}`);
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      );
      if (ready) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Whether a process is over, by itself or by a signal. */
export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Runs `nodal …` in a separate process, as a shell does, and returns its result. */
export function nodalProcess(environment: Environment, ...args: string[]): Promise<CommandResult> {
  return nodalProcessOf(REPOSITORY, environment, ...args);
}

/** The same for a release in another folder. */
export async function nodalProcessOf(
  release: string,
  environment: Environment,
  ...args: string[]
): Promise<CommandResult> {
  try {
    const run = await promisify(execFile)(process.execPath, ["bin/nodal.js", ...args], {
      cwd: release,
      env: { ...baseEnvironment(), ...environment },
      maxBuffer: 256 * 1024 * 1024,
    });
    return { code: 0, ...run };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

/** Runs `nodal …` and returns its result: in a reused process, one after the other, since most of a command's time is its start. */
export function nodal(environment: Environment, ...args: string[]): Promise<CommandResult> {
  return (commands ??= new CommandHost()).run({ ...baseEnvironment(), ...environment }, args);
}

let commands: CommandHost | null = null;

/** The process that runs commands for this one. It ends with it. */
class CommandHost {
  readonly #child = forkHost("command-host.ts");
  #last: Promise<unknown> = Promise.resolve();

  run(environment: Environment, args: readonly string[]): Promise<CommandResult> {
    const result = this.#last.then(() => this.#send({ environment, args }));
    this.#last = result.catch(() => {});
    return result;
  }

  async #send(command: HostedCommand): Promise<CommandResult> {
    this.#child.channel?.ref();
    const answer = once(this.#child, "message") as Promise<[CommandResult]>;
    this.#child.send(command);
    const [result] = await answer;
    this.#child.channel?.unref();
    return result;
  }
}

/** Runs `nodal … --json` and returns the JSON value; throws what it wrote on standard error if it failed. */
export async function nodalJson<T>(environment: Environment, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await nodal(environment, ...args, "--json");
  if (code !== 0) throw new Error(`nodal ${args.join(" ")} failed with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout) as T;
}

/** Starts a file of this folder as a helper process, which does not keep this one from ending. */
export function forkHost(file: string): ChildProcess {
  const env = { ...baseEnvironment(), ...COMPILED };
  const child = fork(join(import.meta.dirname, file), { cwd: REPOSITORY, env });
  child.unref();
  child.channel?.unref();
  return child;
}

/** What a server of the tests is started with, beside what it is given. */
export function serverEnvironment(environment: Environment): Environment {
  return { ...baseEnvironment(), ...UNLIMITED, ...AT_ONCE, ...environment };
}

/** The tests' own environment without anything that configures Nodal. */
function baseEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "/tmp" } = process.env;
  // The machine may have an installation of its own.
  return { PATH, HOME, LOG_LEVEL: "warn", NODAL_MASTER_KEY: TEST_MASTER_KEY, NODAL_SETTINGS_FILE: "/dev/null" };
}

export type Answer = {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into answers of every shape
  readonly body: any;
  readonly headers: Headers;
};

/** A merchant's client: gets a token by its keys and sends it with every request. */
export class MerchantClient {
  readonly #baseUrl: string;
  readonly #token: string;

  private constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  static async signIn(
    baseUrl: string,
    keys: { access_key_id: string; secret_access_key: string },
  ): Promise<MerchantClient> {
    const answer = await send(baseUrl, "POST", "/api/token", {
      access_key_id: keys.access_key_id,
      secret_access_key: keys.secret_access_key,
    });
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${JSON.stringify(answer.body)}`);
    return new MerchantClient(baseUrl, answer.body.success.token);
  }

  get token(): string {
    return this.#token;
  }

  get(path: string): Promise<Answer> {
    return send(this.#baseUrl, "GET", path, undefined, { authorization: `Bearer ${this.#token}` });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return send(this.#baseUrl, "POST", path, body, { authorization: `Bearer ${this.#token}`, ...headers });
  }
}

/** Sends one request. A string (as JSON), bytes or a form go as they are, anything else as JSON. */
export async function send(
  baseUrl: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isForm = body instanceof FormData || body instanceof URLSearchParams;
  const isReady = isForm || typeof body === "string" || body instanceof Uint8Array;
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    // `fetch` itself names the type of a form.
    headers: { ...(body === undefined || isForm ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: isReady ? (body as FormData | string) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  // Files, such as CSV, are answered as they are.
  const isJson = answer.headers.get("content-type")?.includes("json");
  return {
    status: answer.status,
    body: text === "" ? null : isJson ? JSON.parse(text) : text,
    headers: answer.headers,
  };
}
