// Operators' tools ask three questions: is the server alive, is it ready, what does it measure?
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../log.ts";
import { notFound } from "./error-answers.ts";
import type { HttpServer } from "./http-server.ts";
import { createHttpServer } from "./server.ts";

const CHECK_TIMEOUT_MS = 2000;

export type OperationsOptions = {
  /** Given before the server stops: /readyz says so at once, whatever its checks take. */
  readonly notice: StopNotice;
  /** What must hold for the server to be ready, by name. A check fails by rejecting, or by taking over 2 s. */
  readonly readinessChecks: Readonly<Record<string, () => Promise<void>>>;
  /** All metrics in Prometheus' text format. */
  readonly expose: () => Promise<string>;
};

/** Says at /readyz that a server stops, before it does: proxies that look there send it nothing more. */
export class StopNotice {
  #isGiven = false;

  get isGiven(): boolean {
    return this.#isGiven;
  }

  /** Gives notice, and waits as long as they need to look. */
  async give(noticeMs: number): Promise<void> {
    this.#isGiven = true;
    await sleep(noticeMs);
  }
}

const routeOptions = { schema: { hide: true }, onRequest: requirePlainPath };

/**
 * Makes a server for operators alone, with `/healthz`, `/readyz` and `/metrics`. Its own requests are logged and not counted.
 * The caller lets it listen and closes it.
 */
export async function createOperationsServer(logger: Logger, options: OperationsOptions): Promise<HttpServer> {
  const app = await createHttpServer({ logger, metrics: null, trustProxy: [], publicUrl: null, describeApi: null });
  registerHealthRoute(app);
  registerOperationsRoutes(app, options);
  return app;
}

/** Adds `/healthz`, which answers as long as the process does. */
export function registerHealthRoute(app: HttpServer): void {
  app.get("/healthz", routeOptions, () => ({ status: "ok" }));
}

/** Adds `/readyz` (every check passes, else 503 with the names of those that fail) and `/metrics`. */
export function registerOperationsRoutes(app: HttpServer, options: OperationsOptions): void {
  app.get("/readyz", routeOptions, async (request, reply) => {
    const refuse = (failed: readonly string[]) =>
      reply.code(503).header("retry-after", "1").send({ status: "unavailable", failed });
    if (options.notice.isGiven) return refuse(["stop"]);
    const checks = Object.entries(options.readinessChecks);
    const outcomes = await Promise.allSettled(checks.map(([, check]) => withTimeout(check)));
    const failed = checks.flatMap(([name], index) => (outcomes[index]?.status === "rejected" ? [name] : []));
    // Notice may have been given meanwhile.
    if (options.notice.isGiven) return refuse(["stop"]);
    if (failed.length === 0) return { status: "ready" };
    const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
    request.log.warn({ failed, reasons }, "not ready");
    return refuse(failed);
  });
  app.get("/metrics", routeOptions, async (_request, reply) =>
    reply.type("text/plain; version=0.0.4; charset=utf-8").send(await options.expose()),
  );
}

/** The router decodes a path first: where a proxy keeps /metrics inside, /%6detrics would come through. */
function requirePlainPath(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const path = request.raw.url?.split("?", 1)[0];
  done(path === request.routeOptions.url ? undefined : notFound());
}

async function withTimeout(check: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`took more than ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
