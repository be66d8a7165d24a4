// Templates that a live merchant copies from its sandbox, with their number series, each of which restarts at its first number.
import { auditValues, recordEvents } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { changedWithSql } from "../../platform/secrets/index.ts";
import { mapSeries } from "../document-kind.ts";
import type { NumberSeries } from "../numbers/number-series.ts";
import { findLogo, insertSeries, insertTemplates, listTemplates } from "./template-store.ts";

/** Gives a new merchant the templates of one that the caller has locked. */
export async function copyTemplates(
  connection: Connection,
  ids: IdSource,
  from: MerchantKey,
  { bucket, merchantId }: MerchantKey,
): Promise<void> {
  const owner = { bucket, merchantId };
  const templates = [];
  const copies = new Map<bigint, NumberSeries>();
  for (const { logoType: _, isChanged, ...template } of (await listTemplates(connection, from)).toSorted(byAge)) {
    if (isChanged) throw changedWithSql(`The template ${template.name}`);
    for (const series of Object.values(template.series)) {
      if (!copies.has(series.seriesId)) copies.set(series.seriesId, { ...series, seriesId: await ids.next() });
    }
    templates.push({
      ...template,
      ...owner,
      templateId: await ids.next(),
      series: mapSeries((name) => copies.get(template.series[name].seriesId)!),
      logo: await findLogo(connection, from, template.templateId),
    });
  }
  await insertSeries(
    connection,
    [...copies.values()].map((series) => ({ ...owner, ...series })),
  );
  await insertTemplates(connection, templates);
  await recordEvents(
    connection,
    owner,
    templates.map((template) => {
      // Printed content is not logged.
      const after = auditValues({ ...template, logo: undefined });
      return { type: "template.created", subjectId: template.templateId, after };
    }),
  );
}

/** Lists are in the order of ids. */
function byAge(a: { readonly templateId: bigint }, b: { readonly templateId: bigint }): number {
  return a.templateId < b.templateId ? -1 : 1;
}
