// Hindi of ../records.ts.
import type * as english from "../records.ts";
import type { Translation } from "../translation.ts";

export const record: Translation<typeof english.record> = {
  more: "और",
  moreFor: (title) => `और कार्रवाइयाँ: ${title}`,
  sections: "भाग",
};

export const printed: Translation<typeof english.printed> = {
  drawing: "पन्ने बनाए जा रहे हैं…",
  tooLong: "इस दस्तावेज़ में यहाँ दिखाने के लिए बहुत ज़्यादा पन्ने हैं।",
  openPdf: "PDF खोलें",
};
