// Use cases on a template that there is: change it, make it the default one.
// What belongs here: what may change. Its number series stay, so that no invoice's number comes twice or is left out.
import { createHash } from "node:crypto";
import { auditChange, recordEvents } from "../ledger/index.ts";
import { lockMerchant, type MerchantKey } from "../merchants/index.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { validationError } from "../platform/errors.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import { drawLogo } from "./draw-logo.ts";
import { templateNotFound } from "./invoice-references.ts";
import {
  clearDefault,
  findLogo,
  findTemplate,
  listTemplates,
  setDefault,
  setLogo,
  updateContent,
} from "./template-store.ts";
import { applyChange, type Template, type TemplateChange } from "./template.ts";

type TemplateKey = MerchantKey & { readonly templateId: bigint };

/**
 * Changes what is given of a template and nothing else, and answers the template as it is then. Invoices that there are
 * keep their rows, taxes, header fields and both parties; the rest is printed on them as well.
 * @throws NodalError `template_not_found`, or `validation_failed` for a name that another template has and a logo that can't be drawn
 */
export async function changeTemplate(
  { pool, renderer }: { readonly pool: Pool; readonly renderer: PdfRenderer },
  key: TemplateKey,
  change: TemplateChange,
): Promise<Template> {
  const logo = change.logo && (await drawLogo(renderer, key, change.logo));
  return changing(pool, key, async (connection, before) => {
    const after = applyChange(before, change);
    const namesakes = (await listTemplates(connection, key)).filter(({ name }) => name === after.name);
    if (namesakes.some(({ templateId }) => templateId !== key.templateId)) {
      const message = `name must not be ${after.name}: another template has this name.`;
      throw validationError([{ field: "name", code: "not_allowed", message }]);
    }
    await updateContent(connection, key, after);
    if (logo !== undefined) await setLogo(connection, key, logo);
  });
}

/** Makes a template the one that an invoice has which names none. @throws NodalError `template_not_found` */
export async function makeDefaultTemplate(pool: Pool, key: TemplateKey): Promise<Template> {
  return changing(pool, key, async (connection) => {
    await clearDefault(connection, key);
    await setDefault(connection, key);
  });
}

/** Writes a change, and what it was in the audit log; nothing there where it left all as it was. */
async function changing(
  pool: Pool,
  key: TemplateKey,
  change: (connection: Connection, before: Template) => Promise<void>,
): Promise<Template> {
  return inTransaction(pool, async (connection) => {
    await lockMerchant(connection, key);
    const before = await readAudited(connection, key);
    if (!before) throw templateNotFound();
    await change(connection, before.template);
    const after = (await readAudited(connection, key))!;
    const difference = auditChange(before.values, after.values);
    if (Object.keys(difference.after ?? {}).length > 0) {
      await recordEvents(connection, key, [{ type: "template.changed", subjectId: key.templateId, ...difference }]);
    }
    return after.template;
  });
}

/** A template, and its members as the audit log has them: of the logo that is its hash. */
async function readAudited(connection: Connection, key: TemplateKey) {
  const template = await findTemplate(connection, key, key.templateId);
  if (!template) return null;
  const logo = await findLogo(connection, key, key.templateId);
  const logoHash = logo && createHash("sha256").update(logo.bytes).digest("hex");
  return { template, values: { ...template, logoHash } };
}
