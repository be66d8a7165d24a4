// A stand-in that records each of its answers. No assertions.
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { Desk, type DeskOptions } from "../../stand-ins/desk.ts";
import { makeStandIn, type Protocol } from "../../stand-ins/stand-in.ts";
import type { SeenAnswer } from "./contract.ts";

export const RECORDED = { id: "key", secret: "secret", noticeSecret: "whsec" };
const OPTIONS: DeskOptions = {
  file: ":memory:",
  credentials: RECORDED,
  noticeUrl: null,
  settleMs: 0,
  callsPerSecond: null,
  random: () => 0,
};

export class RecordedStandIn {
  readonly desk: Desk;
  readonly answers: SeenAnswer[] = [];
  readonly #app: FastifyInstance;
  url = "";

  private constructor(protocol: Protocol) {
    const { app, desk } = makeStandIn(protocol, OPTIONS);
    [this.#app, this.desk] = [app, desk];
    app.addHook("onSend", async (request, reply, payload) => {
      const path = new URL(request.url, "http://here").pathname;
      if (!path.startsWith("/_sim")) this.#note(request.method, path, reply.statusCode, String(payload));
      return payload;
    });
  }

  static async start(protocol: Protocol): Promise<RecordedStandIn> {
    const standIn = new RecordedStandIn(protocol);
    await standIn.#app.listen({ port: 0, host: "127.0.0.1" });
    standIn.url = `http://127.0.0.1:${(standIn.#app.server.address() as AddressInfo).port}`;
    return standIn;
  }

  async stop(): Promise<void> {
    await this.#app.close();
    this.desk.book.close();
  }

  /** Calls it, and returns the status of its answer. */
  async call(
    method: string,
    path: string,
    { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body?: object },
  ): Promise<number> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : null,
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  #note(method: string, path: string, status: number, payload: string): void {
    let body: unknown = null;
    try {
      body = JSON.parse(payload);
    } catch {
      // Broken on purpose.
    }
    this.answers.push({ method, path, status, body });
  }
}

/** The calls for which a protocol has a route, as `METHOD /path`. */
export function routesOf(protocol: Protocol): [method: string, path: string][] {
  const routes: [string, string][] = [];
  const add = (method: string) => (path: string) => {
    if (!path.startsWith("/_sim/")) routes.push([method, path]);
  };
  const methods = ["get", "post", "put", "patch", "delete"];
  const app = Object.fromEntries(methods.map((name) => [name, add(name.toUpperCase())]));
  protocol.addRoutes(app as unknown as FastifyInstance, new Desk(OPTIONS, protocol));
  return routes;
}
