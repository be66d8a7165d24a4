// Use cases on a template that there is: change it, make it the default one, give it another logo.
// What belongs here: what may change. Its number series stay, so that no invoice's number comes twice or is left out.
import { auditChange, recordEvents } from "../ledger/index.ts";
import { lockMerchant, type MerchantKey } from "../merchants/index.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { validationError } from "../platform/errors.ts";
import { templateNotFound } from "./invoice-references.ts";
import { clearDefault, findTemplate, listTemplates, setDefault, setLogo, updateLooks } from "./template-store.ts";
import type { Logo, Template } from "./template.ts";

/** What may change of a template: what is printed on all of its invoices, those that there are too. */
type TemplateLooks = Pick<Template, "name" | "terms" | "signatory" | "accentColour" | "upiHandle">;

type TemplateKey = MerchantKey & { readonly templateId: bigint };

/**
 * Changes a template, and answers it as it is then.
 * @throws NodalError `template_not_found`, or `validation_failed` for a name that another template has
 */
export async function changeTemplate(pool: Pool, key: TemplateKey, change: TemplateLooks): Promise<Template> {
  return changing(pool, key, async (connection) => {
    const namesakes = (await listTemplates(connection, key)).filter(({ name }) => name === change.name);
    if (namesakes.some(({ templateId }) => templateId !== key.templateId)) {
      const message = `name must not be ${change.name}: another template has this name.`;
      throw validationError([{ field: "name", code: "not_allowed", message }]);
    }
    await updateLooks(connection, key, change);
  });
}

/** Makes a template the one that an invoice has which names none. @throws NodalError `template_not_found` */
export async function makeDefaultTemplate(pool: Pool, key: TemplateKey): Promise<Template> {
  return changing(pool, key, async (connection) => {
    await clearDefault(connection, key);
    await setDefault(connection, key);
  });
}

/** Gives a template a logo, or none with `null`. @throws NodalError `template_not_found` */
export async function changeLogo(pool: Pool, key: TemplateKey, logo: Logo | null): Promise<Template> {
  return changing(pool, key, (connection) => setLogo(connection, key, logo));
}

async function changing(
  pool: Pool,
  key: TemplateKey,
  change: (connection: Connection) => Promise<void>,
): Promise<Template> {
  return inTransaction(pool, async (connection) => {
    await lockMerchant(connection, key);
    const before = await findTemplate(connection, key, key.templateId);
    if (!before) throw templateNotFound();
    await change(connection);
    const after = (await findTemplate(connection, key, key.templateId))!;
    await recordEvents(connection, key, [
      { type: "template.changed", subjectId: key.templateId, ...auditChange(before, after) },
    ]);
    return after;
  });
}
