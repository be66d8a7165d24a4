// Hindi of ../actors.ts.
import type * as english from "../actors.ts";
import type { Translation } from "../translation.ts";

export const actors: Translation<typeof english.actors> = {
  key: "एक्सेस कुंजी",
  user: "उपयोगकर्ता",
  operator: "ऑपरेटर",
  command: "कमांड लाइन",
  job: "निर्धारित काम",
  bank: "बैंक",
  franchise: "फ़्रैंचाइज़ी",
};
