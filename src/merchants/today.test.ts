// A merchant's day: by its time zone, and by its clock, which it can move in the sandbox.
import { expect, test } from "vitest";
import { todayOf, type MerchantClock } from "./merchant.ts";

const day = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text);
const AHEAD = day("2190-01-31");
const PASSED = day("2020-02-29");

/** Today by the clock, and for a merchant: read again if midnight came in between. */
function compare(clock: Partial<MerchantClock>): {
  readonly real: Temporal.PlainDate;
  readonly today: Temporal.PlainDate;
} {
  const merchant = { timeZone: "Asia/Kolkata", live: false, clockDate: null, ...clock };
  for (;;) {
    const real = Temporal.Now.plainDateISO(merchant.timeZone);
    const today = todayOf(merchant);
    if (Temporal.Now.plainDateISO(merchant.timeZone).equals(real)) return { real, today };
  }
}

test.each([
  ["in the sandbox, by itself", {}],
  ["in the sandbox, with a clock that the real date has passed", { clockDate: PASSED }],
  ["live", { live: true }],
  ["live, whatever its clock was moved to", { live: true, clockDate: AHEAD }],
])("%s, it is the real date", (_, clock) => {
  const { real, today } = compare(clock);
  expect(today).toEqual(real);
});

test("in the sandbox, with a clock that is ahead, it is the clock's day", () => {
  expect(compare({ clockDate: AHEAD }).today).toEqual(AHEAD);
});

test("east of the date line it is another day than west of it", () => {
  const [east, west] = ["Pacific/Kiritimati", "Pacific/Pago_Pago"].map((timeZone) => compare({ timeZone }));
  expect(Temporal.PlainDate.compare(east!.today, west!.today)).toBe(1);
  expect([east!.today, west!.today]).toEqual([east!.real, west!.real]);
});
