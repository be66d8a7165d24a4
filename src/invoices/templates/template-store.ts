// All SQL of templates and of their number series. number-counter-store.ts has the counters.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table, type Row } from "../../platform/database/table.ts";
import { RowProof, secretsOf } from "../../platform/secrets/index.ts";
import { mapSeries, type SeriesName } from "../document-kind.ts";
import type { NumberSeries } from "../numbers/number-series.ts";
import type { Company, HeaderField, Logo, NewTemplate, Template, TemplateContent } from "./template.ts";

type TemplateKey = MerchantKey & { readonly templateId: bigint };
/** A template with the ids of its number series, and its logo. */
type StoredTemplate = Omit<Template, "series" | "isChanged"> & {
  /** Ids, as their digits. */
  readonly series: Readonly<Record<SeriesName, string>>;
  readonly logo: Uint8Array | null;
  readonly proof: Uint8Array | null;
};

const TEMPLATES = table<StoredTemplate, TemplateKey>("template", ["bucket", "merchantId", "templateId"], {
  bucket: "smallint",
  merchantId: "bigint",
  templateId: "bigint",
  name: "text",
  isDefault: "boolean",
  series: "jsonb",
  headerFields: "jsonb",
  defaultRows: "jsonb",
  defaultTaxes: "jsonb",
  company: "jsonb",
  terms: "text",
  signatory: "text",
  accentColour: "text",
  upiHandle: "text",
  printsBankAccount: "boolean",
  logo: "bytea",
  logoType: "text",
  createdAt: "timestamptz",
  proof: "bytea",
});

/** Where customers pay. */
const PROOF = new RowProof<TemplateKey & Pick<Template, "upiHandle" | "printsBankAccount">>(
  "template",
  ({ bucket, merchantId, templateId }) => [bucket, merchantId, templateId],
  ({ upiHandle, printsBankAccount }) => [upiHandle, printsBankAccount],
);
/** Without the logo: it is large, and only rendering needs it. */
const READ = TEMPLATES.without("logo");
/** The changeable columns, except for the logo. */
const CONTENT = READ.without("isDefault", "series", "logoType", "createdAt");

type StoredSeries = MerchantKey & NumberSeries;

const SERIES = table<StoredSeries, Pick<StoredSeries, "bucket" | "merchantId" | "seriesId">>(
  "number_series",
  ["bucket", "merchantId", "seriesId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    seriesId: "bigint",
    prefix: "text",
    width: "smallint",
    yearly: "boolean",
  },
);

/** The series that a row of `template` names, by their ids as digits. Citus can't put a function beside a table in such a subquery. */
const NUMBERING = `(
    select jsonb_object_agg(own.series_id::text, jsonb_build_object(
      'prefix', own.prefix, 'width', own.width, 'yearly', own.yearly))
    from number_series as own
    where own.bucket = template.bucket and own.merchant_id = template.merchant_id
      and jsonb_path_query_array(template.series, '$.*') ? own.series_id::text
  ) as numbering`;

const SELECT_TEMPLATES = `
  select ${READ.columnsOf("template")}, ${NUMBERING}
  from template
  where template.bucket = $1 and template.merchant_id = $2`;

type Numbering = Readonly<Record<string, Omit<NumberSeries, "seriesId">>>;
type TemplateRow = Row & { readonly numbering: Numbering };

async function fromRows(db: Queryable, rows: readonly TemplateRow[]): Promise<Template[]> {
  const secrets = await secretsOf(db);
  return rows.map((row) => {
    const { proof, ...stored } = READ.read(row);
    const template = { ...stored, series: readNumbering(stored.series, row.numbering) };
    return PROOF.fits(secrets, template, proof) ? template : { ...template, isChanged: true };
  });
}

function readNumbering(series: StoredTemplate["series"], numbering: Numbering): Template["series"] {
  return mapSeries((name) => ({ ...numbering[series[name]]!, seriesId: BigInt(series[name]) }));
}

/** Finds a merchant's template, or its default one without an id. */
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
  return (await fromRows(db, rows))[0] ?? null;
}

/** A template of a merchant: its default one without an id. */
export type TemplateChoice = MerchantKey & { readonly templateId: bigint | null };

/** The members of a template that a new invoice needs. */
export type TemplateOfInvoice = Pick<Template, "templateId" | "series" | "headerFields" | "company">;

