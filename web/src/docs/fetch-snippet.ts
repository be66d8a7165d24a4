// A request as JavaScript, to run in Node or a browser.
import type { SentRequest } from "@fastify/swagger-ui/static/swagger-ui-bundle.js";

/** The code that sends a request again with `fetch` and prints the answer. */
export function fetchSnippet(request: SentRequest): string {
  const { url, method, headers = {}, body } = request.toJS();
  const isForm = typeof body === "object";
  // The type of a form names its boundary, which `fetch` chooses.
  const sent = Object.entries(headers).filter(([name]) => !isForm || name.toLowerCase() !== "content-type");
  const lines = [`  method: ${JSON.stringify(method)},`];
  if (sent.length > 0) lines.push(`  headers: ${indented(Object.fromEntries(sent))},`);
  if (body !== undefined) lines.push(`  body${isForm ? "" : `: ${bodyCode(body)}`},`);
  const form = isForm ? formCode(body) : [];
  const call = [`const response = await fetch(${JSON.stringify(url)}, {`, ...lines, "});"];
  return [...form, ...call, "console.log(response.status, await response.text());"].join("\n");
}

function bodyCode(body: string): string {
  try {
    return `JSON.stringify(${indented(JSON.parse(body))})`;
  } catch {
    return JSON.stringify(body);
  }
}

function formCode(fields: Readonly<Record<string, unknown>>): string[] {
  const appended = Object.entries(fields).map(
    ([name, value]) => `body.append(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  return ["const body = new FormData();", ...appended];
}

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
