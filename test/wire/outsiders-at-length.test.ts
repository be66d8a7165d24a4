// Callers without keys send the most expensive bodies there are, and hold every place that they can get: each is refused,
// and a merchant is served all the while.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostileBodies } from "../support/hostile-bodies.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { CUSTOMER_LIST } from "../support/merchant-wire.ts";

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
const INVOICE_SAVE = "/api/v3/merchant/invoice/save";
const LIST = { searchby: "name", keyword: "Nobody" };
/** How many bodies whose keys come late a server reads at once, and how many of one network (src/merchants/body-key-routes.ts). */
const LATE_AT_ONCE = 64;
const LATE_OF_NETWORK = 8;
/** More than the first part of a body, in which keys are expected, and less than the part in which they may come late. */
const UNFINISHED_BYTES = 66 * KIBIBYTE;

let installation: Installation;
let merchant: TestMerchant;
beforeAll(async () => {
  installation = await Installation.startProcess({ TRUST_PROXY: "127.0.0.1" });
  merchant = await installation.newMerchant();
});
afterAll(() => installation.stop());

let lastNetwork = 0;
/** The address of a network that nobody has used. */
const newNetwork = (): string => `203.0.${Math.floor(++lastNetwork / 250)}.${(lastNetwork % 250) + 1}`;

async function expectMerchantServed(headers = {}): Promise<void> {
  expect((await merchant.balance()).status).toBe(200);
  const list = await installation.send("POST", CUSTOMER_LIST, { ...merchant.keys, ...LIST }, headers);
  expect(list.status).toBe(200);
}

/** A caller that has sent a part of its body and no keys. `answer` is what the server says until it closes the connection. */
type Outsider = { readonly socket: Socket; readonly answer: () => string };

async function startOutsider(network: string): Promise<Outsider> {
  const { hostname, port } = new URL(installation.server.ownUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  socket.on("data", (data) => (received += data.toString("latin1")));
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const head = [
    `POST ${INVOICE_SAVE} HTTP/1.1`,
    "Host: x",
    `X-Forwarded-For: ${network}`,
    "Content-Type: application/json",
    `Content-Length: ${UNFINISHED_BYTES + 1}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n{"a":"${"x".repeat(UNFINISHED_BYTES - 7)}"`);
  return { socket, answer: () => received };
}

const isAnswered = ({ answer }: Outsider): boolean => answer().includes("errcode");
const statusOf = ({ answer }: Outsider): string => answer().slice("HTTP/1.1 ".length, "HTTP/1.1 ".length + 3);

/** Starts these, and waits until all but `held` of them have been refused. */
async function holdPlaces(networks: readonly string[], held: number): Promise<Outsider[]> {
  const outsiders = await Promise.all(networks.map(startOutsider));
  await expect.poll(() => outsiders.filter(isAnswered).length).toBe(networks.length - held);
  expect(outsiders.filter(isAnswered).map(statusOf)).toEqual(Array(networks.length - held).fill("413"));
  return outsiders.filter((outsider) => !isAnswered(outsider));
}

/** Sends what is left of their bodies, and waits for their answers. */
async function finish(outsiders: readonly Outsider[]): Promise<void> {
  for (const { socket } of outsiders) socket.write("}");
  await expect.poll(() => outsiders.filter(isAnswered).length).toBe(outsiders.length);
  expect(new Set(outsiders.map(statusOf))).toEqual(new Set(["401"]));
}

test("outsiders hold no more places than there are, of one network and in all, and a merchant needs none of them", async () => {
  const network = newNetwork();
  const sameNetwork = await holdPlaces(Array(LATE_OF_NETWORK + 4).fill(network), LATE_OF_NETWORK);
  const left = LATE_AT_ONCE - LATE_OF_NETWORK;
  const others = await holdPlaces(Array.from({ length: left + 16 }, newNetwork), left);
  expect([sameNetwork.length, others.length]).toEqual([LATE_OF_NETWORK, left]);
  await expectMerchantServed({ "x-forwarded-for": network });
  await finish([...sameNetwork, ...others]);
  // Their places are free again.
  await finish(await holdPlaces(Array.from({ length: LATE_AT_ONCE }, newNetwork), LATE_AT_ONCE));
});

test("every shape and size of expensive body is refused, and the merchant is served after each", async () => {
  const bodies = [64 * KIBIBYTE, MEBIBYTE, 8 * MEBIBYTE - 200].flatMap(hostileBodies);
  const statuses = await Promise.all(
    bodies.map(async (body) => {
      const status = await sendHostile(body);
      await expectMerchantServed();
      return status;
    }),
  );
  expect(statuses).toHaveLength(21);
  expect(statuses.filter((status) => ![400, 401, 413, "cut off"].includes(status))).toEqual([]);
});

/** The status of the answer. The server may close the connection before a body that it refuses has been sent. */
async function sendHostile(body: string): Promise<number | "cut off"> {
  const headers = { "content-type": "application/json", "x-forwarded-for": newNetwork() };
  const answer = await fetch(`${installation.server.baseUrl}${INVOICE_SAVE}`, { method: "POST", headers, body }).catch(
    () => null,
  );
  await answer?.text().catch(() => "");
  return answer?.status ?? "cut off";
}
