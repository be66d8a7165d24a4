// Which pages and navigation entries somebody gets.
// What belongs here: the decision what to show. What may be done is decided by the server, again, for each request.
import type { Session } from "../api/session.ts";
import type { Audience } from "./area.ts";

type Restricted = { readonly audience: Audience; readonly permission?: string };

/** Whether the page is one of this session's dashboard, whatever its permissions are. */
export function concerns(session: Session, { audience }: Restricted): boolean {
  if (audience === "everyone") return true;
  return audience === (session.merchant ? "merchant" : "operator");
}

/** Whether the session may see it. */
export function maySee(session: Session, restricted: Restricted): boolean {
  const { permission } = restricted;
  return concerns(session, restricted) && (permission === undefined || session.permissions.includes(permission));
}
