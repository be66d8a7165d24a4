// All SQL of templates and of the number series that they name.
// What belongs here: the tables template, number_series and number_counter.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { PictureType } from "../platform/pdf/messages.ts";
import type { NumberSeries } from "./number-series.ts";
import type {
  Company,
  DefaultRow,
  DefaultTax,
  HeaderField,
  Logo,
  NewTemplate,
  Template,
  TemplateContent,
} from "./template.ts";

type TemplateRow = {
  bucket: number;
  merchant_id: bigint;
  template_id: bigint;
  name: string;
  is_default: boolean;
  series_id: bigint;
  prefix: string;
  width: number;
  yearly: boolean;
  credit_series_id: bigint;
  credit_prefix: string;
  credit_width: number;
  credit_yearly: boolean;
  header_fields: HeaderField[];
  default_rows: DefaultRow[];
  default_taxes: DefaultTax[];
  company: Company;
  terms: string;
  signatory: string;
  accent_colour: string;
  upi_handle: string | null;
  logo_type: PictureType | null;
  created_at: Temporal.Instant;
};

/** The logo stays behind: it is large, and only rendering needs it. */
const SELECT_TEMPLATES = `
  select
    template.bucket, template.merchant_id, template_id, name, is_default, template.series_id, series.prefix,
    series.width, series.yearly, credit_series_id, credit_series.prefix as credit_prefix,
    credit_series.width as credit_width, credit_series.yearly as credit_yearly, header_fields, default_rows,
    default_taxes, company, terms, signatory, accent_colour, upi_handle, logo_type, created_at
  from template
  join number_series as series
    on series.bucket = template.bucket and series.merchant_id = template.merchant_id
      and series.series_id = template.series_id
  join number_series as credit_series
    on credit_series.bucket = template.bucket and credit_series.merchant_id = template.merchant_id
      and credit_series.series_id = template.credit_series_id
  where template.bucket = $1 and template.merchant_id = $2`;

function fromRow(row: TemplateRow): Template {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    templateId: row.template_id,
    name: row.name,
    isDefault: row.is_default,
    series: { seriesId: row.series_id, prefix: row.prefix, width: row.width, yearly: row.yearly },
    creditSeries: {
      seriesId: row.credit_series_id,
      prefix: row.credit_prefix,
      width: row.credit_width,
      yearly: row.credit_yearly,
    },
    headerFields: row.header_fields,
    defaultRows: row.default_rows,
    defaultTaxes: row.default_taxes,
    company: row.company,
    terms: row.terms,
    signatory: row.signatory,
    accentColour: row.accent_colour,
    upiHandle: row.upi_handle,
    logoType: row.logo_type,
    createdAt: row.created_at,
  };
}

/** Finds a merchant's template, or its default one where no id is given. */
export async function findTemplate(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  templateId: bigint | null,
): Promise<Template | null> {
  const { rows } = await db.query<TemplateRow>(
    templateId === null
      ? { name: "find-default-template", text: `${SELECT_TEMPLATES} and is_default`, values: [bucket, merchantId] }
      : {
          name: "find-template",
          text: `${SELECT_TEMPLATES} and template_id = $3`,
          values: [bucket, merchantId, templateId],
        },
  );
  return rows[0] ? fromRow(rows[0]) : null;
}

/** A merchant's templates, the default one first and then the oldest. */
export async function listTemplates(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<Template[]> {
  const { rows } = await db.query<TemplateRow>(`${SELECT_TEMPLATES} order by is_default desc, template_id`, [
    bucket,
    merchantId,
  ]);
  return rows.map(fromRow);
}

/** The logo of a template; `null` where it has none. */
export async function findLogo(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  templateId: bigint,
): Promise<Logo | null> {
  const { rows } = await db.query<{ logo: Buffer }>({
    name: "find-logo",
    text: `select logo from template
      where bucket = $1 and merchant_id = $2 and template_id = $3 and logo is not null`,
    values: [bucket, merchantId, templateId],
  });
  return rows[0] ? { mimeType: "image/png", bytes: rows[0].logo } : null;
}

/** Leaves the merchant without a default template, for the caller to insert the new one. */
export async function clearDefault(connection: Connection, { bucket, merchantId }: MerchantKey): Promise<void> {
  await connection.query(
    "update template set is_default = false where bucket = $1 and merchant_id = $2 and is_default",
    [bucket, merchantId],
  );
}

/** Makes a template the default one. The caller has left the merchant without one. */
export async function setDefault(
  connection: Connection,
  { bucket, merchantId, templateId }: MerchantKey & { readonly templateId: bigint },
): Promise<void> {
  await connection.query(
    "update template set is_default = true where bucket = $1 and merchant_id = $2 and template_id = $3",
    [bucket, merchantId, templateId],
  );
}

/** Writes everything of a template that may change, but for its logo. */
export async function updateContent(
  connection: Connection,
  { bucket, merchantId, templateId }: MerchantKey & { readonly templateId: bigint },
  content: TemplateContent,
): Promise<void> {
  await connection.query(
    `update template
     set name = $4, header_fields = $5, default_rows = $6, default_taxes = $7, company = $8, terms = $9, signatory = $10,
       accent_colour = $11, upi_handle = $12
     where bucket = $1 and merchant_id = $2 and template_id = $3`,
    [
      bucket,
      merchantId,
      templateId,
      content.name,
      JSON.stringify(content.headerFields),
      JSON.stringify(content.defaultRows),
      JSON.stringify(content.defaultTaxes),
      JSON.stringify(content.company),
      content.terms,
      content.signatory,
      content.accentColour,
      content.upiHandle,
    ],
  );
}

/** Writes a template's logo, or removes it. */
export async function setLogo(
  connection: Connection,
  { bucket, merchantId, templateId }: MerchantKey & { readonly templateId: bigint },
  logo: Logo | null,
): Promise<void> {
  await connection.query(
    `update template set logo = $4, logo_type = $5
     where bucket = $1 and merchant_id = $2 and template_id = $3`,
    [bucket, merchantId, templateId, logo?.bytes ?? null, logo?.mimeType ?? null],
  );
}

/** The last number that a merchant's series have given in a financial year, by series; those that gave none are left out. */
export async function readLastNumbers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  financialYear: number,
): Promise<Map<bigint, bigint>> {
  const { rows } = await db.query<{ series_id: bigint; last_number: bigint }>({
    name: "read-last-numbers",
    text: `select series_id, last_number
      from number_counter
      join number_series using (bucket, merchant_id, series_id)
      where bucket = $1 and merchant_id = $2 and financial_year = case when yearly then $3::smallint else 0 end`,
    values: [bucket, merchantId, financialYear],
  });
  return new Map(rows.map((row) => [row.series_id, row.last_number]));
}

