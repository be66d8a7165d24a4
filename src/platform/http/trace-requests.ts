// Requests as spans of traces. Added only where traces are on.
import type { Span } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import type { Tracing } from "../tracing.ts";

/** Makes each request that some route takes a span, of its route's pattern, and what its handler does a part of it. Never a path, query or body. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<object, Span>();
  app.addHook("onRequest", (request, _reply, done) => {
    const route = request.routeOptions.url ?? "none";
    const attributes = { "http.request.method": request.method, "http.route": route, "nodal.request_id": request.id };
    spans.set(request, tracing.beginRequest(`${request.method} ${route}`, request.headers, attributes));
    done();
  });
  // The handler follows from `done`; the body was read before, in whatever context its bytes came.
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
