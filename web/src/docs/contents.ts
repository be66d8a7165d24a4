// The list of operations beside the reference, by tag, with a filter.
import type { OpenApiDocument } from "@fastify/swagger-ui/static/swagger-ui-bundle.js";

/** The list stands beside the reference from this width on; docs.css has the same. */
const WIDE = "(min-width: 75em)";

/** Fills the list from the OpenAPI document. On narrow screens it is folded. */
export function showContents(spec: OpenApiDocument): void {
  const tags = groupByTag(spec);
  const groups = [...tags].map(([tag, links]) =>
    element("section", {}, element("h2", {}, tag), element("ul", {}, ...links)),
  );
  const none = element("p", { hidden: true }, "No operation matches.");
  const filter = element("input", { type: "search", id: "filter", placeholder: "Name or path", autocomplete: "off" });
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const link of [...tags.values()].flat()) {
      const text = (link.dataset["text"] ?? "").toLowerCase();
      link.hidden = !words.every((word) => text.includes(word));
    }
    for (const group of groups) group.hidden = group.querySelector("li:not([hidden])") === null;
    none.hidden = groups.some(({ hidden }) => !hidden);
  });
  const label = element("label", { htmlFor: "filter" }, "Filter operations");
  const folded = element("details", {}, element("summary", {}, "All operations"), label, filter, none, ...groups);
  const wide = matchMedia(WIDE);
  const fold = (): void => void (folded.open = wide.matches);
  wide.addEventListener("change", fold);
  fold();
  document.querySelector("#contents")?.replaceChildren(folded);
}

/** One entry for each operation, by its first tag, in the order of the reference. */
function groupByTag({ tags: named, paths }: OpenApiDocument): Map<string, HTMLLIElement[]> {
  const tags = new Map<string, HTMLLIElement[]>(named.map(({ name }) => [name, []]));
  for (const [path, methods] of Object.entries(paths)) {
    for (const [
      method,
      {
        operationId,
        summary = operationId,
        tags: [tag],
      },
    ] of Object.entries(methods)) {
      const link = element("a", { href: `#/${encodeURIComponent(tag)}/${operationId}` }, summary);
      link.title = `${method.toUpperCase()} ${path}`;
      const entry = element("li", {}, link);
      entry.dataset["text"] = `${link.title} ${summary} ${operationId} ${tag}`;
      tags.set(tag, [...(tags.get(tag) ?? []), entry]);
    }
  }
  return new Map([...tags].filter(([, links]) => links.length > 0));
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
