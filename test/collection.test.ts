// The collection for Postman and Bruno: every request of it, with variables filled in, is one that the server knows.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Installation } from "./support/installation.ts";
import { Invoices } from "./support/invoices.ts";
import { REPOSITORY } from "./support/files.ts";

type Pair = { readonly key: string; readonly value: string };
type Item = {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly auth?: { readonly type: string };
    readonly body?: { readonly raw: string };
    readonly url: { readonly raw: string; readonly variable: readonly Pair[] };
  };
};
type Collection = {
  readonly item: readonly { readonly item: readonly Item[] }[];
  readonly variable: readonly Pair[];
};

const collection = JSON.parse(
  readFileSync(join(REPOSITORY, "sdk/nodal.postman_collection.json"), "utf8"),
) as Collection;

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

test("each request is sent as it stands, and refused at most for what its example names", async () => {
  const { merchant } = await Invoices.ofNewMerchant(installation);
  const values = { base_url: installation.server.baseUrl, token: merchant.token, ...merchant.keys };
  expect(collection.variable.map(({ key }) => key).toSorted()).toEqual(Object.keys(values).toSorted());
  const fill = (text: string): string =>
    Object.entries(values).reduce((filled, [name, value]) => filled.replaceAll(`{{${name}}}`, value), text);
  const items = collection.item.flatMap(({ item }) => item);
  const { body: document } = await installation.send("GET", "/openapi.json");
  const paths = Object.values((document as { paths: Record<string, object> }).paths);
  expect(items).toHaveLength(paths.flatMap((methods) => Object.keys(methods)).length);
  for (const { name, request } of items) {
    const { raw, variable } = request.url;
    const path = variable.reduce((url, { key, value }) => url.replace(`:${key}`, value), fill(raw));
    const headers: Record<string, string> = request.auth ? {} : { authorization: `Bearer ${fill("{{token}}")}` };
    const body = request.body ? fill(request.body.raw) : undefined;
    const answer = await installation.send(request.method, path.replace(values.base_url, ""), body, headers);
    // Ids of examples are nobody's here: what they name is not found, and all else is right.
    const code = String(answer.body.code ?? answer.body.errcode ?? "");
    expect([200, 404, 409, 422], `${name}: ${code}`).toContain(answer.status);
    expect(["not_found", "method_not_allowed"], name).not.toContain(code);
  }
});
