// What the server's routes return, and take, as the server's own code says it: types alone, and nothing of its code.
import type { AddedRoute, DashboardContract } from "../../../src/dashboard-api/index.ts";

/** `/users/:user_id/roles`, and `/users/${string}/roles` alike, as `/users/:/roles`: by this a route is found. */
type Key<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? `${KeyPart<First>}/${Key<Rest>}`
  : KeyPart<Path>;
type KeyPart<Part extends string> = string extends Part ? ":" : Part extends `:${string}` ? ":" : Part;

export type Method = DashboardContract["method"];

/** The routes by method and key. */
type Routes<Added extends { readonly method: string; readonly url: string } = DashboardContract> = {
  [Route in Added as `${Route["method"]} ${Key<Route["url"]>}`]: Route;
};
type RouteAt<M extends Method, Path extends string> = Routes[`${M} ${Key<Path>}` & keyof Routes];

/** The same path where a route has it; `never` for any other. */
export type Known<M extends Method, Path extends string> = Path extends unknown
  ? `${M} ${Key<Path>}` extends keyof Routes
    ? Path
    : never
  : never;

/** What a request gets back: `Answer<"GET", "/users">`, `Answer<"PUT", "/users/:user_id">`. A file is no JSON. */
export type Answer<M extends Method, Path extends string> =
  RouteAt<M, Path> extends AddedRoute<Method, string, infer Sent, string, string>
    ? Exclude<Sent, { send: unknown }>
    : never;

type Taken<M extends Method, Path extends string> = NonNullable<RouteAt<M, Path>["takes"]>;

/** What may stand in the query of a request. */
export type QueryOf<M extends Method, Path extends string> = {
  readonly [Name in Taken<M, Path>["query"]]?: string | undefined;
};

/** The body of a request, of which no member may have a name that the route does not know. */
export type BodyOf<M extends Method, Path extends string, Given> = Given & {
  readonly [Name in Exclude<keyof Given, Taken<M, Path>["body"]>]: never;
};
