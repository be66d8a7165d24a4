// The load's process for the soak: every kind of request, in the proportions of a busy day, and a webhook receiver. How
// many are sent a second is the phase's.
import { createServer } from "node:http";
import { saveRequest } from "./invoice-merchants.ts";
import { serveLoad, type Phase } from "./load.ts";
import type { Caller } from "./subscription-load.ts";
import { WireClient, type WireRequest } from "./wire-client.ts";

export type SoakLoadSetup = {
  readonly baseUrl: string;
  readonly connections: number;
  readonly callers: readonly Omit<Caller, "merchant">[];
  /** Where this process receives webhooks, on this machine. */
  readonly webhookPort: number;
};

/** A caller and what its next request builds on. */
type Memory = Omit<Caller, "merchant"> & { reference: string; unpaidInvoiceId: string | null; pdfPath: string | null };
type Ask = (client: WireClient, phase: Phase, memory: Memory, number: number) => Promise<unknown>;

const isGood: WireRequest["isGood"] = ({ status }) => status === 200;
const LIST = { limit: 20 };

/** How many of 1000 requests are of each kind. */
const MIX: readonly (readonly [share: number, ask: Ask])[] = [
  [700, transfer],
  [100, (client, phase, { token }) => get(client, phase, "/api/v1/payout/balance", token)],
  [60, transferStatus],
  [
    60,
    (client, phase, { keys, invoiceId }) => ask(client, phase, "invoice/detail", { ...keys, invoice_id: invoiceId }),
  ],
  [30, saveInvoice],
  [20, settleInvoice],
  [15, (client, phase, { keys }) => ask(client, phase, "invoice/getlist", { ...keys, ...LIST })],
  [12, saveCustomer],
  [2, readPdf],
  [1, (client, phase, { token }) => get(client, phase, "/api/v1/beneficiary/list", token)],
];
const TURNS = MIX.flatMap(([share, each], kind) =>
  Array.from({ length: share }, (_, index) => ({ each, place: (index + 0.5) / share + kind / 1e6 })),
)
  .toSorted((left, right) => left.place - right.place)
  .map(({ each }) => each);

function get(client: WireClient, phase: Phase, path: string, token: string): Promise<unknown> {
  return client.record(phase, { method: "GET", path, token, isGood });
}

function ask(client: WireClient, phase: Phase, path: string, body: object, version = "v1"): Promise<unknown> {
  return client.record(phase, {
    method: "POST",
    path: `/api/${version}/merchant/${path}`,
    body: JSON.stringify(body),
    isGood,
  });
}

async function transfer(client: WireClient, phase: Phase, memory: Memory, number: number): Promise<void> {
  const { token, beneficiaryId } = memory;
  const reference = `soak-${process.pid}-${performance.now()}-${number}`;
  const body = JSON.stringify({ beneficiary_id: beneficiaryId, amount: "1.00", reference_id: reference });
  await client.record(phase, { method: "POST", path: "/api/v1/beneficiary/transfer", body, token, isGood });
  memory.reference = reference;
}

async function transferStatus(client: WireClient, phase: Phase, memory: Memory, number: number): Promise<void> {
  if (memory.reference === "") return transfer(client, phase, memory, number);
  const path = `/api/v1/payout/transferstatus/referenceid/${memory.reference}`;
  await get(client, phase, path, memory.token);
}

async function saveInvoice(client: WireClient, phase: Phase, memory: Memory): Promise<void> {
  const answer = await client.record(phase, saveRequest(memory, 1));
  if (answer?.status !== 200) return;
  const { srvrsp } = JSON.parse(answer.bytes.toString()) as { srvrsp: { invoice_id: string; short_url: string }[] };
  memory.unpaidInvoiceId = srvrsp[0]!.invoice_id;
  memory.pdfPath = `${new URL(srvrsp[0]!.short_url).pathname}/pdf`;
}

async function settleInvoice(client: WireClient, phase: Phase, memory: Memory): Promise<void> {
  const invoiceId = memory.unpaidInvoiceId;
  if (invoiceId === null) return saveInvoice(client, phase, memory);
  memory.unpaidInvoiceId = null;
  const paidDate = Temporal.Now.plainDateISO("Asia/Kolkata").toString();
  const settlement = { invoice_id: invoiceId, paid_date: paidDate, amount: "100.00", mode: "UPI" };
  await ask(client, phase, "invoice/settle", { ...memory.keys, ...settlement }, "v2");
}

async function saveCustomer(client: WireClient, phase: Phase, { keys }: Memory, number: number): Promise<void> {
  const customer = { customer_code: `S${process.pid}-${performance.now()}-${number}`, customer_name: "Meera Shah" };
  await ask(client, phase, "customer/save", { ...keys, customer: [customer] });
}

async function readPdf(client: WireClient, phase: Phase, memory: Memory): Promise<void> {
  if (memory.pdfPath === null) return saveInvoice(client, phase, memory);
  await client.record(phase, { method: "GET", path: memory.pdfPath, isGood });
}

serveLoad(async ({ baseUrl, connections, callers, webhookPort }: SoakLoadSetup) => {
  createServer((request, answer) => {
    request.resume().on("end", () => answer.writeHead(204).end());
  }).listen(webhookPort, "127.0.0.1");
  const client = new WireClient(baseUrl, connections);
  const memories = callers.map((caller): Memory => {
    return { ...caller, reference: "", unpaidInvoiceId: null, pdfPath: null };
  });
  return Array.from({ length: connections }, () => async (phase: Phase) => {
    while (!phase.isOver) {
      const number = await phase.turn();
      await TURNS[number % TURNS.length]!(client, phase, memories[number % memories.length]!, number);
    }
  });
});
