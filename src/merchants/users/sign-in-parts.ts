// What signing in, and looking after one's own login, needs of the server.
import type { IdSource } from "../../platform/database/ids.ts";
import type { Pool } from "../../platform/database/pool.ts";
import type { TenantDatabase } from "../../platform/database/tenant.ts";
import type { Session, Visitor } from "./session.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

export type SignInParts = {
  /** For whom an address signs in: everything after that is done in the name of its merchant. */
  readonly pool: Pool;
  readonly tenants: TenantDatabase;
  readonly ids: IdSource;
  readonly throttle: SignInThrottle;
  /** Keys the hashes of recovery codes. */
  readonly installationSecret: Buffer;
};

/** A call by somebody who visits, and may not be signed in. */
export type VisitorContext = SignInParts & { readonly visitor: Visitor };

/** A call by somebody who is signed in, or on the way to it. */
export type SessionContext = SignInParts & { readonly session: Session };
