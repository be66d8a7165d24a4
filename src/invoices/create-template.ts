// One use case: a merchant gets a further template, with number series of its own.
import { auditValues, recordEvents } from "../ledger/index.ts";
import { lockMerchant, runIdempotently, type IdempotencyKey, type MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection, Pool } from "../platform/database/pool.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import type { NumberSeries } from "./number-series.ts";
import { drawLogo } from "./draw-logo.ts";
import { takeTemplateIds, type TemplateIds } from "./template-default.ts";
import {
  clearDefault,
  findTemplate,
  insertSeries,
  insertTemplates,
  listPrefixes,
  listTemplates,
} from "./template-store.ts";
import {
  canCollide,
  DEFAULT_CREDIT_PREFIX,
  DEFAULT_WIDTH,
  fitsNumber,
  type Logo,
  type Template,
  type TemplateDraft,
} from "./template.ts";

/** Enough for any business, and few enough to be shown in one list. */
const MAX_TEMPLATES = 100;

/**
 * Checks what the entries of a draft mean together. Errors name its entries as JSON does: `credit_prefix`.
 * @throws NodalError `validation_failed`
 */
export function checkTemplateDraft({ prefix, creditPrefix, width }: TemplateDraft): void {
  const errors: FieldError[] = [];
  if (![prefix, creditPrefix ?? ""].every((each) => fitsNumber(each, width))) {
    fail(errors, "width", "invalid", "must leave room for the prefix: a number has at most 16 characters.");
  }
  if (canCollide(prefix, creditPrefix ?? DEFAULT_CREDIT_PREFIX)) {
    fail(errors, "credit_prefix", "invalid", "must differ from the prefix: two series can't write the same numbers.");
  }
  if (errors.length > 0) throw validationError(errors);
}

/**
 * Creates a template. The first one of a merchant is its default, whatever the draft says.
 * @throws NodalError `validation_failed` naming `name`, `prefix`, `credit_prefix`, `width` or `logo`; `idempotency_conflict`
 */
export async function createTemplate(
  { pool, ids, renderer }: { readonly pool: Pool; readonly ids: IdSource; readonly renderer: PdfRenderer },
  { bucket, merchantId }: MerchantKey,
  draft: TemplateDraft,
  idempotency: IdempotencyKey | null = null,
): Promise<Template> {
  checkTemplateDraft(draft);
  const owner = { bucket, merchantId };
  const logo = draft.logo && (await drawLogo(renderer, owner, draft.logo));
  const newIds = await takeTemplateIds(ids);
  const { answer } = await runIdempotently(pool, owner, idempotency, async (connection) => {
    await insertNew(connection, owner, newIds, { ...draft, logo });
    return String(newIds.templateId);
  });
  return (await findTemplate(pool, owner, BigInt(answer)))!;
}

async function insertNew(
  connection: Connection,
  owner: MerchantKey,
  { templateId, seriesId, creditSeriesId }: TemplateIds,
  draft: Omit<TemplateDraft, "logo"> & { readonly logo: Logo | null },
): Promise<void> {
  const { prefix, creditPrefix, width, yearly, makeDefault, ...rest } = draft;
  // Read after the lock: what others create meanwhile counts.
  await lockMerchant(connection, owner);
  const templates = await listTemplates(connection, owner);
  refuseIfTaken(draft, templates, await listPrefixes(connection, owner));
  const series: NumberSeries = { seriesId, prefix, width, yearly };
  const ownCredit: NumberSeries =
    creditPrefix === null
      ? { seriesId: creditSeriesId, prefix: DEFAULT_CREDIT_PREFIX, width: DEFAULT_WIDTH, yearly: true }
      : { seriesId: creditSeriesId, prefix: creditPrefix, width, yearly };
  const shared = creditPrefix === null ? templates[0]?.creditSeries : undefined;
  const newSeries = shared ? [series] : [series, ownCredit];
  await insertSeries(
    connection,
    newSeries.map((each) => ({ ...owner, ...each })),
  );
  const isDefault = makeDefault || templates.length === 0;
  if (isDefault) await clearDefault(connection, owner);
  const createdAt = Temporal.Now.instant();
  const creditSeries = shared ?? ownCredit;
  await insertTemplates(connection, [{ ...owner, ...rest, templateId, isDefault, series, creditSeries, createdAt }]);
  const template = (await findTemplate(connection, owner, templateId))!;
  await recordEvents(connection, owner, [
    { type: "template.created", subjectId: templateId, after: auditValues(template) },
  ]);
}

function refuseIfTaken(
  { name, prefix, creditPrefix }: Pick<TemplateDraft, "name" | "prefix" | "creditPrefix">,
  templates: readonly Template[],
  prefixes: readonly string[],
): void {
  const errors: FieldError[] = [];
  const isTaken = (wanted: string): boolean => prefixes.some((standing) => canCollide(wanted, standing));
  if (templates.some((template) => template.name === name)) {
    fail(errors, "name", "not_allowed", `must not be ${name}: another template has this name.`);
  }
  if (isTaken(prefix)) {
    fail(errors, "prefix", "not_allowed", `must not be ${prefix}: another number series can write the same numbers.`);
  }
  if (creditPrefix !== null && isTaken(creditPrefix)) {
    const problem = `must not be ${creditPrefix}: another number series can write the same numbers.`;
    fail(errors, "credit_prefix", "not_allowed", problem);
  }
  if (templates.length >= MAX_TEMPLATES) {
    fail(errors, "name", "not_allowed", `can't be added: a merchant has at most ${MAX_TEMPLATES} templates.`);
  }
  if (errors.length > 0) throw validationError(errors);
}
