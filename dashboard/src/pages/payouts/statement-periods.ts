// The periods that statements are mostly wanted for, from the merchant's day.
// What belongs here: dates as text. India's financial year begins on 1 April.
import { statement } from "../../strings/payouts.ts";

const APRIL = 4;

type Period = { readonly label: string; readonly from: string; readonly to: string };

/** This month, the last one, and this financial year up to today. `today` is YYYY-MM-DD. */
export function statementPeriods(today: string): readonly Period[] {
  const [year = 0, month = 0] = today.split("-").map(Number);
  const lastMonth = month === 1 ? { year: year - 1, month: 12 } : { year, month: month - 1 };
  return [
    { label: statement.thisMonth, from: dateOf(year, month, 1), to: today },
    {
      label: statement.lastMonth,
      from: dateOf(lastMonth.year, lastMonth.month, 1),
      to: dateOf(lastMonth.year, lastMonth.month, new Date(Date.UTC(year, month - 1, 0)).getUTCDate()),
    },
    { label: statement.financialYear, from: dateOf(month < APRIL ? year - 1 : year, APRIL, 1), to: today },
  ];
}

function dateOf(year: number, month: number, day: number): string {
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}
