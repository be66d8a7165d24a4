// The parts of the simulation against what is known of them: turns, shared processors, batches, and the formula of a queue.
import { expect, test } from "vitest";
import { Chance, Clock, Cores, Lane, Thread } from "./engine.ts";

test("things happen in the order of their times, and in that of their making where these are the same", () => {
  const clock = new Clock();
  const seen: string[] = [];
  const times = [5, 1, 3, 1, 4, 2, 5, 0];
  times.forEach((ms, place) => clock.after(ms, () => seen.push(`${clock.nowMs}:${place}`)));
  clock.runUntil(4);
  expect(seen).toEqual(["0:7", "1:1", "1:3", "2:5", "3:2", "4:4"]);
  clock.runUntil(10);
  expect(seen.slice(6)).toEqual(["5:0", "5:6"]);
});

test("three tasks share two cores, and those of one thread wait for each other", () => {
  const clock = new Clock();
  const cores = new Cores(clock, 2);
  const ended: number[] = [];
  for (let task = 0; task < 3; task += 1) cores.run(2, () => ended.push(clock.nowMs));
  clock.runUntil(100);
  expect(Math.max(...ended)).toBeCloseTo(3, 1);
  expect(cores.usedMs).toBeCloseTo(6);
  const thread = new Thread(cores);
  const alone: number[] = [];
  for (let job = 0; job < 3; job += 1) thread.run(2, () => alone.push(clock.nowMs - 100));
  clock.runUntil(200);
  expect(alone.map((ms) => Math.round(ms))).toEqual([2, 4, 6]);
});

test("a lane takes what waits together, and no more than it may", () => {
  const clock = new Clock();
  const batches: number[][] = [];
  const lane = new Lane<number>(3, (batch, done) => {
    batches.push([...batch]);
    clock.after(1, done);
  });
  [1, 2, 3, 4, 5].forEach((item) => lane.add(item));
  clock.runUntil(10);
  expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  expect([lane.batches, lane.items]).toEqual([3, 5]);
});

test("who arrives at random at a thread that works 1 ms for each waits as long as Pollaczek and Khinchine say", () => {
  const clock = new Clock();
  const thread = new Thread(new Cores(clock, 1));
  const chance = new Chance(7);
  const load = 0.8;
  let waitedMs = 0;
  let served = 0;
  const arrive = (): void =>
    clock.after(chance.gapMs(load), () => {
      const arrivedAtMs = clock.nowMs;
      thread.run(1, () => {
        waitedMs += clock.nowMs - arrivedAtMs - 1;
        served += 1;
      });
      arrive();
    });
  arrive();
  clock.runUntil(400_000);
  expect(served / 400_000).toBeCloseTo(load, 1);
  expect(waitedMs / served / (load / (2 * (1 - load)))).toBeCloseTo(1, 1);
});
