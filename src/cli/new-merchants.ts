// New merchants as every command makes them: with what each must have from its first day.
// What belongs here: putting the domains together. How each makes its part is in the domain.
import { insertDefaultTemplates, takeTemplateIds, type TemplateIds } from "../invoices/index.ts";
import {
  createMerchants,
  emailTaken,
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
 * Creates a merchant with its default template and its first user, an Owner. Without a `userEmail` that is the merchant's
 * own address, and where that signs somebody else in already, the merchant has no user yet. `alsoDo` runs in the same
 * transaction.
 * @throws NodalError `email_taken` for a `userEmail` that signs somebody else in: then nothing is created
 */
export async function createMerchantWithOwner(
  pool: Pool,
  ids: IdSource,
  profile: MerchantProfile,
  userEmail: string | null,
  alsoDo: (connection: Connection, merchant: Merchant) => Promise<void> = async () => {},
): Promise<EquippedMerchant & { readonly user: FirstUser | null }> {
  const email = userEmail ?? profile.email;
  const owner = await prepareUser(ids, { kind: "user", email, name: profile.name, roleName: OWNER }, email);
  let hasUser = false;
  const [created] = await createEquippedMerchants(pool, ids, [profile], async (connection, [merchant]) => {
    hasUser = await insertUser(connection, merchant!, owner);
    if (!hasUser && userEmail !== null) throw emailTaken();
    await alsoDo(connection, merchant!);
  });
  return { ...created!, user: hasUser ? { email, password: owner.password } : null };
}
