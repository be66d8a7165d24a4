// The HTTP server: Fastify with the limits, the body parser, the errors and the log that every route gets. Routes
// themselves belong to the domains.
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
  /** Where requests are counted; `null` where they are not. */
  readonly metrics: Metrics | null;
  /** Where requests are measured one by one; left out or `null` where they are not. */
  readonly tracing?: Tracing | null;
  /** Addresses or CIDR ranges of the proxies whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[];
  /** Where others reach the server, for the OpenAPI document; `null` means the address that serves it. */
  readonly publicUrl: string | null;
  /** Adds to the OpenAPI document what the routes' schemas don't say; `null` for a server without that document. */
  readonly describeApi?: DescribeApi | null;
  readonly bodyLimitBytes?: number;
  /** How many requests may be under way at once; more are refused with 503. */
  readonly maxInFlight?: number;
  /** How long a client may take to send its headers. */
  readonly headersTimeoutMs?: number;
  /** How long a client may take to send its whole request. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may be silent while a request is under way; longer than any handler takes. */
  readonly connectionTimeoutMs?: number;
  /** How long an idle connection is kept; longer than a load balancer in front keeps it (often 60 s). */
  readonly keepAliveTimeoutMs?: number;
};

/** Longer than any id or reference of ours, even percent-encoded. */
const MAX_PATH_PARAMETER_LENGTH = 1024;

/** Whoever opens one of these in a browser is looking at the API. */
const PROGRAMS_PATHS = /^\/(dashboard\/)?api(\/|$)/;

/** Makes the server, without any route but /openapi.json. `listen` and `close` are the caller's. */
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
      // Node would answer by itself, without a body and the headers of all: `addErrorAnswers` asks for it.
      requireHostHeader: false,
    },
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    connectionTimeout: options.connectionTimeoutMs ?? 120_000,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 72_000,
    forceCloseConnections: "idle",
    // A stopping server still answers what arrives on the connections it has, and closes them.
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
 * Gives the routes of this part of the server, and of the parts within it, another form of error body. `covers` says
 * which paths that no route has are answered in it too.
 */
export function setErrorFormat(app: FastifyInstance, format: ErrorFormat, covers?: RegExp): void {
  app.errorFormat = format;
  if (covers) app.errorAreas.push({ covers, format });
}

/** Says which page people get for an address that leads nowhere. Programs get an error as before. */
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
    // Answered before the body is read, so that a wrong path is never reported as a wrong body.
    if (request.is404) return answerMissingRoute(request, reply);
    const { httpVersion, headers } = request.raw;
    done(httpVersion === "1.1" && headers.host === undefined ? missingHost() : undefined);
  });
  app.setNotFoundHandler(answerMissingRoute);
}

/** What every answer carries, from whichever part: its id, and that it is nothing but what its Content-Type says. */
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

/** Without this, a connection whose request was in hand at the stop would be kept, and the stop would wait for it. */
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
    // What asks again and again whether the server is there would be most of the log.
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

/** Fastify's validator of one part of a request. Its decoded value takes the part's place, but for headers. */
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

/** Writes answers as their schema says. It is compiled for the first of them, so that no start waits for those of all routes. */
function writerOf(schema: Schema): (value: unknown) => string {
  let write: ((value: unknown) => string) | undefined;
  return (value) => (write ??= compileWriter(schema))(value);
}

/** What operators look at while the server is busy. */
const ALWAYS_LET_IN = new Set(["/healthz", "/readyz", "/metrics"]);

/** Refuses requests with `unavailable` (503 and Retry-After) while `maxInFlight` others are under way. */
function shedLoad(app: FastifyInstance, maxInFlight: number): void {
  let inFlight = 0;
  app.addHook("onRequest", (request, reply, done) => {
    if (inFlight >= maxInFlight && !ALWAYS_LET_IN.has(request.routeOptions.url ?? "")) {
      done(new NodalError("unavailable", "The service is overloaded. Send the same request again in a few seconds."));
      return;
    }
    inFlight += 1;
    // Whether it was answered or broken off.
    reply.raw.once("close", () => {
      inFlight -= 1;
    });
    done();
  });
}

export type KnownPath = {
  readonly methods: string[];
  /** The part of the server that the route belongs to, whose error format an answer has. */
  readonly instance: FastifyInstance;
};

type Pattern = KnownPath & { readonly matches: RegExp };

/** Watches the routes that are added from now on. The answer finds the routes of a path, whatever their method. */
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

/** Counts one finished request. `route` is the pattern of the path, never the path, so that there are few of them. */
export type ObserveRequest = (route: string, method: string, status: number, durationSeconds: number) => void;

type Series = { count: number; readonly labels: { route: string; method: string; status: string } };

/** Adds `http_requests_total` and `http_request_duration_seconds` to the metrics. */
function observeRequests(metrics: Metrics): ObserveRequest {
  const allSeries = new Map<string, Series>();
  const duration = metrics.histogram("http_request_duration_seconds", "Time to answer a request.", DURATION_BUCKETS_S);
  // Counted here and read when metrics are scraped: a counter's own bookkeeping costs more than the rest together.
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
