// The HTTP server: Fastify with limits, body parser, errors and log for all routes. The routes are in the domains.
import { randomUUID } from "node:crypto";
import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import compileWriter, { type Schema } from "fast-json-stringify";
import { NodalError } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { Tracing } from "../tracing.ts";
import { limitPieces } from "./body-reader.ts";
import { clientAddress } from "./client-address.ts";
import {
  answerClientError,
  answerError,
  defaultErrorFormat,
  errorFormatAt,
  notFound,
  type ErrorFormat,
} from "./error-answers.ts";
import type { FieldTypeProvider, HttpServer, MissingPage } from "./http-server.ts";
import { decode, isField } from "./field.ts";
import { parseJsonRequest } from "./json-body.ts";
import { registerOpenApi, type DescribeApi } from "./openapi.ts";
import { traceRequests } from "./trace-requests.ts";

export type { HttpServer } from "./http-server.ts";

export type HttpServerOptions = {
  readonly logger: Logger;
  /** Counts requests; `null` to not count them. */
  readonly metrics: Metrics | null;
  /** Traces requests; left out or `null` to not trace them. */
  readonly tracing?: Tracing | null;
  /** Addresses or CIDR ranges of the proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy: readonly string[];
  /** The server's public URL, for the OpenAPI document; `null` means the address that serves it. */
  readonly publicUrl: string | null;
  /** Adds to the OpenAPI document what the routes' schemas lack; `null` for a server without that document. */
  readonly describeApi?: DescribeApi | null;
  readonly bodyLimitBytes?: number;
  /** How many requests may run at once; more are refused with 503. */
  readonly maxInFlight?: number;
  /** How long a client may take to send its headers. */
  readonly headersTimeoutMs?: number;
  /** How long a client may take to send its whole request. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may be silent during a request; longer than any handler takes. */
  readonly connectionTimeoutMs?: number;
  /** How long an idle connection is kept; longer than a load balancer in front keeps it (often 60 s). */
  readonly keepAliveTimeoutMs?: number;
};

/** Longer than any id or reference of ours, even percent-encoded. */
const MAX_PATH_PARAMETER_LENGTH = 1024;

/** In a browser, these paths show the API. */
const PROGRAMS_PATHS = /^\/(dashboard\/)?api(\/|$)/;

/** Creates the server, with /openapi.json as its only route. The caller calls `listen` and `close`. */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const loggerInstance: FastifyBaseLogger = options.logger;
  const app = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    bodyLimit: options.bodyLimitBytes ?? 1024 * 1024,
    http: {
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      connectionsCheckingInterval: 1000,
      // Node would answer by itself, without a body and the common headers; `addErrorAnswers` checks it instead.
      requireHostHeader: false,
    },
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    connectionTimeout: options.connectionTimeoutMs ?? 120_000,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 72_000,
    forceCloseConnections: "idle",
    // A stopping server still answers requests on its open connections, and closes them.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER_LENGTH },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      addHeadersOfAll(request, reply);
      answerError(error, request, reply, errorFormatAt(app, pathOf(request)));
    },
  }).withTypeProvider<FieldTypeProvider>();
  app.decorateRequest("bodyOwner", "");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, parseJsonRequest);
  app.setValidatorCompiler(({ schema, httpPart, url }) => compileValidator(schema, httpPart, url));
  app.setSerializerCompiler(({ schema }) => writerOf(schema as Schema));
  // Node would answer an expectation other than 100-continue by itself, without a body; it may be ignored as well.
  app.server.on("checkExpectation", (request, response) => app.routing(request, response));
  addErrorAnswers(app);
  shedLoad(app, options.maxInFlight ?? Number.POSITIVE_INFINITY);
  closeConnectionsAtStop(app);
  app.addHook("preParsing", (request, _reply, _payload, done) => {
    if (hasBody(request)) limitPieces(request.raw);
    done();
  });
  addRequestLog(app, options.logger, options.metrics && observeRequests(options.metrics));
  if (options.tracing) traceRequests(app, options.tracing);
  if (options.describeApi !== null) await registerOpenApi(app, options.publicUrl, options.describeApi);
  return app;
}

