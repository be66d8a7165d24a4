// The requests and answers of the server's routes, from the server's own types. No server code is included.
import type { AddedRoute, DashboardContract } from "../../../src/api/index.ts";

/** The key of a route: both `/users/:user_id/roles` and `/users/${string}/roles` become `/users/:/roles`. */
type Key<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? `${KeyPart<First>}/${Key<Rest>}`
  : KeyPart<Path>;
type KeyPart<Part extends string> = string extends Part ? ":" : Part extends `:${string}` ? ":" : Part;

export type Method = DashboardContract["method"];

/** The routes by method and key: the answer of each (files are not JSON), and the names that it accepts. */
type Routes<Added extends { readonly method: string; readonly url: string } = DashboardContract> = {
  [Route in Added as `${Route["method"]} ${Key<Route["url"]>}`]: Route extends AddedRoute<
    Method,
    string,
    infer Sent,
    infer Query,
    infer Body
  >
    ? { answer: Exclude<Sent, { send: unknown }>; query: Query; body: Body }
    : never;
};
/** Conditional types are compared by what they ask, which is quick; a member of so many routes by all of them. */
type Of<
  M extends Method,
  Path extends string,
  Name extends "answer" | "query" | "body",
> = `${M} ${Key<Path>}` extends infer At extends keyof Routes ? Routes[At][Name] : never;

/** The same path if a route has it; `never` for any other. */
export type Known<M extends Method, Path extends string> = Path extends unknown
  ? `${M} ${Key<Path>}` extends keyof Routes
    ? Path
    : never
  : never;

/** The answer to a request: `Answer<"GET", "/users">`, `Answer<"PUT", "/users/:user_id">`. */
export type Answer<M extends Method, Path extends string> = Of<M, Path, "answer">;

/** The query of a request. */
export type QueryOf<M extends Method, Path extends string> = {
  readonly [Name in Of<M, Path, "query">]?: string | undefined;
};

/** The body of a request, without members that the route does not know. */
export type BodyOf<M extends Method, Path extends string, Given> = Given & {
  readonly [Name in Exclude<keyof Given, Of<M, Path, "body">>]: never;
};
