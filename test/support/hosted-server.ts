// Servers that share one process, which ends with the process of the tests: see server-host.ts. No assertion.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { SETTINGS } from "../../src/platform/config.ts";
import { forkHost, hasEnded, NodalProcess, serverEnvironment, START_TIMEOUT_MS, type Environment } from "./nodal.ts";
import type { FromHost, ToHost } from "./server-host.ts";

type MessageOf<K extends string> = Extract<FromHost, Record<K, unknown>>;

/** The process, and its messages about each server. */
class ServerHost {
  readonly child = forkHost("server-host.ts");
  readonly #listeners = new Map<number, (told: FromHost) => void>();
  readonly #ended = once(this.child, "exit");
  #lastId = 0;

  constructor() {
    this.child.on("message", (told: FromHost) => this.#listeners.get(told.id)?.(told));
    // A message to an ended process is answered with its end.
    this.child.on("error", () => {});
  }

  newId(): number {
    return (this.#lastId += 1);
  }

  /** Sends a request, and waits until it is done. Log lines from then on go to `keep`. */
  async ask<K extends "address" | "stopped">(
    question: ToHost,
    done: K,
    keep: (log: string) => void,
  ): Promise<MessageOf<K>> {
    const { promise, resolve } = Promise.withResolvers<FromHost>();
    this.#listeners.set(question.id, (told) => ("log" in told ? keep(told.log) : resolve(told)));
    this.child.send(question);
    const late = sleep(START_TIMEOUT_MS, "nothing in time", { ref: false });
    const told = await Promise.race([promise, this.#ended, late]);
    if (typeof told === "object" && done in told) return told as MessageOf<K>;
    throw new Error(`the servers' process did not say "${done}", but ${JSON.stringify(told)}`);
  }
}

let host: ServerHost | null = null;

/** A server in that process. It can't be killed: for that, use a process of its own, `NodalProcess.start`. */
export class HostedServer extends NodalProcess {
  readonly #host: ServerHost;
  readonly #id: number;
  #stopped: Promise<number | null> | null = null;

  private constructor(serverHost: ServerHost, id: number, baseUrl: string, output: string) {
    super(serverHost.child, baseUrl);
    this.#host = serverHost;
    this.#id = id;
    this.output = output;
  }

  /** Starts a server and waits until it is ready. `environment` needs DATABASE_URL, and has nothing but settings of Nodal. */
  static override async start(environment: Environment): Promise<HostedServer> {
    const others = Object.keys(environment).filter((name) => !Object.hasOwn(SETTINGS, name) || name === "WORKERS");
    if (others.length > 0) throw new Error(`${others.join(", ")}: such a server needs a process of its own`);
    if (host === null || hasEnded(host.child)) host = new ServerHost();
    const id = host.newId();
    const said = { output: "" };
    let receiver: { output: string } = said;
    const keep = (log: string): void => void (receiver.output += log);
    const start = serverEnvironment({ PORT: "0", ...environment });
    const { address } = await host.ask({ id, start }, "address", keep).catch((error: unknown) => {
      throw new Error(`the server did not start:\n${said.output}`, { cause: error });
    });
    const server = new HostedServer(host, id, address, said.output);
    receiver = server;
    return server;
  }

  /** As that of a process; one whose process has ended by itself is not asked. */
  override stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (signal !== "SIGTERM") throw new Error(`a server that is to get ${signal} needs a process of its own`);
    return (this.#stopped ??= hasEnded(this.child) ? Promise.resolve(this.child.exitCode) : this.#stop());
  }

  async #stop(): Promise<number> {
    await this.#host.ask({ id: this.#id, stop: true }, "stopped", (log) => void (this.output += log));
    return 0;
  }
}
