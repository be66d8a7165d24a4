// The load's process for invoices: saves of one invoice over keep-alive connections.
import { headOf, laneOn } from "./http-lane.ts";
import { saveRequest, type BenchMerchant } from "./invoice-merchants.ts";
import { serveLoad } from "./load.ts";

export type SaveLoadSetup = {
  readonly port: number;
  readonly connections: number;
  /** Of the merchants that save. Each has the customer that the saved invoices are for. */
  readonly keys: readonly BenchMerchant["keys"][];
};

const EXPECTED_BODY = '"errcode":0';

serveLoad(async ({ port, connections, keys }: SaveLoadSetup) => {
  const texts = keys.map((each) => {
    const { path, body = "" } = saveRequest({ keys: each }, 1);
    return `${headOf(port, path, Buffer.byteLength(body))}${body}`;
  });
  const requests = {
    next: () => texts[Math.floor(Math.random() * texts.length)]!,
    expected: EXPECTED_BODY,
  };
  return Array.from({ length: connections }, () => laneOn(port, requests));
});
