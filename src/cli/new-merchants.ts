// New merchants as every command makes them: with what each must have from its first day.
// What belongs here: putting the domains together. How each makes its part is in the domain.
import { insertDefaultTemplates, takeTemplateIds, type TemplateIds } from "../invoices/index.ts";
import {
  createMerchants,
  insertUser,
  OWNER,
  prepareUser,
  type Merchant,
  type MerchantProfile,
  type NewMerchant,
} from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection, Pool } from "../platform/database/pool.ts";

export type EquippedMerchant = NewMerchant & { readonly templateId: bigint };

/**
 * Creates merchants, each with its default template, in one transaction. `alsoDo` runs in it, once they are complete.
 */
export async function createEquippedMerchants(
  pool: Pool,
  ids: IdSource,
  profiles: readonly MerchantProfile[],
  alsoDo: (connection: Connection, merchants: readonly Merchant[]) => Promise<void> = async () => {},
): Promise<EquippedMerchant[]> {
  const templateIds: TemplateIds[] = [];
  for (const _ of profiles) templateIds.push(await takeTemplateIds(ids));
  const created = await createMerchants(pool, ids, profiles, async (connection, merchants) => {
    await insertDefaultTemplates(connection, merchants, templateIds);
    await alsoDo(connection, merchants);
  });
  return created.map((merchant, index) => ({ ...merchant, templateId: templateIds[index]!.templateId }));
}

/** The first user of a merchant, with its password, which nobody can read again. */
export type FirstUser = { readonly email: string; readonly password: string };

/**
 * Creates a merchant with its default template and its first user, an Owner, whose address is the merchant's own where no
 * `userEmail` is given. `alsoDo` runs in the same transaction.
 */
export async function createMerchantWithOwner(
  pool: Pool,
  ids: IdSource,
  profile: MerchantProfile,
  userEmail: string | null,
  alsoDo: (connection: Connection, merchant: Merchant) => Promise<void> = async () => {},
): Promise<EquippedMerchant & { readonly user: FirstUser }> {
  const email = userEmail ?? profile.email;
  const owner = await prepareUser(ids, { kind: "user", email, name: profile.name, roleName: OWNER }, email);
  const [created] = await createEquippedMerchants(pool, ids, [profile], async (connection, [merchant]) => {
    await insertUser(connection, merchant!, owner, true);
    await alsoDo(connection, merchant!);
  });
  return { ...created!, user: { email, password: owner.password } };
}
