// The load's process for HTTP: transfers over keep-alive connections.
import { headOf, laneOn } from "./http-lane.ts";
import type { Payer } from "./installation.ts";
import { serveLoad } from "./load.ts";

export type HttpLoadSetup = {
  readonly port: number;
  readonly connections: number;
  /** The merchants that pay, each its own beneficiary. */
  readonly payers: readonly Payer[];
  /** Where the references begin, for merchants that an earlier process has paid for; 1 without it. */
  readonly firstReference?: number;
};

/** Every request has its own; the width is fixed so that a payer's requests all have one length. */
const REFERENCE_DIGITS = 12;
const EXPECTED_BODY = '"status":"1"';

/** A payer's request, but for amount and reference. */
type Template = { readonly head: string; readonly between: string; readonly tail: string };

function makeTemplates({ port, payers }: Pick<HttpLoadSetup, "port" | "payers">): Template[] {
  return payers.map(({ token, beneficiaryId }) => {
    const bodyHead = `{"beneficiary_id":"${beneficiaryId}","amount":"`;
    const between = `","reference_id":"bench-`;
    const tail = `","narrative":"Benchmark"}`;
    const length = `${bodyHead}0.00${between}${"0".repeat(REFERENCE_DIGITS)}${tail}`.length;
    const head = `${headOf(port, "/api/v1/beneficiary/transfer", length, token)}${bodyHead}`;
    return { head, between, tail };
  });
}

/** Makes new transfers of 1.00 to 9.99, each by a payer at random. */
function transfersOf(templates: readonly Template[], firstReference: number): () => string {
  let nextReference = firstReference;
  return () => {
    const { head, between, tail } = templates[Math.floor(Math.random() * templates.length)]!;
    const paise = String(100 + Math.floor(Math.random() * 900));
    const reference = String(nextReference).padStart(REFERENCE_DIGITS, "0");
    nextReference += 1;
    return `${head}${paise[0]}.${paise.slice(1)}${between}${reference}${tail}`;
  };
}

serveLoad(async ({ port, connections, payers, firstReference = 1 }: HttpLoadSetup) => {
  const requests = {
    next: transfersOf(makeTemplates({ port, payers }), firstReference),
    expected: EXPECTED_BODY,
  };
  return Array.from({ length: connections }, () => laneOn(port, requests));
});