/** The prefixes of all the merchant's number series. */
export async function listPrefixes(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<string[]> {
  const { rows } = await db.query<{ prefix: string }>(
    "select prefix from number_series where bucket = $1 and merchant_id = $2 order by series_id",
    [bucket, merchantId],
  );
  return rows.map((row) => row.prefix);
}

/** Inserts number series, many in one statement. */
export async function insertSeries(
  connection: Connection,
  series: readonly (MerchantKey & NumberSeries)[],
): Promise<void> {
  const column = <T>(read: (item: MerchantKey & NumberSeries) => T): T[] => series.map(read);
  await connection.query(
    `insert into number_series (bucket, merchant_id, series_id, prefix, width, yearly)
     select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::smallint[], $6::boolean[])`,
    [
      column((item) => item.bucket),
      column((item) => item.merchantId),
      column((item) => item.seriesId),
      column((item) => item.prefix),
      column((item) => item.width),
      column((item) => item.yearly),
    ],
  );
}

/** Inserts templates, many in one statement. Their series must exist. */
export async function insertTemplates(connection: Connection, templates: readonly NewTemplate[]): Promise<void> {
  const column = <T>(read: (template: NewTemplate) => T): T[] => templates.map(read);
  await connection.query(
    `insert into template (
       bucket, merchant_id, template_id, name, is_default, series_id, credit_series_id, header_fields, default_rows,
       default_taxes, company, terms, signatory, accent_colour, upi_handle, logo, logo_type, created_at)
     select * from unnest(
       $1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::boolean[], $6::bigint[], $7::bigint[], $8::jsonb[],
       $9::jsonb[], $10::jsonb[], $11::jsonb[], $12::text[], $13::text[], $14::text[], $15::text[], $16::bytea[],
       $17::text[], $18::timestamptz[])`,
    [
      column((template) => template.bucket),
      column((template) => template.merchantId),
      column((template) => template.templateId),
      column((template) => template.name),
      column((template) => template.isDefault),
      column((template) => template.series.seriesId),
      column((template) => template.creditSeries.seriesId),
      column((template) => JSON.stringify(template.headerFields)),
      column((template) => JSON.stringify(template.defaultRows)),
      column((template) => JSON.stringify(template.defaultTaxes)),
      column((template) => JSON.stringify(template.company)),
      column((template) => template.terms),
      column((template) => template.signatory),
      column((template) => template.accentColour),
      column((template) => template.upiHandle),
      column((template) => template.logo?.bytes ?? null),
      column((template) => template.logo?.mimeType ?? null),
      column((template) => template.createdAt.toString()),
    ],
  );
}

/**
 * Takes `count` consecutive numbers (at least 1) of a series in a financial year and answers the first. They are given
 * back when the transaction is rolled back, so the numbers have no gaps; the price is that others who take from the same
 * counter wait until it ends. A transaction that takes from several counters takes them in order of series, then year.
 */
export async function takeNumbers(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  series: NumberSeries,
  financialYear: number,
  count: number,
): Promise<bigint> {
  if (count < 1) throw new RangeError(`${count} numbers can't be taken`);
  const { rows } = await connection.query<{ first_number: bigint }>({
    name: "take-numbers",
    text: `insert into number_counter as counter (bucket, merchant_id, series_id, financial_year, last_number)
      values ($1, $2, $3, $4, $5)
      on conflict (bucket, merchant_id, series_id, financial_year)
      do update set last_number = counter.last_number + excluded.last_number
      returning counter.last_number - $5 + 1 as first_number`,
    values: [bucket, merchantId, series.seriesId, series.yearly ? financialYear : 0, count],
  });
  return rows[0]!.first_number;
}
