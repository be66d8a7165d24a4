// The paths of routes: below /api/v4, or below /api/session for those that only people at a screen need.

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** The path below a merchant that an operator has chosen. */
export type OfMerchant<U extends string> = U extends `/session${infer Rest}`
  ? `/session/merchants/:merchant_id${Rest}`
  : `/merchants/:merchant_id${U}`;

/** Routes for people at a screen only: sign-in, forms, the home page. They may change with the pages. */
const SCREEN_ROUTES = "/session";

/** The full address of a route: `/session/home/waiting` is below /api, `/customers` below /api/v4. */
export function addressOf(url: string): string {
  return `${isScreenRoute(url) ? "/api" : "/api/v4"}${url}`;
}

/** The method and the address of a route. */
export function named<M extends Method, U extends string>(route: `${M} ${U}`): { readonly method: M; readonly url: U } {
  const [method, url] = route.split(" ") as [M, U];
  return { method, url };
}

/** The same route below a merchant. */
export function ofMerchant<M extends Method, U extends string>(route: `${M} ${U}`): `${M} ${OfMerchant<U>}` {
  const { method, url } = named(route);
  const below = isScreenRoute(url)
    ? `${SCREEN_ROUTES}/merchants/:merchant_id${url.slice(SCREEN_ROUTES.length)}`
    : `/merchants/:merchant_id${url}`;
  return `${method} ${below as OfMerchant<U>}`;
}

/** Is a route below /api/session, which takes no access keys? */
export function isScreenRoute(url: string): boolean {
  return `${url}/`.startsWith(`${SCREEN_ROUTES}/`);
}
