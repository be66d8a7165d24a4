// OpenTelemetry traces of requests, from the route to the bank. Without OTEL_EXPORTER_OTLP_ENDPOINT nothing of this is
// loaded or called. server.ts and payouts create the spans.
import { AsyncLocalStorage } from "node:async_hooks";
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from "@opentelemetry/api";
import { LRUCache } from "lru-cache";
import type { Logger } from "./log.ts";

/** The number of things, such as transfers, whose request is remembered. */
const ORIGINS_KEPT = 20_000;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Opens tracing to a collector; `null` without an endpoint. */
export async function openTracing(endpoint: string | null, logger: Logger): Promise<Tracing | null> {
  if (endpoint === null) return null;
  const { BatchSpanProcessor, TracerProvider } = await import("@opentelemetry/sdk-trace");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-proto");
  const { resourceFromAttributes } = await import("@opentelemetry/resources");
  const { W3CTraceContextPropagator } = await import("@opentelemetry/core");
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, "")}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "nodal" }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const propagator = new W3CTraceContextPropagator();
  const getter = {
    get: (headers: Headers, key: string) => headers[key],
    keys: (headers: Headers) => Object.keys(headers),
  };
  logger.info({ endpoint: new URL(endpoint).origin }, "sending traces");
  return new Tracing({
    tracer: provider.getTracer("nodal"),
    contextOf: (headers) => propagator.extract(ROOT_CONTEXT, headers, getter),
    close: () => provider.shutdown().catch((err: unknown) => logger.warn({ err }, "could not send the last traces")),
  });
}

export type TracingOptions = {
  readonly tracer: ReturnType<typeof trace.getTracer>;
  /** The trace context that a request's headers give. */
  readonly contextOf: (headers: Headers) => Context;
  readonly close: () => Promise<void>;
};

export class Tracing {
  readonly #options: TracingOptions;
  readonly #current = new AsyncLocalStorage<Span>();
  readonly #origins = new LRUCache<bigint, Context>({ max: ORIGINS_KEPT });

  constructor(options: TracingOptions) {
    this.#options = options;
  }

  /** Starts the span of a request. The caller ends it. */
  beginRequest(name: string, headers: Headers, attributes: Attributes): Span {
    const options = { kind: SpanKind.SERVER, attributes };
    return this.#options.tracer.startSpan(name, options, this.#options.contextOf(headers));
  }

  /** Runs `work`, and everything it starts, within this span. */
  runWithin(span: Span, work: () => void): void {
    this.#current.run(span, work);
  }

  /** Links later steps of this id to the current span, if there is one. */
  remember(id: bigint): void {
    const span = this.#current.getStore();
    if (span) this.#origins.set(id, trace.setSpan(ROOT_CONTEXT, span));
  }

  /** Measures a step of the thing with this id, below the span of its request if known. */
  async measure<T>(
    id: bigint,
    { name, kind, attributes }: { readonly name: string; readonly kind: SpanKind; readonly attributes: Attributes },
    step: () => Promise<T>,
    describe: (result: T) => Attributes = () => ({}),
  ): Promise<T> {
    const context = this.#origins.get(id) ?? ROOT_CONTEXT;
    const span = this.#options.tracer.startSpan(name, { kind, attributes }, context);
    try {
      const result = await step();
      span.setAttributes(describe(result));
      return result;
    } catch (error) {
      // Only the kind of error: its message may quote the bank's answer.
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : "unknown" });
      throw error;
    } finally {
      span.end();
    }
  }

  /** Sends the remaining spans, and stops. */
  close(): Promise<void> {
    return this.#options.close();
  }
}
