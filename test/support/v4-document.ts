// The operations of /api/v4 in the OpenAPI document, without references, and the routes as the server registers them.
import { makeApiDocument } from "../../scripts/api-document.ts";
import { listDashboardRoutes } from "./dashboard.ts";
import { dereferenced } from "./dereferenced.ts";

export type Schema = { readonly [keyword: string]: unknown };
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
export type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
};
export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
};
type Document = {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

export const V4_BASE = "/api/v4";
const OF_MERCHANT = `${V4_BASE}/merchants/:merchant_id`;

const document = dereferenced((await makeApiDocument()) as Document);
export const tags = document.tags.map(({ name }) => name);

/** Each operation with its route: `GET /api/v4/transfers/:transfer_id`. */
export const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith(`${V4_BASE}/`))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      return { route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`, operation };
    }),
  );

const registered = new Set(
  (await listDashboardRoutes())
    .map(({ method, url }) => `${method} ${url}`)
    .filter((route) => route.includes(` ${V4_BASE}/`)),
);

/** Whether operators reach a route below a merchant too. */
export function isOfMerchant(route: string): boolean {
  return registered.has(route.replace(V4_BASE, OF_MERCHANT));
}

/** The routes of the server, each once. */
export const routes = [...registered].filter((route) => {
  return !route.includes(` ${OF_MERCHANT}/`) || !registered.has(route.replace(OF_MERCHANT, V4_BASE));
});

/** The scopes of which a caller needs one. */
export function scopesOf({ security }: Operation): readonly string[] {
  return security.flatMap((each) => Object.values(each).flat());
}
