// Which methods a path has, for the answer to a request that no route takes: 405 with `Allow`, or 404.
// What belongs here: matching paths to routes. It adds no routes, so that the OpenAPI document shows only real ones.
import type { FastifyInstance } from "fastify";

export type KnownPath = {
  readonly methods: string[];
  /** The part of the server that the route belongs to, whose error format an answer has. */
  readonly instance: FastifyInstance;
};

type Pattern = KnownPath & { readonly matches: RegExp };

/** Watches the routes that are added from now on. The answer finds the routes of a path, whatever their method. */
export function watchPaths(app: FastifyInstance): (path: string) => KnownPath | null {
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
