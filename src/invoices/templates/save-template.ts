// Use cases of templates: create one, change one, or make one the default. The number series of a template can't change, so that
// invoice numbers stay unique and without gaps.
import { createHash } from "node:crypto";
import { auditChange, auditValues, recordEvents, recordEventsOfMany } from "../../ledger/index.ts";
import {
  lockMerchant,
  runIdempotently,
  type Context,
  type MerchantKey,
  type ReadContext,
} from "../../merchants/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../../platform/database/pool.ts";
import { validationError, type FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import type { PdfRenderer } from "../../platform/pdf/renderer.ts";
import { templateNotFound } from "../invoice-references.ts";
import { mapSeries, SERIES_NAMES, SERIES_PREFIXES, type SeriesName } from "../document-kind.ts";
import type { NumberSeries } from "../numbers/number-series.ts";
import { drawLogo } from "./template-logo.ts";
import {
  clearDefault,
  findLogo,
  findTemplate,
  insertSeries,
  insertTemplates,
  listPrefixes,
  listTemplates,
  setDefault,
  setLogo,
  updateContent,
} from "./template-store.ts";
import {
  applyChange,
  canCollide,
  DEFAULT_WIDTH,
  EMPTY_CONTENT,
  fitsNumber,
  type Logo,
  type NewTemplate,
  type Template,
  type TemplateChange,
  type TemplateDraft,
} from "./template.ts";

/** Enough for any business, and few enough for a single list. */
const MAX_TEMPLATES = 100;

/** The JSON names of a draft's prefixes, by series. */
const PREFIX_ENTRIES: Readonly<Partial<Record<SeriesName, string>>> = {
  invoice: "prefix",
  credit_note: "credit_prefix",
  debit_note: "debit_prefix",
  estimate: "estimate_prefix",
};
type Prefixes = Pick<TemplateDraft, "prefix" | "creditPrefix" | "debitPrefix" | "estimatePrefix">;

/** The prefixes of a draft, by series. */
function prefixesOf({ prefix, creditPrefix, debitPrefix, estimatePrefix }: Prefixes) {
  const prefixes: Partial<Record<SeriesName, string>> = { invoice: prefix };
  if (creditPrefix !== null) prefixes.credit_note = creditPrefix;
  if (debitPrefix !== null) prefixes.debit_note = debitPrefix;
  if (estimatePrefix !== null) prefixes.estimate = estimatePrefix;
  return prefixes;
}

/**
 * Checks the entries of a draft against each other. Errors name its entries as JSON does: `credit_prefix`.
 * @throws NodalError `validation_failed`
 */
function checkTemplateDraft(draft: TemplateDraft): void {
  const errors: FieldError[] = [];
  const prefixes = { ...SERIES_PREFIXES, ...prefixesOf(draft) };
  if (!Object.values(prefixesOf(draft)).every((each) => fitsNumber(each, draft.width))) {
    fail(errors, "width", "invalid", "must leave room for the prefix: a number has at most 16 characters.");
  }
  for (const [place, name] of SERIES_NAMES.entries()) {
    const other = SERIES_NAMES.slice(0, place).find((earlier) => canCollide(prefixes[earlier], prefixes[name]));
    if (other === undefined) continue;
    const problem = `must differ from ${prefixes[other]}: two series can't produce the same numbers.`;
    fail(errors, PREFIX_ENTRIES[name] ?? PREFIX_ENTRIES[other]!, "invalid", problem);
  }
  if (errors.length > 0) throw validationError(errors);
}

/**
 * Creates a template. The first one of a merchant is its default, even if the draft says otherwise.
 * @throws NodalError `validation_failed` naming `name`, `prefix`, `credit_prefix`, `debit_prefix`, `width` or `logo`;
 * `idempotency_conflict`
 */
export async function createTemplate(
  { pool, ids, merchant: { bucket, merchantId }, idempotency, renderer }: Context & Drawing,
  draft: TemplateDraft,
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
  { templateId, seriesIds }: TemplateIds,
  draft: Omit<TemplateDraft, "logo"> & { readonly logo: Logo | null },
): Promise<void> {
  const {
    prefix: _prefix,
    creditPrefix: _creditPrefix,
    debitPrefix: _debitPrefix,
    estimatePrefix: _estimatePrefix,
    width,
    yearly,
    makeDefault,
    ...rest
  } = draft;
  // Read after the lock, to see templates created meanwhile.
  await lockMerchant(connection, owner);
  const templates = await listTemplates(connection, owner);
  refuseIfTaken(draft, templates, await listPrefixes(connection, owner));
  const prefixes = prefixesOf(draft);
  const usual = usualSeries(seriesIds);
  const series = mapSeries((name): NumberSeries => {
    const prefix = prefixes[name];
    if (prefix !== undefined) return { seriesId: seriesIds[name], prefix, width, yearly };
    return templates[0]?.series[name] ?? usual[name];
  });
  const ownIds = Object.values(seriesIds);
  const ownSeries = Object.values(series).filter(({ seriesId }) => ownIds.includes(seriesId));
  await insertSeries(
    connection,
    ownSeries.map((each) => ({ ...owner, ...each })),
  );
  const isDefault = makeDefault || templates.length === 0;
  if (isDefault) await clearDefault(connection, owner);
  const createdAt = Temporal.Now.instant();
  await insertTemplates(connection, [{ ...owner, ...rest, templateId, isDefault, series, createdAt }]);
  const template = (await findTemplate(connection, owner, templateId))!;
  await recordEvents(connection, owner, [
    { type: "template.created", subjectId: templateId, after: auditValues(template) },
  ]);
}

function refuseIfTaken(
  draft: Pick<TemplateDraft, "name"> & Prefixes,
  templates: readonly Template[],
  taken: readonly string[],
): void {
  const errors: FieldError[] = [];
  const { name } = draft;
  if (templates.some((template) => template.name === name)) {
    fail(errors, "name", "not_allowed", `must not be ${name}: another template has this name.`);
  }
  for (const [series, prefix] of Object.entries(prefixesOf(draft))) {
    if (!taken.some((other) => canCollide(prefix, other))) continue;
    const problem = `must not be ${prefix}: another number series can produce the same numbers.`;
    fail(errors, PREFIX_ENTRIES[series as SeriesName]!, "not_allowed", problem);
  }
  if (templates.length >= MAX_TEMPLATES) {
    fail(errors, "name", "not_allowed", `can't be added: a merchant can have at most ${MAX_TEMPLATES} templates.`);
  }
  if (errors.length > 0) throw validationError(errors);
}

/** The ids of a template and its number series. */
export type TemplateIds = {
  readonly templateId: bigint;
  readonly seriesIds: Readonly<Record<SeriesName, bigint>>;
};

/** Takes the ids of a new template. Ids may come from the database: take them before a transaction begins. */
export async function takeTemplateIds(ids: IdSource): Promise<TemplateIds> {
  const templateId = await ids.next();
  const seriesIds = new Map<SeriesName, bigint>();
  for (const name of SERIES_NAMES) seriesIds.set(name, await ids.next());
  return { templateId, seriesIds: mapSeries((name) => seriesIds.get(name)!) };
}

/** The series of a merchant without its own prefixes. */
function usualSeries(seriesIds: TemplateIds["seriesIds"]): Template["series"] {
  return mapSeries((name) => {
    return { seriesId: seriesIds[name], prefix: SERIES_PREFIXES[name], width: DEFAULT_WIDTH, yearly: true };
  });
}

/** Gives new merchants their default templates, in bulk; `ids` are in the order of `owners`. */
export async function insertDefaultTemplates(
  connection: Connection,
  owners: readonly MerchantKey[],
  ids: readonly TemplateIds[],
): Promise<void> {
  const createdAt = Temporal.Now.instant();
  const templates = owners.map((owner, index) => defaultTemplate(owner, ids[index]!, createdAt));
  const series = templates.flatMap((template) =>
    Object.values(template.series).map((each) => ({ ...template, ...each })),
  );
  await insertSeries(connection, series);
  await insertTemplates(connection, templates);
  await recordEventsOfMany(
    connection,
    templates.map((template) => {
      const { bucket, merchantId, templateId: subjectId } = template;
      return {
        bucket,
        merchantId,
        type: "template.created",
        subjectId,
        after: auditValues({ ...template, logo: undefined }),
      };
    }),
  );
}

function defaultTemplate(
  { bucket, merchantId }: MerchantKey,
  { templateId, seriesIds }: TemplateIds,
  createdAt: Temporal.Instant,
): NewTemplate {
  return {
    bucket,
    merchantId,
    templateId,
    ...EMPTY_CONTENT,
    name: "Tax invoice",
    isDefault: true,
    series: usualSeries(seriesIds),
    headerFields: [
      { id: "1", name: "PO number", type: "text", value: "" },
      { id: "2", name: "Notes", type: "textarea", value: "" },
    ],
    logo: null,
    createdAt,
  };
}

type TemplateKey = MerchantKey & { readonly templateId: bigint };
/** The installation's renderer of logos. */
type Drawing = { readonly renderer: PdfRenderer };
export type ChangeTemplate = { readonly templateId: bigint; readonly change: TemplateChange };

/**
 * Changes the given members of a template only, and returns the new template. Existing invoices keep their rows, taxes, header
 * fields and both parties; other changes show on them as well.
 * @throws NodalError `template_not_found`, or `validation_failed` for a name that another template has and a logo that can't be
 * drawn
 */
export async function changeTemplate(
  { pool, renderer, merchant: { bucket, merchantId } }: ReadContext & Drawing,
  { templateId, change }: ChangeTemplate,
): Promise<Template> {
  const key = { bucket, merchantId, templateId };
  const logo = change.logo && (await drawLogo(renderer, key, change.logo));
  return changing(pool, key, async (connection, before) => {
    const after = applyChange(before, change);
    const namesakes = (await listTemplates(connection, key)).filter(({ name }) => name === after.name);
    if (namesakes.some(({ templateId }) => templateId !== key.templateId)) {
      const problem = `must not be ${after.name}: another template has this name.`;
      throw validationError([{ field: "name", code: "not_allowed", problem }]);
    }
    await updateContent(connection, key, after);
    if (logo !== undefined) await setLogo(connection, key, logo);
  });
}

/** Makes a template the default. @throws NodalError `template_not_found` */
export async function makeDefaultTemplate(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  templateId: bigint,
): Promise<Template> {
  const key = { bucket, merchantId, templateId };
  return changing(pool, key, async (connection) => {
    await clearDefault(connection, key);
    await setDefault(connection, key);
  });
}

/** Saves a change and logs the differences; logs nothing if there are none. */
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

/** A template, and its members as in the audit log: the logo as its hash. */
async function readAudited(connection: Connection, key: TemplateKey) {
  const template = await findTemplate(connection, key, key.templateId);
  if (!template) return null;
  const logo = await findLogo(connection, key, key.templateId);
  const logoHash = logo && createHash("sha256").update(logo.bytes).digest("hex");
  return { template, values: { ...template, logoHash } };
}
