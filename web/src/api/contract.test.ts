// The compiler must refuse names that a route does not have: `tsc -b web` fails if it accepts one of these.
import { api } from "./client.ts";

/** Never called. */
export const refused = [
  // @ts-expect-error: there is no such route
  () => api("GET", "/user"),
  // @ts-expect-error: the list has no such filter
  () => api("GET", "/invoices", { query: { serach: "Ravi" } }),
  // @ts-expect-error: the body has no such field
  () => api("POST", "/session/sign-in", { body: { email: "meera@example.com", pasword: "secret" } }),
  // @ts-expect-error: what is returned has no such member
  async () => (await api("GET", "/users")).user,
];
