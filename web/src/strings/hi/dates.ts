// Hindi of ../dates.ts.
import type * as english from "../dates.ts";
import type { Translation } from "../translation.ts";

export const dates: Translation<typeof english.dates> = {
  weekdays: ["सोम", "मंगल", "बुध", "गुरु", "शुक्र", "शनि", "रवि"],
  months: ["जन", "फ़र", "मार्च", "अप्रैल", "मई", "जून", "जुल", "अग", "सित", "अक्तू", "नव", "दिस"],
};
