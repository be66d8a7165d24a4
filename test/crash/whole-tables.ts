// Reading the books whole, wherever their rows are. No assertion.

/**
 * A statement that reads these tables whole before it compares them: what is on several nodes of Citus can be joined then
 * in any way.
 */
export function ofWhole(tables: readonly string[], sql: string): string {
  const read = tables.map((table) => `${table.split(".").at(-1)} as materialized (select * from ${table})`).join(", ");
  return /^\s*with\s/.test(sql) ? sql.replace("with ", `with ${read}, `) : `with ${read} ${sql}`;
}
