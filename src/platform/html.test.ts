// HTML from text: all text is escaped.
import { expect, test } from "vitest";
import { markup } from "./html.ts";

test("text is escaped in content and attributes, HTML and lists of it are not escaped twice", () => {
  const item = markup`<li title="${`"'><script>`}">${"a & b"}</li>`;
  const printed = '<li title="&quot;&#39;&gt;&lt;script&gt;">a &amp; b</li>';
  expect(markup`<ul>${[item, item]}</ul>`.text).toBe(`<ul>${printed}${printed}</ul>`);
});

test("null and false print nothing, numbers print themselves", () => {
  expect(markup`${null}${false}${0}`.text).toBe("0");
});
