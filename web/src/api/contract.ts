// What the server's routes return, and take, as the server's own code says it: types alone, and nothing of its code.
import type { AddedRoute, DashboardContract } from "../../../src/api/index.ts";

/** `/users/:user_id/roles`, and `/users/${string}/roles` alike, as `/users/:/roles`: by this a route is found. */
type Key<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? `${KeyPart<First>}/${Key<Rest>}`
  : KeyPart<Path>;
type KeyPart<Part extends string> = string extends Part ? ":" : Part extends `:${string}` ? ":" : Part;

export type Method = DashboardContract["method"];

/** The routes by method and key: what each answers with (a file is no JSON), and the names of what it takes. */
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

/** The same path where a route has it; `never` for any other. */
export type Known<M extends Method, Path extends string> = Path extends unknown
  ? `${M} ${Key<Path>}` extends keyof Routes
    ? Path
    : never
  : never;

/** What a request gets back: `Answer<"GET", "/users">`, `Answer<"PUT", "/users/:user_id">`. */
export type Answer<M extends Method, Path extends string> = Of<M, Path, "answer">;

/** What may stand in the query of a request. */
export type QueryOf<M extends Method, Path extends string> = {
  readonly [Name in Of<M, Path, "query">]?: string | undefined;
};

/** The body of a request, of which no member may have a name that the route does not know. */
export type BodyOf<M extends Method, Path extends string, Given> = Given & {
  readonly [Name in Exclude<keyof Given, Of<M, Path, "body">>]: never;
};
