// The metrics of several processes as one answer.

/** A metric's lines begin with its help: the name, then what is said of it. */
const HEAD = /^# HELP (\S+) .*\n(?:# TYPE .*\n)?/;

/**
 * Joins texts in Prometheus' format, whose values must differ in a label: the format wants all values of a metric
 * together, under one head.
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
