// Hindi of ../before-money.ts.
import type * as english from "../before-money.ts";
import type { Translation } from "../translation.ts";

export const beforeMoney: Translation<typeof english.beforeMoney> = {
  mode: "माध्यम",
  available: "अभी उपलब्ध",
  left: "इसके बाद बैलेंस",
  leftToday: "आज की बची सीमा",
  needsApproval: (over) => `मंज़ूरी ज़रूरी: ${over} से ज़्यादा। मंज़ूरी मिलने तक हम राशि होल्ड पर रखेंगे।`,
  sendForApproval: "मंज़ूरी के लिए भेजें",
  schedule: "ट्रांसफ़र शेड्यूल करें",
  later: "राशि उसी दिन जाँची और रोकी जाती है।",
};
