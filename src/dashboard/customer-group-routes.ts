// Routes of customers' groups, and of the columns that the merchant defines for its customers.
// What belongs here: wire shapes, no logic.
import {
  addColumn,
  changeGroupName,
  COLUMN_TYPES,
  createGroup,
  listColumns,
  listGroups,
  MAX_GROUPS_OF_MERCHANT,
} from "../customers/index.ts";
import { digitsOrNumber, oneOf, requiredText } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

const NAME_LENGTH = 100;

/** Adds what lists, makes and renames groups, and what lists and adds columns. */
export function registerCustomerGroupRoutes(scope: DashboardScope): void {
  const { ids } = scope.parts;
  dashboardRoute(scope, {
    method: "GET",
    url: "/customer-groups",
    permission: "customers.view",
    handler: async ({ db, merchant }) => ({
      groups: (await listGroups(db, merchant, MAX_GROUPS_OF_MERCHANT)).map(({ groupId, name, members }) => ({
        group_id: String(groupId),
        name,
        customers: Number(members),
      })),
    }),
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/customer-groups",
    permission: "customers.manage",
    body: { name: requiredText(NAME_LENGTH) },
    handler: async ({ db, merchant, body }) => ({
      group_id: String(await createGroup(db, ids, merchant, body.name)),
    }),
  });

  dashboardRoute(scope, {
    method: "PUT",
    url: "/customer-groups/:group_id",
    permission: "customers.manage",
    params: { group_id: digitsOrNumber(16) },
    body: { name: requiredText(NAME_LENGTH) },
    handler: async ({ db, merchant, params, body }) => {
      await changeGroupName(db, merchant, BigInt(params.group_id), body.name);
      return { group_id: params.group_id };
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/customer-columns",
    permission: "customers.view",
    narrowsToFranchise: true,
    handler: async ({ db, merchant }) => ({
      columns: (await listColumns(db, merchant)).map(({ columnId, name, type }) => {
        return { column_id: String(columnId), name, type };
      }),
      types: COLUMN_TYPES,
    }),
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/customer-columns",
    permission: "customers.manage",
    body: { name: requiredText(NAME_LENGTH), type: oneOf(COLUMN_TYPES) },
    handler: async ({ db, merchant, body }) => ({
      column_id: String((await addColumn(db, ids, merchant, body.name, body.type)).columnId),
    }),
  });
}
