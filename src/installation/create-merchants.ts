// Use cases: create merchants, with everything each needs from its first day. The domains create their parts.
import { insertDefaultTemplates, takeTemplateIds, type TemplateIds } from "../invoices/index.ts";
import {
  createMerchants,
  insertUser,
  OWNER,
  prepareUser,
  requireKyc,
  type Context,
  type Merchant,
  type MerchantDraft,
  type NewMerchant,
} from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { requireBankAccount } from "./go-live.ts";

type MakerContext = Pick<Context, "pool" | "ids">;

export type MerchantWithTemplate = NewMerchant & { readonly templateId: bigint };

/**
 * Creates merchants, each with its default template, in one transaction. `alsoDo` runs in it, once they are complete.
 */
export async function createMerchantsWithTemplate(
  { pool, ids }: MakerContext,
  profiles: readonly MerchantDraft[],
  alsoDo: (connection: Connection, merchants: readonly Merchant[]) => Promise<void> = async () => {},
): Promise<MerchantWithTemplate[]> {
  const templateIds: TemplateIds[] = [];
  for (const _ of profiles) templateIds.push(await takeTemplateIds(ids));
  const created = await createMerchants(pool, ids, profiles, async (connection, merchants) => {
    await insertDefaultTemplates(connection, merchants, templateIds);
    await alsoDo(connection, merchants);
  });
  return created.map((merchant, index) => ({ ...merchant, templateId: templateIds[index]!.templateId }));
}

/** The first user of a merchant, with its password, which can't be read again. */
export type FirstUser = { readonly email: string; readonly password: string };

export type CreateMerchant = {
  readonly profile: MerchantDraft;
  /** The address of its first user, an Owner; `null` for the merchant's own. */
  readonly userEmail: string | null;
  /** Whether KYC must be approved before a merchant is live: the setting KYC_REQUIRED. */
  readonly kycRequired: boolean;
  /** Runs in the same transaction. */
  readonly alsoDo?: (connection: Connection, merchant: Merchant) => Promise<void>;
};

/**
 * Creates a merchant with its default template and its first user.
 * @throws NodalError for a live one: `kyc_not_approved`, or `no_bank_account` if it has none
 */
export async function createMerchantWithOwner(
  context: MakerContext,
  { profile, userEmail, kycRequired, alsoDo }: CreateMerchant,
): Promise<MerchantWithTemplate & { readonly user: FirstUser }> {
  if (profile.live) {
    requireKyc(kycRequired, null);
    requireBankAccount(profile);
  }
  const email = userEmail ?? profile.email;
  const owner = await prepareUser(context.ids, { kind: "user", email, name: profile.name, roleName: OWNER }, email);
  const [created] = await createMerchantsWithTemplate(context, [profile], async (connection, [merchant]) => {
    await insertUser(connection, merchant!, owner, true);
    await alsoDo?.(connection, merchant!);
  });
  return { ...created!, user: { email, password: owner.password } };
}
