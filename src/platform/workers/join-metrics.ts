// Joins the metrics of several processes.

/** A metric begins with its HELP line: the name, then the description. */
const HEAD = /^# HELP (\S+) .*\n(?:# TYPE .*\n)?/;

/**
 * Joins texts in Prometheus' format, whose values must differ in a label. The format requires all values of a metric
 * together, below one head.
 */
export function joinMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, { readonly head: string; values: string }>();
  for (const part of texts.flatMap((text) => text.split(/^(?=# HELP )/m))) {
    const found = HEAD.exec(part);
    if (!found) continue;
    const [head, name] = [found[0], found[1]!];
    const values = part.slice(head.length).replace(/\n*$/, "\n");
    const metric = metrics.get(name);
    if (metric) metric.values += values;
    else metrics.set(name, { head, values });
  }
  return [...metrics.values()].map(({ head, values }) => head + values).join("");
}
