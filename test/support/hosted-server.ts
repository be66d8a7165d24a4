// Servers that share one process, which ends with the process of the tests: see server-host.ts.
// What belongs here: asking it to start and stop them. No assertion.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { REPOSITORY } from "./files.ts";
import { COMPILED, NodalProcess, serverEnvironment, type Environment } from "./nodal.ts";
import type { FromHost, ToHost } from "./server-host.ts";

type Told<K extends string> = Extract<FromHost, Record<K, unknown>>;

/** The process, and what it says of each server. */
class ServerHost {
  readonly child = fork(join(import.meta.dirname, "server-host.ts"), {
    cwd: REPOSITORY,
    env: { ...COMPILED, ...serverEnvironment({}) },
  });
  readonly #listeners = new Map<number, (told: FromHost) => void>();
  readonly #ended = once(this.child, "exit");
  #lastId = 0;

  constructor() {
    this.child.on("message", (told: FromHost) => this.#listeners.get(told.id)?.(told));
    this.child.unref();
    this.child.channel?.unref();
  }

  newId(): number {
    return (this.#lastId += 1);
  }

  /** Asks for something, and waits until it is said to be done. What is logged meanwhile and afterwards goes to `keep`. */
  async ask<K extends "address" | "stopped">(question: ToHost, done: K, keep: (log: string) => void): Promise<Told<K>> {
    const { promise, resolve } = Promise.withResolvers<FromHost>();
    this.#listeners.set(question.id, (told) => ("log" in told ? keep(told.log) : resolve(told)));
    this.child.send(question);
    const told = await Promise.race([promise, this.#ended]);
    if (done in told) return told as Told<K>;
    throw new Error(`a server's process did not say "${done}", but ${JSON.stringify(told)}`);
  }
}

let host: ServerHost | null = null;

/** A server in that process. It can't be killed: one that is to be has a process of its own, `NodalProcess.start`. */
export class HostedServer extends NodalProcess {
  readonly #host: ServerHost;
  readonly #id: number;

  private constructor(serverHost: ServerHost, id: number, baseUrl: string, output: string) {
    super(serverHost.child, baseUrl);
    this.#host = serverHost;
    this.#id = id;
    this.output = output;
  }

  /** Starts a server and waits until it is ready. `environment` needs DATABASE_URL. */
  static override async start(environment: Environment): Promise<HostedServer> {
    if (host === null || host.child.exitCode !== null || host.child.signalCode !== null) host = new ServerHost();
    const id = host.newId();
    const settings = serverEnvironment({ PORT: "0", ...environment });
    const said = { output: "" };
    let receiver: { output: string } = said;
    const { address } = await host.ask({ id, start: settings }, "address", (log) => {
      receiver.output += log;
    });
    const server = new HostedServer(host, id, address, said.output);
    receiver = server;
    return server;
  }

  override async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (signal !== "SIGTERM") throw new Error(`a server that is to get ${signal} needs a process of its own`);
    await this.#host.ask({ id: this.#id, stop: true }, "stopped", (log) => (this.output += log));
    return 0;
  }
}
