// The dashboard's API as a program sees it: exact addresses, bodies and headers.
import type { Browser } from "./dashboard.ts";
import { send, type Answer, type NodalProcess } from "./nodal.ts";

/** Addresses of the API that no route has. */
export const DEAD_PATHS = ["", "/nothing", "/transfers/1/2/3", "session:/nothing"] as const;

/** Sends a request below /api/v4; a path such as `session:/sign-in` is below /api/session. */
export type Raw = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** Requests of a browser's signed-in user, or without a session. */
export function rawOf({ server }: { readonly server: Pick<NodalProcess, "baseUrl"> }, browser?: Browser): Raw {
  return (method, path, body, headers = {}) => {
    const address = path.startsWith("session:") ? `/api/session${path.slice("session:".length)}` : `/api/v4${path}`;
    const cookie = [...(browser?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
    return send(server.baseUrl, method, address, body, {
      ...(browser ? { cookie, "x-nodal-csrf": browser.csrfToken } : {}),
      ...headers,
    });
  };
}
