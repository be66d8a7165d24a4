// Refusals that were written for programs, for people.

const PATH = /^invoice\.[a-z_.[\]0-9]+:? /;

/** Without the path of a field before it: `invoice.franchise_id: there is no such franchise.` Other texts stay. */
export function withoutPath(text: string): string {
  const rest = text.replace(PATH, "");
  return rest === text ? text : rest.charAt(0).toUpperCase() + rest.slice(1);
}
