// Routes of access keys, and of sample requests for them.
import { listColumns, sampleCustomerRequest } from "../customers/index.ts";
import { sampleInvoiceRequest } from "../documents/index.ts";
import { listTemplates } from "../invoices/index.ts";
import {
  describeKey,
  issueAccessKey,
  KEY_SCOPES,
  keyFields,
  listAccessKeys,
  managerOf,
  mayGrant,
  OF_KEYS,
  readKeyTerms,
  revokeKey,
  todayOf,
} from "../merchants/index.ts";
import { requiredText } from "../platform/http/fields.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

const permission = "keys.manage";
const KEY_ID_LENGTH = 64;

/** Adds the routes that list, issue and revoke a merchant's access keys. */
export function registerKeyRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /access-keys",
      summary: "List access keys",
      permission,
      handler: async ({ db, merchant, caller }) => ({
        // The permissions that a new key can have: nobody can give a permission that they lack.
        scopes: KEY_SCOPES.filter((scope) => mayGrant(caller.permissions, [scope])),
        /** Those of them that a program for payouts and invoices needs. */
        default_scopes: OF_KEYS.filter((scope) => mayGrant(caller.permissions, [scope])),
        all_scopes: KEY_SCOPES,
        keys: (await listAccessKeys(db, merchant)).map((key) => describeKey(key, merchant.timeZone, formatInstant)),
      }),
    }),
    dashboardRoute(scope, {
      route: "POST /access-keys",
      summary: "Create an access key; the secret is shown once",
      permission,
      body: keyFields,
      handler: async ({ db, merchant, caller, body }) => {
        const terms = readKeyTerms(merchant, body);
        const issued = await issueAccessKey({ pool: db, merchant }, managerOf(caller), terms);
        const { accessKeyId, secret, createdAt } = issued;
        return {
          access_key_id: accessKeyId,
          secret_access_key: secret,
          created_at: formatInstant(createdAt, merchant.timeZone),
        };
      },
    }),
    dashboardRoute(scope, {
      route: "DELETE /access-keys/:access_key_id",
      summary: "Revoke an access key",
      permission,
      params: { access_key_id: requiredText(KEY_ID_LENGTH) },
      handler: async ({ db, merchant, params }) => {
        await revokeKey({ pool: db, merchant }, params.access_key_id);
        return { done: true };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /session/request-samples",
      summary: "List sample requests for the page of keys",
      permission,
      handler: async ({ db, merchant }) => {
        const [columns, templates] = [await listColumns(db, merchant), await listTemplates(db, merchant)];
        const customers = { name: "customers", path: "/api/v1/merchant/customer/save" };
        return {
          samples: [
            { ...customers, template_id: null, body: sampleCustomerRequest(columns) },
            ...templates.map((template) => ({
              name: template.name,
              path: "/api/v3/merchant/invoice/save",
              template_id: String(template.templateId),
              body: sampleInvoiceRequest(template, todayOf(merchant)),
            })),
          ],
        };
      },
    }),
  ];
}
