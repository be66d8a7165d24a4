// Hostile files that are made to be slow: other work in the process continues meanwhile.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { readStatementAside } from "./read-aside.ts";
import { readStatementFile } from "./read-statement.ts";

const options = (key: string) => ({ key });
const bytesOf = (text: string) => new TextEncoder().encode(text);
const MT940 = ":20:A\n:25:1\n:28C:1\n:60F:C261101INR0,\n";

/** The longest time during `work` in which no other task ran, in ms. */
async function longestPause(work: Promise<unknown>): Promise<number> {
  let [isDone, longest] = [false, 0];
  const ended = work.then(
    () => (isDone = true),
    () => (isDone = true),
  );
  while (!isDone) {
    const begun = performance.now();
    await sleep(5);
    longest = Math.max(longest, performance.now() - begun);
  }
  await ended;
  return longest;
}

test("a statement is the same as if it were read at once, with its days and amounts", async () => {
  const rows = Array.from({ length: 5000 }, (_, index) => `20/11/26,${index % 7}0.50,${index},NEFT ${index}`);
  const bytes = bytesOf(`Date,Deposit Amt.,Ref,Narration\n${rows.join("\n")}`);
  const asked = { key: "a", mapping: { date: "Date", credit: "Deposit Amt.", debit: "Ref", narration: "Narration" } };
  const small = bytesOf(`${MT940}:61:2611201120C12,50NTRFREF1//UTR1\n:86:ASHA\n:62F:C261120INR12,50`);
  for (const [file, how] of [
    [small, options("a")],
    [bytesOf("nothing"), options("a")],
    [bytes, asked],
  ] as const) {
    const outcome = (read: Promise<unknown>) => read.catch((error: unknown) => error);
    expect(await outcome(readStatementAside(file, how))).toEqual(await outcome(readStatementFile(file, how)));
  }
});

test("one that takes long to read, and ends as no statement, holds nobody up", async () => {
  const long = bytesOf(`${MT940}:86:${"\n".repeat(3_000_000)}`);
  const reading = readStatementAside(long, options("a"));
  // In this process, it blocked for some seconds; the machine may be busy.
  expect(await longestPause(reading)).toBeLessThan(1000);
  await expect(reading).rejects.toThrow(/no opening or no closing balance/);
});

test("one that takes too long is refused, and the next one of its owner is read", async () => {
  const long = bytesOf(`${MT940}:86:${"\n".repeat(3_000_000)}`);
  await expect(readStatementAside(long, options("a"), { timeMs: 100, memoryMiB: 768 })).rejects.toThrow(
    /takes too much time/,
  );
  const good = bytesOf(`${MT940}:62F:C261101INR0,`);
  expect((await readStatementAside(good, options("a"))).openingPaise).toBe(0n);
});

test("JSON that takes all memory of its reader is refused, and ends no other process", async () => {
  const many = bytesOf(`{"items":[${"{},".repeat(2 ** 20)}{}]}`);
  const refused = readStatementAside(many, options("a"), { timeMs: 60_000, memoryMiB: 64 });
  await expect(refused).rejects.toThrow(/takes too much time or memory/);
  const good = bytesOf(`${MT940}:62F:C261101INR0,`);
  expect((await readStatementAside(good, options("a"))).openingPaise).toBe(0n);
});

test("a file that is larger than any that people send is not read at all", async () => {
  const large = bytesOf(`{"items":[${"{},".repeat(12_000_000)}{}]}`);
  await expect(readStatementAside(large, options("a"))).rejects.toThrow(/larger than 16 MB/);
});

test("more lines than a statement may have are refused, however small they are", async () => {
  const many = bytesOf(`${MT940}${":61:2611201120C1,NTRFX\n".repeat(200_001)}:62F:C261120INR200001,`);
  const ample = { timeMs: 120_000, memoryMiB: 768 };
  await expect(readStatementAside(many, options("a"), ample)).rejects.toThrow(/more than 200000 lines/);
});

test("an entry with a great many texts is read in the time of its length", async () => {
  const texts = "<Ustrd>a</Ustrd>".repeat(300_000);
  const entry = `<Ntry><Amt Ccy="INR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><BookgDt><Dt>2026-11-20</Dt></BookgDt>
    <NtryDtls><TxDtls><RmtInf>${texts}</RmtInf></TxDtls></NtryDtls></Ntry>`;
  const file = bytesOf(`<Document><BkToCstmrStmt><Stmt>${entry}</Stmt></BkToCstmrStmt></Document>`);
  const { lines } = await readStatementAside(file, options("a"));
  expect(lines).toMatchObject([{ amountPaise: 100n, narration: "a" }]);
});
