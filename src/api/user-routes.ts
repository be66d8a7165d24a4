// Routes of a merchant's users and roles.
import { Readable } from "node:stream";
import {
  changeRole,
  changeUser,
  createRole,
  createUser,
  findLogin,
  listLogins,
  managerOf,
  mayGrant,
  MERCHANT_PERMISSIONS,
  readRoles,
  removeRole,
  resetSecondFactor,
  resetUserPassword,
  userNotFound,
  type ApiCaller,
  type Login,
  type Merchant,
  type Role,
} from "../merchants/index.ts";
import { digitsOrNumber, email, flag, ifSent, list, oneOf, requiredText } from "../platform/http/fields.ts";
import { formatInstant, formatTimestamp, type WriteInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { listFileRoute } from "./list-routes.ts";

const NAME_LENGTH = 100;
const permission = "users.manage";
const userParams = { user_id: digitsOrNumber(16) };
const roleParams = { name: requiredText(NAME_LENGTH) };
const permissions = () => list(oneOf(MERCHANT_PERMISSIONS), MERCHANT_PERMISSIONS.length, 0);

/** Adds the routes that list and manage a merchant's users. */
export function registerUserRoutes(scope: DashboardScope) {
  return [...registerUserListRoutes(scope), ...registerUserChangeRoutes(scope)];
}

function registerUserListRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /users",
      summary: "List users",
      permission,
      handler: async ({ db, merchant, caller }) => ({
        users: (await listLogins(db, merchant, "user")).map((login) => describeUser(login, merchant, caller)),
      }),
    }),
    listFileRoute<"/users", ReturnType<typeof describeUser>>(scope, {
      url: "/users",
      summary: "List users",
      permission,
      filters: {},
      read: async ({ db, merchant, caller }) => {
        const users = (await listLogins(db, merchant, "user")).map((login) =>
          describeUser(login, merchant, caller, formatTimestamp),
        );
        return {
          rows: Readable.from(users),
          columns: {
            user_id: ({ user_id }) => user_id,
            name: ({ name }) => name,
            email: ({ email: address }) => address,
            role: ({ role }) => role,
            status: ({ disabled }) => (disabled ? "disabled" : "active"),
            second_factor: ({ second_factor: isOn }) => (isOn ? "1" : "0"),
            created_at: ({ created_at }) => created_at,
            last_sign_in_at: ({ last_sign_in_at: at }) => at ?? "",
          },
        };
      },
    }),
  ];
}

function registerUserChangeRoutes(scope: DashboardScope) {
  const { ids } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /users",
      summary: "Create a user",
      permission,
      body: { name: requiredText(NAME_LENGTH), email: email(), role: requiredText(NAME_LENGTH) },
      handler: async ({ db, merchant, caller, body }) => {
        const draft = { kind: "user" as const, name: body.name, email: body.email, roleName: body.role };
        const { loginId, password } = await createUser({ pool: db, ids, merchant, by: managerOf(caller) }, draft);
        const login = await findLogin(db, { ...merchant, loginId });
        if (!login) throw userNotFound();
        return { user: describeUser(login, merchant, caller), password };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /users/:user_id",
      summary: "Change a user's role, or disable the user",
      permission,
      params: userParams,
      body: {
        name: ifSent(requiredText(NAME_LENGTH)),
        email: ifSent(email()),
        role: ifSent(requiredText(NAME_LENGTH)),
        disabled: ifSent(flag()),
      },
      handler: async ({ db, merchant, caller, params, body }) => {
        const { name, email: address, role: roleName, disabled } = body;
        const changes = {
          ...(name === undefined ? {} : { name }),
          ...(address === undefined ? {} : { email: address }),
          ...(roleName === undefined ? {} : { roleName }),
          ...(disabled === undefined ? {} : { disabled }),
        };
        const context = { pool: db, merchant, by: managerOf(caller) };
        const login = await changeUser(context, { ...userOf(params), changes });
        return { user: describeUser(login, merchant, caller) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /users/:user_id/reset-password",
      summary: "Reset a user's password",
      permission,
      params: userParams,
      handler: async ({ db, merchant, caller, params }) => ({
        password: await resetUserPassword({ pool: db, merchant, by: managerOf(caller) }, userOf(params)),
      }),
    }),
    dashboardRoute(scope, {
      route: "POST /users/:user_id/reset-second-factor",
      summary: "Remove a user's second factor",
      permission,
      personal: "second_factor",
      params: userParams,
      handler: async ({ db, merchant, caller, params }) => {
        await resetSecondFactor({ pool: db, merchant, by: managerOf(caller) }, userOf(params));
        return { done: true };
      },
    }),
  ];
}

/** Adds the routes that list and manage a merchant's roles. */
export function registerRoleRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /roles",
      summary: "List roles",
      permission,
      handler: async ({ db, merchant, caller }) => ({
        roles: (await readRoles(db, merchant)).map((role) => describeRole(role, caller)),
        permissions: MERCHANT_PERMISSIONS,
      }),
    }),
    dashboardRoute(scope, {
      route: "POST /roles",
      summary: "Create a role",
      permission,
      body: { name: requiredText(NAME_LENGTH), permissions: permissions() },
      handler: async ({ db, merchant, caller, body }) => {
        await createRole({ pool: db, merchant, by: managerOf(caller) }, body);
        return { role: describeRole({ ...body, isBuiltIn: false, logins: 0 }, caller) };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /roles/:name",
      summary: "Change a role",
      permission,
      params: roleParams,
      body: { permissions: permissions() },
      handler: async ({ db, merchant, caller, params, body }) => {
        await changeRole({ pool: db, merchant, by: managerOf(caller) }, { ...params, ...body });
        const changed = (await readRoles(db, merchant)).find(({ name }) => name === params.name);
        return { role: changed && describeRole(changed, caller) };
      },
    }),
    dashboardRoute(scope, {
      route: "DELETE /roles/:name",
      summary: "Delete a role",
      permission,
      params: roleParams,
      handler: async ({ db, merchant, caller, params }) => {
        await removeRole({ pool: db, merchant, by: managerOf(caller) }, params.name);
        return { done: true };
      },
    }),
  ];
}

function userOf({ user_id }: { readonly user_id: string }) {
  return { loginId: BigInt(user_id), kind: "user" as const };
}

function describeUser(login: Login, { timeZone }: Merchant, caller: ApiCaller, write: WriteInstant = formatInstant) {
  return {
    user_id: String(login.loginId),
    name: login.name,
    email: login.email,
    role: login.roleName,
    disabled: login.disabledAt !== null,
    second_factor: login.hasSecondFactor,
    must_change_password: login.mustChangePassword,
    created_at: write(login.createdAt, timeZone),
    last_sign_in_at: write(login.lastSignInAt, timeZone),
    own: login.loginId === caller.session?.login.loginId,
  };
}

function describeRole({ name, isBuiltIn, permissions: allowed, logins }: Role, caller: ApiCaller) {
  return {
    name,
    built_in: isBuiltIn,
    permissions: allowed,
    users: logins,
    grantable: mayGrant(caller.permissions, allowed),
  };
}