/**
 * Sets the error format for the routes of this part of the server and its nested parts. `covers` matches the unknown
 * paths that use it too.
 */
export function setErrorFormat(app: FastifyInstance, format: ErrorFormat, covers?: RegExp): void {
  app.errorFormat = format;
  if (covers) app.errorAreas.push({ covers, format });
}

/** Sets the page that browsers get for an unknown address. Programs still get an error. */
export function setMissingPage(app: FastifyInstance, answer: MissingPage): void {
  Object.assign(app.missingPage, { answer });
}

function addErrorAnswers(app: FastifyInstance): void {
  app.decorate("errorFormat", defaultErrorFormat);
  app.decorate("errorAreas", []);
  app.decorate("missingPage", { answer: null });
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, request.server.errorFormat));
  const findPath = watchPaths(app);
  const answerMissingRoute = (request: FastifyRequest, reply: FastifyReply): void => {
    const asked = pathOf(request);
    const path = findPath(asked);
    if (path === null) reply.header("vary", "accept");
    if (path === null && app.missingPage.answer && isPersonAsking(request, asked)) {
      app.missingPage.answer(request, reply.code(404));
      return;
    }
    if (path === null) return answerError(notFound(), request, reply, errorFormatAt(app, asked));
    const methods = path.methods.join(", ");
    reply.header("allow", methods);
    const error = new NodalError("method_not_allowed", `This path does not allow ${request.method}. Use ${methods}.`);
    answerError(error, request, reply, path.instance.errorFormat);
  };
  app.addHook("onRequest", (request, reply, done) => {
    addHeadersOfAll(request, reply);
    // Before the body is read, so that a wrong path is never reported as a wrong body.
    if (request.is404) return answerMissingRoute(request, reply);
    const { httpVersion, headers } = request.raw;
    done(httpVersion === "1.1" && headers.host === undefined ? missingHost() : undefined);
  });
  app.setNotFoundHandler(answerMissingRoute);
}

/** The headers of all answers: the request's id, and `nosniff`. */
function addHeadersOfAll(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("x-request-id", request.id);
  reply.header("x-content-type-options", "nosniff");
}

/** Browsers name `text/html` when somebody follows a link; programs, and scripts of a page, do not. */
function isPersonAsking({ method, headers }: FastifyRequest, path: string): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  return /\btext\/html\b/i.test(headers.accept ?? "") && !PROGRAMS_PATHS.test(path);
}

function missingHost(): NodalError {
  return new NodalError(
    "malformed_request",
    "The request has no Host header, which HTTP/1.1 requires: add it and send again.",
  );
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined;
}

function pathOf(request: FastifyRequest): string {
  return request.raw.url?.split("?", 1)[0] ?? "";
}

/** Otherwise connections with a running request at the stop would be kept alive, and the stop would wait for them. */
function closeConnectionsAtStop(app: FastifyInstance): void {
  let isStopping = false;
  app.addHook("preClose", (done) => {
    isStopping = true;
    done();
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (isStopping) reply.header("connection", "close");
    done();
  });
}

/** One line for each request at level info, and at debug for those of operators' tools. Never a body, a query or a header: they hold secrets. */
function addRequestLog(app: FastifyInstance, logger: Logger, observeRequest: ObserveRequest | null): void {
  app.addHook("onResponse", (request, reply, done) => {
    const { method } = request;
    const route = request.is404 ? "none" : (request.routeOptions.url ?? "none");
    observeRequest?.(route, method, reply.statusCode, reply.elapsedTime / 1000);
    // Health checks would be most of the log.
    const level = ALWAYS_LET_IN.has(route) ? "debug" : "info";
    if (logger.isLevelEnabled(level)) {
      const durationMs = Math.round(reply.elapsedTime * 1000) / 1000;
      request.log[level](
        { method, route, status: reply.statusCode, durationMs, address: clientAddress(request) },
        "request",
      );
    }
    done();
  });
}