/** The templates for new invoices of one or several merchants, in the order of the request. */
export async function findTemplatesOfInvoices(
  db: Queryable,
  wanted: readonly TemplateChoice[],
): Promise<(TemplateOfInvoice | null)[]> {
  const [byDefault, byId] = [
    wanted.filter(({ templateId }) => templateId === null),
    wanted.filter(({ templateId }) => templateId !== null),
  ];
  const [defaults, named] = [await findChosen(db, "default", byDefault), await findChosen(db, "named", byId)];
  return wanted.map((choice) => (choice.templateId === null ? defaults : named).get(choice) ?? null);
}

const IS_CHOSEN = {
  default: "template.is_default",
  named: "template.template_id = wanted.template_id",
};

async function findChosen(
  db: Queryable,
  which: keyof typeof IS_CHOSEN,
  wanted: readonly TemplateChoice[],
): Promise<Map<TemplateChoice, TemplateOfInvoice>> {
  if (wanted.length === 0) return new Map();
  const { rows } = await db.query<{
    place: number;
    template_id: bigint;
    header_fields: HeaderField[];
    company: Company;
    series: StoredTemplate["series"];
    numbering: Numbering;
  }>({
    name: `find-${which}-templates-of-invoices`,
    text: `select wanted.place::integer, template.template_id, header_fields, company, template.series, ${NUMBERING}
      from unnest($1::smallint[], $2::bigint[], $3::bigint[])
        with ordinality as wanted (bucket, merchant_id, template_id, place)
      join template
        on template.bucket = wanted.bucket and template.merchant_id = wanted.merchant_id and ${IS_CHOSEN[which]}`,
    values: [
      wanted.map(({ bucket }) => bucket),
      wanted.map(({ merchantId }) => merchantId),
      wanted.map(({ templateId }) => templateId),
    ],
  });
  return new Map(
    rows.map((row) => [
      wanted[row.place - 1]!,
      {
        templateId: row.template_id,
        series: readNumbering(row.series, row.numbering),
        headerFields: row.header_fields,
        company: row.company,
      },
    ]),
  );
}

/** A merchant's templates, the default one first and then the oldest. */
export async function listTemplates(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<Template[]> {
  const { rows } = await db.query<TemplateRow>(`${SELECT_TEMPLATES} order by is_default desc, template_id`, [
    bucket,
    merchantId,
  ]);
  return fromRows(db, rows);
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

/** Unsets the merchant's default template, for the caller to insert the new one. */
export async function clearDefault(connection: Connection, { bucket, merchantId }: MerchantKey): Promise<void> {
  await connection.query(
    "update template set is_default = false where bucket = $1 and merchant_id = $2 and is_default",
    [bucket, merchantId],
  );
}

/** Makes a template the default one. The caller has unset the previous one. */
export async function setDefault(connection: Connection, key: TemplateKey): Promise<void> {
  await TEMPLATES.update(connection, { ...key, isDefault: true });
}

/** Saves all changeable members of a template, except for its logo. */
export async function updateContent(connection: Connection, key: TemplateKey, content: TemplateContent): Promise<void> {
  const before = await READ.find(connection, key, true);
  if (!before) return;
  const proof = PROOF.renewed(await secretsOf(connection), before, before.proof, { ...before, ...content });
  await CONTENT.update(connection, { ...content, ...key, proof });
}

/** Writes a template's logo, or removes it. */
export async function setLogo(connection: Connection, key: TemplateKey, logo: Logo | null): Promise<void> {
  await TEMPLATES.update(connection, { ...key, logo: logo?.bytes ?? null, logoType: logo?.mimeType ?? null });
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
export async function insertSeries(connection: Connection, series: readonly StoredSeries[]): Promise<void> {
  await SERIES.insertAll(connection, series);
}

/** Inserts templates, many in one statement. Their series must exist. */
export async function insertTemplates(connection: Connection, templates: readonly NewTemplate[]): Promise<void> {
  const secrets = await secretsOf(connection);
  const stored = templates.map(({ series, logo, ...template }) => ({
    ...template,
    proof: PROOF.of(secrets, template),
    series: mapSeries((name) => String(series[name].seriesId)),
    logo: logo?.bytes ?? null,
    logoType: logo?.mimeType ?? null,
  }));
  await TEMPLATES.insertAll(connection, stored);
}
