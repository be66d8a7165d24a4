// Routes that change what was agreed with a franchise: its commission, its bank account, and its sign-in.
// What belongs here: wire shapes, no logic. Who it is and how to reach it is franchise-routes.ts.
import {
  accountFields,
  changeAccount,
  changeTerms,
  disableLogin,
  enableLogin,
  loginFields,
  checkTerms,
  readAccount,
  readTerms,
  termsFields,
} from "../franchises/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { saveFranchiseAccount } from "../payouts/index.ts";
import { digitsOrNumber } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

const permission = "franchises.manage";
const params = { franchise_id: digitsOrNumber(16) };

/** Adds those routes. Each replaces what was there, so that sent twice it changes nothing more. */
export function registerFranchiseChangeRoutes(scope: DashboardScope): void {
  const { ids } = scope.parts;
  dashboardRoute(scope, {
    method: "PUT",
    url: "/franchises/:franchise_id/terms",
    permission,
    params,
    body: termsFields,
    betweenBody: checkTerms,
    handler: async ({ db, merchant, params: { franchise_id }, body }) => {
      await changeTerms(db, { ...merchant, ...keyOf(merchant, franchise_id) }, readTerms(body));
      return { done: true };
    },
  });

  dashboardRoute(scope, {
    method: "PUT",
    url: "/franchises/:franchise_id/account",
    permission,
    params,
    body: accountFields,
    handler: async ({ db, merchant, params: { franchise_id }, body }) => {
      const parts = { pool: db, ids, savePayee: saveFranchiseAccount };
      const approvalId = await changeAccount(parts, keyOf(merchant, franchise_id), readAccount(body));
      return { approval_id: approvalId === null ? null : String(approvalId) };
    },
  });

  dashboardRoute(scope, {
    method: "PUT",
    url: "/franchises/:franchise_id/login",
    permission,
    params,
    body: loginFields,
    handler: async ({ db, merchant, params: { franchise_id }, body }) => {
      const draft = { email: body.login_email, password: body.password, roleName: body.role_name };
      await enableLogin(db, keyOf(merchant, franchise_id), draft);
      return { done: true };
    },
  });

  dashboardRoute(scope, {
    method: "DELETE",
    url: "/franchises/:franchise_id/login",
    permission,
    params,
    handler: async ({ db, merchant, params: { franchise_id } }) => {
      await disableLogin(db, keyOf(merchant, franchise_id));
      return { done: true };
    },
  });
}

function keyOf({ bucket, merchantId }: Merchant, franchiseId: string) {
  return { bucket, merchantId, franchiseId: BigInt(franchiseId) };
}
