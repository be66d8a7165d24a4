// Requests as spans: their trace, and later steps, even after the answer.
import { SpanKind } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { ROOT_CONTEXT } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { createTestServer } from "../../../test/support/app-server.ts";
import { createLogger } from "../log.ts";
import { openTracing, Tracing } from "../tracing.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

test("a step is beneath the request that asked for it, in the caller's trace, also when it comes later", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const propagator = new W3CTraceContextPropagator();
  const getter = {
    get: (headers: Record<string, unknown>, key: string) => headers[key] as string,
    keys: (headers: object) => Object.keys(headers),
  };
  const tracing = new Tracing({
    tracer: provider.getTracer("test"),
    contextOf: (headers) => propagator.extract(ROOT_CONTEXT, headers, getter),
    close: () => provider.shutdown(),
  });
  const { app, close } = await createTestServer({ tracing });
  app.post("/asked/:id", async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    tracing.remember(BigInt((request.params as { id: string }).id));
    return {};
  });
  const traceparent = `00-${TRACE_ID}-${CALLER}-01`;
  await Promise.all([
    app.inject({ method: "POST", url: "/asked/7", headers: { traceparent } }),
    app.inject({ method: "POST", url: "/asked/8" }),
  ]);
  const step = { name: "pay", kind: SpanKind.CLIENT, attributes: { rail: "simulator" } };
  const failed = tracing.measure(8n, step, () => Promise.reject(new TypeError("account 1234 is closed")));
  await expect(failed).rejects.toThrow("closed");
  expect(
    await tracing.measure(
      7n,
      step,
      () => Promise.resolve(1),
      (result) => ({ result }),
    ),
  ).toBe(1);
  const spans = exporter.getFinishedSpans();
  const requests = spans.filter(({ name }) => name === "POST /asked/:id");
  const ofCaller = requests.find((span) => span.spanContext().traceId === TRACE_ID)!;
  const other = requests.find((span) => span !== ofCaller)!;
  expect(ofCaller).toMatchObject({ kind: SpanKind.SERVER, attributes: { "http.route": "/asked/:id" } });
  expect(ofCaller.parentSpanContext?.spanId).toBe(CALLER);
  const [lost, paid] = spans.filter(({ name }) => name === "pay");
  expect(paid!.parentSpanContext?.spanId).toBe(ofCaller.spanContext().spanId);
  expect(paid!.attributes).toEqual({ rail: "simulator", result: 1 });
  expect(lost!.parentSpanContext?.spanId).toBe(other.spanContext().spanId);
  expect(lost!.status.message).toBe("TypeError");
  expect(JSON.stringify(spans.map(({ name, attributes, status }) => [name, attributes, status]))).not.toMatch(
    /secret|1234/,
  );
  await close();
  await tracing.close();
});

test("without an endpoint there is no tracing at all", async () => {
  expect(await openTracing(null, createLogger("silent"))).toBeNull();
});
