// Routes of a merchant's users and roles.
// What belongs here: wire shapes, no logic.
import { Readable } from "node:stream";
import {
  changeRole,
  changeUser,
  createRole,
  createUser,
  findLogin,
  listLogins,
  mayGrant,
  MERCHANT_PERMISSIONS,
  readRoles,
  removeRole,
  resetSecondFactor,
  resetUserPassword,
  userNotFound,
  type Login,
  type Manager,
  type Merchant,
  type Role,
  type Session,
} from "../merchants/index.ts";
import { digitsOrNumber, email, flag, ifSent, list, oneOf, requiredText } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { sendCsv } from "./csv-answer-routes.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

const NAME_LENGTH = 100;
const permission = "users.manage";
const userParams = { user_id: digitsOrNumber(16) };
const roleParams = { name: requiredText(NAME_LENGTH) };
const permissions = () => list(oneOf(MERCHANT_PERMISSIONS), MERCHANT_PERMISSIONS.length, 0);

/** Adds what lists and manages a merchant's users. */
export function registerUserRoutes(scope: DashboardScope): void {
  registerUserListRoutes(scope);
  registerUserChangeRoutes(scope);
}

function registerUserListRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/users",
    permission,
    handler: async ({ db, merchant, session }) => ({
      users: (await listLogins(db, merchant, "user")).map((login) => describeUser(login, merchant, session)),
    }),
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/users/export",
    permission,
    handler: async ({ db, merchant, session, reply }) => {
      const users = (await listLogins(db, merchant, "user")).map((login) => describeUser(login, merchant, session));
      return sendCsv<ReturnType<typeof describeUser>>(
        reply,
        "users.csv",
        {
          user_id: ({ user_id }) => user_id,
          name: ({ name }) => name,
          email: ({ email: address }) => address,
          role: ({ role }) => role,
          status: ({ disabled }) => (disabled ? "disabled" : "active"),
          second_factor: ({ second_factor: isOn }) => (isOn ? "1" : "0"),
          created_at: ({ created_at }) => created_at,
          last_sign_in_at: ({ last_sign_in_at: at }) => at ?? "",
        },
        Readable.from(users),
      );
    },
  });
}

function registerUserChangeRoutes(scope: DashboardScope): void {
  const { ids } = scope.parts;
  dashboardRoute(scope, {
    method: "POST",
    url: "/users",
    permission,
    body: { name: requiredText(NAME_LENGTH), email: email(), role: requiredText(NAME_LENGTH) },
    handler: async ({ db, merchant, session, body }) => {
      const draft = { kind: "user" as const, name: body.name, email: body.email, roleName: body.role };
      const { loginId, password } = await createUser({ pool: db, ids }, merchant, draft, managerOf(session));
      const login = await findLogin(db, { ...merchant, loginId });
      if (!login) throw userNotFound();
      return { user: describeUser(login, merchant, session), password };
    },
  });

  dashboardRoute(scope, {
    method: "PUT",
    url: "/users/:user_id",
    permission,
    params: userParams,
    body: {
      name: ifSent(requiredText(NAME_LENGTH)),
      email: ifSent(email()),
      role: ifSent(requiredText(NAME_LENGTH)),
      disabled: ifSent(flag()),
    },
    handler: async ({ db, merchant, session, params, body }) => {
      const { name, email: address, role: roleName, disabled } = body;
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(address === undefined ? {} : { email: address }),
        ...(roleName === undefined ? {} : { roleName }),
        ...(disabled === undefined ? {} : { disabled }),
      };
      const login = await changeUser(db, userKey(merchant, params.user_id), changes, managerOf(session));
      return { user: describeUser(login, merchant, session) };
    },
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/users/:user_id/reset-password",
    permission,
    params: userParams,
    handler: async ({ db, merchant, session, params }) => ({
      password: await resetUserPassword(db, userKey(merchant, params.user_id), managerOf(session)),
    }),
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/users/:user_id/reset-second-factor",
    permission,
    params: userParams,
    handler: async ({ db, merchant, session, params }) => {
      await resetSecondFactor(db, userKey(merchant, params.user_id), managerOf(session));
      return { done: true };
    },
  });
}

/** Adds what lists and manages a merchant's roles. */
export function registerRoleRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/roles",
    permission,
    handler: async ({ db, merchant, session }) => ({
      roles: (await readRoles(db, merchant)).map((role) => describeRole(role, session)),
      permissions: MERCHANT_PERMISSIONS,
    }),
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/roles",
    permission,
    body: { name: requiredText(NAME_LENGTH), permissions: permissions() },
    handler: async ({ db, merchant, session, body }) => {
      await createRole(db, merchant, body, managerOf(session));
      return { role: describeRole({ ...body, isBuiltIn: false, logins: 0 }, session) };
    },
  });

  dashboardRoute(scope, {
    method: "PUT",
    url: "/roles/:name",
    permission,
    params: roleParams,
    body: { permissions: permissions() },
    handler: async ({ db, merchant, session, params, body }) => {
      await changeRole(db, merchant, { ...params, ...body }, managerOf(session));
      const changed = (await readRoles(db, merchant)).find(({ name }) => name === params.name);
      return { role: changed && describeRole(changed, session) };
    },
  });

  dashboardRoute(scope, {
    method: "DELETE",
    url: "/roles/:name",
    permission,
    params: roleParams,
    handler: async ({ db, merchant, session, params }) => {
      await removeRole(db, merchant, params.name, managerOf(session));
      return { done: true };
    },
  });
}

/** Whoever is signed in, as one who gives permissions to others. */
export function managerOf({ login, permissions: held }: Session): Manager {
  return { loginId: login.loginId, permissions: held };
}

function userKey({ bucket, merchantId }: Merchant, userId: string) {
  return { bucket, merchantId, loginId: BigInt(userId), kind: "user" as const };
}

function describeUser(login: Login, { timeZone }: Merchant, session: Session) {
  return {
    user_id: String(login.loginId),
    name: login.name,
    email: login.email,
    role: login.roleName,
    disabled: login.disabledAt !== null,
    second_factor: login.hasSecondFactor,
    must_change_password: login.mustChangePassword,
    created_at: formatTimestamp(login.createdAt, timeZone),
    last_sign_in_at: login.lastSignInAt && formatTimestamp(login.lastSignInAt, timeZone),
    own: login.loginId === session.login.loginId,
  };
}

function describeRole({ name, isBuiltIn, permissions: allowed, logins }: Role, session: Session) {
  return {
    name,
    built_in: isBuiltIn,
    permissions: allowed,
    users: logins,
    grantable: mayGrant(session.permissions, allowed),
  };
}
