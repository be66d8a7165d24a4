// Hindi of ../home.ts.
import type * as english from "../home.ts";
import type { Translation } from "../translation.ts";

export const home: Translation<typeof english.home> = {
  today: (day, zone) => `${day}, ${zone}`,
  available: "उपलब्ध",
  availableHint: "भुगतान के लिए उपलब्ध",
  held: "रोकी गई राशि",
  heldHint: "चल रहे भुगतानों के लिए रोकी गई",
  ledger: "कुल बैलेंस",
  ledgerHint: "उपलब्ध और रोकी गई राशि",
  todays: "आज",
  accepted: "शुरू किए गए पेआउट",
  paid: "भुगतान हुआ",
  returned: "विफल या वापस हुआ",
  collected: "प्राप्त राशि",
  due: "बकाया",
  overdue: "समय पार",
  payments: (count) => `${count} प्राप्त भुगतान`,
  open: (count) => `${count} इनवॉइस`,
  payouts: (count) => `${count} पेआउट`,
  waiting: "इन पर ध्यान दें",
  nothingWaits: "अभी किसी चीज़ पर ध्यान देने की ज़रूरत नहीं है।",
  approvals: (count) => (count === 1 ? "1 लंबित मंज़ूरी" : `${count}${count === 100 ? " या अधिक" : ""} लंबित मंज़ूरियाँ`),
  returnedPayouts: (count) =>
    count === "1" ? "पिछले 7 दिनों में 1 पेआउट विफल या वापस हुआ" : `पिछले 7 दिनों में ${count} पेआउट विफल या वापस हुए`,
  parked: (count) => (count === "1" ? "1 सब्सक्रिप्शन का बिल नहीं बन सका" : `${count} सब्सक्रिप्शन के बिल नहीं बन सके`),
  webhooks: (count) =>
    count === 1 ? "1 वेबहुक बार-बार विफल होने पर बंद किया गया" : `${count} वेबहुक बार-बार विफल होने पर बंद किए गए`,
  payoutChart: "पेआउट, पिछले 30 दिन",
  collectionChart: "प्राप्त राशि, पिछले 30 दिन",
  billingChart: "बिल की गई और प्राप्त राशि, पिछले 12 महीने",
  billed: "बिल की गई राशि",
  asOf: (moment) => `${moment} तक`,
  pay: "नया ट्रांसफ़र",
};

export const operator: Translation<typeof english.operator> = {
  merchants: "व्यापारी",
  search: "नाम या ईमेल से खोजें",
  name: "नाम",
  id: "व्यापारी ID",
  email: "ईमेल",
  status: "स्थिति",
  mode: "मोड",
  created: "बनाने की तारीख",
  empty: "अभी कोई व्यापारी नहीं",
  emptyHint: "पहला व्यापारी बनाएँ। उसे एक एक्सेस कुंजी और साइन इन कर सकने वाला एक उपयोगकर्ता मिलेगा।",
};
