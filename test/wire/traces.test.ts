// Traces of a whole server, as a collector gets them: names of steps, and nothing of what was sent.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { Installation } from "../support/installation.ts";

test("a collector gets the request, its acceptance and the call of the bank, without a word of the body", async () => {
  const received: Buffer[] = [];
  const collector = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (request.url === "/v1/traces") received.push(body);
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  onTestFinished(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  const installation = await Installation.startProcess({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  const merchant = await installation.newMerchant({ fund: "1000.00" });
  const beneficiary_id = await merchant.addBeneficiary();
  const body = { beneficiary_id, amount: "250.75", reference_id: "INV-TRACED", narrative: "Not to be told" };
  expect((await merchant.transfer(body)).status).toBe(200);
  await installation.stop();
  const text = Buffer.concat(received).toString("latin1");
  for (const name of ["POST /api/v1/beneficiary/transfer", "accept transfer", "pay at the bank", "nodal.transfer_id"]) {
    expect(text).toContain(name);
  }
  for (const said of ["INV-TRACED", "Not to be told", "00011020001772", "250.75"]) expect(text).not.toContain(said);
});
