// The gate: how many run at once, how many wait, and what happens to the rest.
import { expect, test } from "vitest";
import { Gate } from "./gate.ts";

test("so many run at once, so many wait, the rest is refused, and all places come free again", async () => {
  const gate = new Gate({ atOnce: 2, maxWaiting: 3 });
  let [running, most] = [0, 0];
  const releases: (() => void)[] = [];
  const work = async (): Promise<string> => {
    most = Math.max(most, (running += 1));
    await new Promise<void>((resolve) => releases.push(resolve));
    running -= 1;
    return "done";
  };
  const runs = Array.from({ length: 6 }, () => gate.run(work));
  await expect(runs[5]).rejects.toMatchObject({ code: "unavailable" });
  for (let count = 0; count < 5; count += 1) {
    while (releases.length === 0) await new Promise(setImmediate);
    releases.shift()!();
  }
  expect(await Promise.all(runs.slice(0, 5))).toEqual(Array(5).fill("done"));
  expect(most).toBe(2);
  const failed = gate.run(() => Promise.reject(new Error("no")));
  await expect(failed).rejects.toThrow("no");
  expect(await gate.run(() => Promise.resolve("again"))).toBe("again");
});
