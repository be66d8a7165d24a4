// Routes for operators' tools: liveness, readiness and metrics.
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../log.ts";
import { notFound } from "./error-answers.ts";
import type { HttpServer } from "./http-server.ts";
import { createHttpServer } from "./server.ts";

const CHECK_TIMEOUT_MS = 2000;

export type OperationsOptions = {
  /** Given before the server stops: /readyz then fails at once, without waiting for its checks. */
  readonly notice: StopNotice;
  /** The readiness checks, by name. A check fails by rejecting, or by taking over 2 s. */
  readonly readinessChecks: Readonly<Record<string, () => Promise<void>>>;
  /** All metrics in Prometheus' text format. */
  readonly expose: () => Promise<string>;
};

/** Makes /readyz fail before the server stops, so that proxies send it nothing more. */
export class StopNotice {
  #isGiven = false;

  get isGiven(): boolean {
    return this.#isGiven;
  }

  /** Gives notice, and waits until proxies have noticed. */
  async give(noticeMs: number): Promise<void> {
    this.#isGiven = true;
    await sleep(noticeMs);
  }
}

const routeOptions = { schema: { hide: true }, onRequest: requirePlainPath };

/**
 * Creates a separate server for operators, with `/healthz`, `/readyz` and `/metrics`. Its requests are logged, but not
 * counted. The caller starts and closes it.
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

/** The router decodes paths: /%6detrics would otherwise bypass a proxy that blocks /metrics. */
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
