// The control API of a stand-in, under /_sim: clock, faults, balance, and the contents of its book.
import type { FastifyInstance } from "fastify";
import { seededRandom } from "./random.ts";
import { isRecord, paiseOf, textOf, type Fields } from "./json.ts";
import type { BookState } from "./payout-book.ts";
import type { Desk } from "./desk.ts";

const STATES: readonly BookState[] = ["QUEUED", "PENDING", "PAID", "FAILED", "REJECTED", "REVERSED"];

/** Adds the control API. It needs no credentials: a stand-in listens on this machine only. */
export function addControls(app: FastifyInstance, desk: Desk): void {
  const post = (path: string, work: (fields: Fields) => unknown): void => {
    app.post(`/_sim/${path}`, async (request, reply) => {
      try {
        return (await work(isRecord(request.body) ? request.body : {})) ?? {};
      } catch (error) {
        return reply.code(400).send({ message: (error as Error).message });
      }
    });
  };
  app.get("/_sim/book", () => ({
    balance_paise: desk.book.balancePaise(),
    payments: desk.book.listPayments(),
    movements: desk.book.listMovements(),
  }));
  app.get("/_sim/clock", () => ({ now: desk.clock.now().toString() }));
  // { advance_ms } or { stop_at: instant } or { go: true }
  post("clock", (fields) => {
    if (fields.advance_ms !== undefined) desk.clock.advance(wholeOf(fields, "advance_ms"));
    if (fields.stop_at !== undefined)
      desk.clock.stopAt(Temporal.Instant.from(textOf(fields, "stop_at")).epochMilliseconds);
    if (fields.go === true) desk.clock.go();
    desk.tick();
    return { now: desk.clock.now().toString() };
  });
  // { faults: [{ kind, on?, count?, percent? }], seed? }
  post("faults", (fields) => {
    if (fields.seed !== undefined) desk.faults.seed(seededRandom(wholeOf(fields, "seed")));
    for (const fault of Array.isArray(fields.faults) ? fields.faults : []) desk.faults.add(numbersOf(fault));
  });
  app.delete("/_sim/faults", () => {
    desk.faults.clear();
    return {};
  });
  // { amount } in rupees
  post("fund", (fields) => {
    const paise = paiseOf(fields, "amount");
    if (paise === null) throw new Error("amount: rupees, as 1000.00");
    desk.book.fund(paise);
    return { balance_paise: desk.book.balancePaise() };
  });
  // { payment, state, reason? }: what the bank does next, whatever was planned
  post("move", (fields) => {
    const state = STATES.find((each) => each === fields.state);
    if (!state) throw new Error(`state: one of ${STATES.join(", ")}`);
    const reason = fields.reason === undefined ? null : textOf(fields, "reason");
    const moved = desk.book.move(textOf(fields, "payment"), state, reason, desk.clock.nowMs());
    if (!moved) throw new Error("payment: no such payment");
    desk.notices.add(moved);
  });
  // { listed: false }: calls come from an address that is not listed, and have to be signed
  post("addresses", (fields) => {
    desk.isListed = fields.listed !== false;
  });
  app.get("/_sim/public-key", () => ({ pem: desk.signingKeys.publicKey.export({ type: "spki", format: "pem" }) }));
  // { url } or { url: null }
  post("notices", (fields) => desk.notices.sendTo(fields.url === null ? null : textOf(fields, "url")));
}

function wholeOf(fields: Fields, name: string): number {
  const value = Number(textOf(fields, name));
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name}: a whole number`);
  return value;
}

/** The body's numbers are texts. */
function numbersOf(fault: unknown): unknown {
  if (!isRecord(fault)) return fault;
  const numbers = ["count", "percent"].filter((name) => fault[name] !== undefined);
  return { ...fault, ...Object.fromEntries(numbers.map((name) => [name, Number(textOf(fault, name))])) };
}
