// Hindi of ../before-money.ts.
import type * as english from "../before-money.ts";
import type { Translation } from "../translation.ts";

export const beforeMoney: Translation<typeof english.beforeMoney> = {
  mode: "माध्यम",
  available: "अभी उपलब्ध",
  left: "इसके बाद शेष",
  leftToday: "आज की सीमा में शेष",
  needsApproval: (over) =>
    `${over} से ज़्यादा के भुगतान के लिए दूसरे व्यक्ति की मंज़ूरी ज़रूरी है। राशि रोक ली जाती है, और मंज़ूरी की अनुमति वाले किसी व्यक्ति के मंज़ूर करने पर भेजी जाती है।`,
  sendForApproval: "मंज़ूरी के लिए भेजें",
  schedule: "ट्रांसफ़र शेड्यूल करें",
  later: "उस दिन फिर जाँच होगी: उससे पहले कोई राशि नहीं रोकी जाती।",
};
