// Requests as spans of traces. Only added if tracing is on.
import type { Span } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import type { Tracing } from "../tracing.ts";

/**
 * Makes each request with a route a span, named by the route's pattern, and runs its handler within it. Never records a
 * path, query or body.
 */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<object, Span>();
  app.addHook("onRequest", (request, _reply, done) => {
    const route = request.routeOptions.url ?? "none";
    const attributes = { "http.request.method": request.method, "http.route": route, "nodal.request_id": request.id };
    spans.set(request, tracing.beginRequest(`${request.method} ${route}`, request.headers, attributes));
    done();
  });
  // `done` continues with the handler. The body was read before, in the context of its bytes.
  app.addHook("preHandler", (request, _reply, done) => {
    const span = spans.get(request);
    if (span) tracing.runWithin(span, done);
    else done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const span = spans.get(request);
    span?.setAttribute("http.response.status_code", reply.statusCode);
    span?.end();
    done();
  });
}
