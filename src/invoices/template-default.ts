// The template that every merchant has from its first day.
// What belongs here: what it looks like.
import type { MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { DEFAULT_ACCENT_COLOUR, DEFAULT_CREDIT_PREFIX, DEFAULT_WIDTH, type NewTemplate } from "./template.ts";
import { insertSeries, insertTemplates } from "./template-store.ts";

/** The ids that a template and its two number series take. */
export type TemplateIds = { readonly templateId: bigint; readonly seriesId: bigint; readonly creditSeriesId: bigint };

/** Takes the ids of a new template. Ids may come from the database: take them before a transaction begins. */
export async function takeTemplateIds(ids: IdSource): Promise<TemplateIds> {
  return { templateId: await ids.next(), seriesId: await ids.next(), creditSeriesId: await ids.next() };
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
    [template.series, template.creditSeries].map((each) => ({ ...template, ...each })),
  );
  await insertSeries(connection, series);
  await insertTemplates(connection, templates);
}

function defaultTemplate(
  { bucket, merchantId }: MerchantKey,
  { templateId, seriesId, creditSeriesId }: TemplateIds,
  createdAt: Temporal.Instant,
): NewTemplate {
  return {
    bucket,
    merchantId,
    templateId,
    name: "Tax invoice",
    isDefault: true,
    series: { seriesId, prefix: "INV-{FY}-", width: DEFAULT_WIDTH, yearly: true },
    creditSeries: { seriesId: creditSeriesId, prefix: DEFAULT_CREDIT_PREFIX, width: DEFAULT_WIDTH, yearly: true },
    headerFields: [
      { id: "1", name: "PO number", type: "text", value: "" },
      { id: "2", name: "Notes", type: "textarea", value: "" },
    ],
    defaultRows: [],
    defaultTaxes: [],
    company: {},
    terms: "",
    signatory: "",
    accentColour: DEFAULT_ACCENT_COLOUR,
    upiHandle: null,
    logo: null,
    createdAt,
  };
}
