// Routes of operators: the merchants of the installation.
// What belongs here: wire shapes, no logic.
import {
  DEFAULT_TIME_ZONE,
  originOf,
  profileFields,
  searchMerchants,
  signInLink,
  type Merchant,
  type MerchantProfile,
} from "../merchants/index.ts";
import { digitsOrNumber, email, optional, optionalText } from "../platform/http/fields.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import type { Origin } from "../platform/origin.ts";
import { formatTimestamp } from "../platform/time.ts";
import { operatorRoute, type DashboardScope } from "./guarded-routes.ts";
import { limitOf, pageLimit } from "./paging.ts";

/** Creates a merchant with all that it has from its first day. Who puts the server together knows how. */
export type CreateMerchant = (
  profile: MerchantProfile,
  userEmail: string | null,
  by: Origin,
) => Promise<{
  readonly merchant: Merchant;
  readonly accessKeyId: string;
  readonly secret: string;
  readonly user: { readonly email: string; readonly password: string };
}>;

const { bankAccount, bankHolder, timeZone, ...sameName } = profileFields;
const CREATE_FIELDS = {
  ...sameName,
  bank_account: bankAccount,
  bank_holder: bankHolder,
  time_zone: timeZone,
  user_email: optional(email()),
};

/** Adds what lists and creates merchants. */
export function registerMerchantRoutes(scope: DashboardScope, createMerchant: CreateMerchant): void {
  operatorRoute(scope, {
    method: "GET",
    url: "/merchants",
    permission: "merchants.view",
    query: {
      search: optionalText(100),
      after: optional(digitsOrNumber(16)),
      limit: pageLimit(),
    },
    handler: async ({ query }) => {
      const limit = limitOf(query);
      const after = query.after === null ? null : BigInt(query.after);
      const merchants = await searchMerchants(scope.parts.pool, { search: query.search ?? "", after, limit });
      const last = merchants.length === limit ? merchants.at(-1)! : null;
      return { merchants: merchants.map(describe), next: last && String(last.merchantId) };
    },
  });

  operatorRoute(scope, {
    method: "POST",
    url: "/merchants",
    permission: "merchants.create",
    body: CREATE_FIELDS,
    handler: async ({ body, session, request }) => {
      const { bank_account, bank_holder, time_zone, user_email, name, email: address, ...rest } = body;
      const texts = Object.fromEntries(Object.entries(rest).map(([field, value]) => [field, value ?? ""]));
      const profile = {
        ...(texts as Record<keyof typeof rest, string>),
        name,
        email: address,
        bankAccount: bank_account ?? "",
        bankHolder: bank_holder ?? "",
        timeZone: time_zone ?? DEFAULT_TIME_ZONE,
      };
      const { merchant, accessKeyId, secret, user } = await createMerchant(
        profile,
        user_email,
        originOf(session.login, clientAddress(request)),
      );
      return {
        merchant: describe(merchant),
        access_key_id: accessKeyId,
        secret_access_key: secret,
        user_email: user.email,
        password: user.password,
        sign_in_url: signInLink(scope.parts.publicUrl(), merchant),
      };
    },
  });
}

function describe(
  merchant: Pick<Merchant, "merchantId" | "name" | "email" | "status" | "live" | "createdAt" | "timeZone">,
) {
  return {
    merchant_id: String(merchant.merchantId),
    name: merchant.name,
    email: merchant.email,
    status: merchant.status,
    live: merchant.live,
    created_at: formatTimestamp(merchant.createdAt, merchant.timeZone),
  };
}