/** Fastify's validator of one part of a request. The decoded value replaces the part, except for headers. */
function compileValidator(
  schema: unknown,
  httpPart = "",
  url = "",
): (value: unknown) => { value: unknown } | { error: Error } {
  if (!isField(schema)) throw new Error(`${url}: make the ${httpPart} schema with the builders of fields.ts`);
  return (value) => {
    try {
      const decoded = decode(schema, value);
      return { value: httpPart === "headers" ? value : decoded };
    } catch (error) {
      return { error: error as Error };
    }
  };
}

/** Serializes answers by their schema. It is compiled for the first answer, so that the start doesn't wait for all routes. */
function writerOf(schema: Schema): (value: unknown) => string {
  let write: ((value: unknown) => string) | undefined;
  return (value) => (write ??= compileWriter(schema))(value);
}

/** Routes for operators that are answered even under overload. */
const ALWAYS_LET_IN = new Set(["/healthz", "/readyz", "/metrics"]);

/** Refuses requests with `unavailable` (503 and Retry-After) while `maxInFlight` others are running. */
function shedLoad(app: FastifyInstance, maxInFlight: number): void {
  let inFlight = 0;
  app.addHook("onRequest", (request, reply, done) => {
    if (inFlight >= maxInFlight && !ALWAYS_LET_IN.has(request.routeOptions.url ?? "")) {
      done(new NodalError("unavailable", "The service is overloaded. Send the same request again in a few seconds."));
      return;
    }
    inFlight += 1;
    // Both after an answer and after a disconnect.
    reply.raw.once("close", () => {
      inFlight -= 1;
    });
    done();
  });
}

export type KnownPath = {
  readonly methods: string[];
  /** The part of the server with the route, for its error format. */
  readonly instance: FastifyInstance;
};

type Pattern = KnownPath & { readonly matches: RegExp };

/** Watches the routes that are added from now on. The returned function finds the routes of a path, for any method. */
function watchPaths(app: FastifyInstance): (path: string) => KnownPath | null {
  const patterns = new Map<string, Pattern>();
  app.addHook("onRoute", function (this: FastifyInstance, route) {
    const pattern = patterns.get(route.url) ?? { matches: matcherOf(route.url), methods: [], instance: this };
    patterns.set(route.url, pattern);
    for (const method of [route.method].flat()) if (!pattern.methods.includes(method)) pattern.methods.push(method);
  });
  return (path) => [...patterns.values()].find((pattern) => pattern.matches.test(path)) ?? null;
}

function matcherOf(url: string): RegExp {
  const segments = url.split("/").map((segment) => {
    if (segment.startsWith(":")) return "[^/]+";
    return segment === "*" ? ".*" : segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${segments.join("/")}$`);
}

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts one finished request. `route` is the path's pattern, never the path itself, so that there are few values. */
export type ObserveRequest = (route: string, method: string, status: number, durationSeconds: number) => void;

type Series = { count: number; readonly labels: { route: string; method: string; status: string } };

/** Adds `http_requests_total` and `http_request_duration_seconds` to the metrics. */
function observeRequests(metrics: Metrics): ObserveRequest {
  const allSeries = new Map<string, Series>();
  const duration = metrics.histogram("http_request_duration_seconds", "Time to answer a request.", DURATION_BUCKETS_S);
  // Counted here and read on scrapes: a real counter's bookkeeping would cost more than everything else together.
  metrics.observedCounter("http_requests_total", "Requests answered.", (observe) => {
    for (const { count, labels } of allSeries.values()) observe(count, labels);
  });
  return (route, method, status, durationSeconds) => {
    const key = `${status}${method} ${route}`;
    let series = allSeries.get(key);
    if (series === undefined) {
      series = { count: 0, labels: { route, method, status: String(status) } };
      allSeries.set(key, series);
    }
    series.count += 1;
    duration.record(durationSeconds, series.labels);
  };
}
