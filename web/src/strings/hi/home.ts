// Hindi of ../home.ts.
import type * as english from "../home.ts";
import type { Translation } from "../translation.ts";

export const home: Translation<typeof english.home> = {
  balance: "उपलब्ध बैलेंस",
  balanceChart: "उपलब्ध बैलेंस, पिछले 30 दिन",
  reserved: (amount) => `भुगतानों के लिए ${amount} रोके गए`,
  accepted: "आज शुरू हुए",
  paid: "आज भुगतान हुआ",
  returned: "आज विफल या वापस हुए",
  todaysHint: "आज जो हुआ, उसमें पहले शुरू हुए पेआउट भी हैं।",
  payouts: (count) => `${count} पेआउट`,
  moved: "पैसा आया और गया",
  in: "पैसा आया",
  out: "पैसा गया",
  lastDays: "पिछले 30 दिन",
  lastMonths: "पिछले 6 महीने",
  movements: "हाल की गतिविधि",
  allMovements: "स्टेटमेंट देखें",
  noMovements: "अभी तक पैसे का कोई लेन-देन नहीं हुआ।",
  ages: {
    not_due: "देय नहीं",
    days_1_to_30: "1–30 दिन",
    days_31_to_60: "31–60 दिन",
    days_61_to_90: "61–90 दिन",
    over_90_days: "90 दिन से ज़्यादा",
  },
  debtors: "सबसे ज़्यादा बकाया",
  waiting: "इन पर ध्यान दें",
  approvals: (count) => (count === 1 ? "1 लंबित मंज़ूरी" : `${count}${count === 100 ? " या अधिक" : ""} लंबित मंज़ूरियाँ`),
  returnedPayouts: (count) =>
    count === "1" ? "पिछले 7 दिनों में 1 पेआउट विफल या वापस हुआ" : `पिछले 7 दिनों में ${count} पेआउट विफल या वापस हुए`,
  parked: (count) => (count === "1" ? "1 सब्सक्रिप्शन का बिल नहीं बन सका" : `${count} सब्सक्रिप्शन के बिल नहीं बन सके`),
  webhooks: (count) =>
    count === 1 ? "1 वेबहुक बार-बार विफल होने पर बंद किया गया" : `${count} वेबहुक बार-बार विफल होने पर बंद किए गए`,
  stuck: (count) => (count === 1 ? "1 पेआउट की अंतिम स्थिति नहीं आई" : `${count} पेआउट की अंतिम स्थिति नहीं आई`),
  overdueInvoices: (count, amount) =>
    count === "1" ? `1 इनवॉइस ओवरड्यू: ${amount}` : `${count} इनवॉइस ओवरड्यू: ${amount}`,
  unmatchedLines: (count) => `बैंक की ${count}${count === 100 ? " या अधिक" : ""} एंट्रियों का मिलान बाकी`,
  differentLines: (count) => `बैंक की ${count}${count === 100 ? " या अधिक" : ""} एंट्रियाँ बही-खाते से अलग`,
  gstProblems: (count) => `GST की ${count}${count === 100 ? " या अधिक" : ""} समस्याएँ ठीक करनी हैं`,
  billingChart: "बिल की गई और प्राप्त राशि",
  billed: "बिल की गई राशि",
  collected: "प्राप्त राशि",
  pay: "नया ट्रांसफ़र",
  bill: "नया इनवॉइस",
};

export const start: Translation<typeof english.start> = {
  title: "शुरुआत करें",
  progress: (done, all) => `${all} में से ${done} पूरे`,
  dismiss: "हटाएँ",
  done: "पूरा हुआ",
  steps: {
    company: { name: "कंपनी का विवरण पूरा करें", hint: "आपका पता हर इनवॉइस पर छपता है।", link: "कंपनी" },
    bank: { name: "अपना बैंक खाता जोड़ें", hint: "निकासी की राशि यहाँ जाती है।", link: "कंपनी" },
    provider: { name: "पेआउट खाता जोड़ें", hint: "जब तक कोई खाता न जुड़े, भुगतान नहीं हो सकता।", link: "पेआउट खाते" },
    template: { name: "इनवॉइस टेम्पलेट को अपना बनाएँ", hint: "अपना लोगो, शर्तें और हस्ताक्षरकर्ता जोड़ें।", link: "टेम्पलेट" },
    invoice: { name: "पहला इनवॉइस बनाएँ", hint: "इसे सहेजें, फिर भेजें या इसका लिंक साझा करें।", link: "नया इनवॉइस" },
    second_factor: {
      name: "साइन इन का दूसरा चरण चालू करें",
      hint: "ताकि केवल पासवर्ड से पैसा न भेजा जा सके।",
      link: "सुरक्षा",
    },
  },
};

export const testPayees: Translation<typeof english.testPayees> = {
  title: "सैंडबॉक्स के परीक्षण खाते",
  hint: "हर नतीजा आज़माने के लिए इनमें से किसी को भुगतान करें। किसी भी दूसरे सही खाते में भुगतान हो जाता है।",
  outcome: "नतीजा",
  account: "खाता नंबर या UPI ID",
  ifsc: "IFSC",
  add: "नया लाभार्थी",
  outcomes: {
    success: "तुरंत भुगतान",
    failure: "विफल; राशि आपको वापस मिलती है",
    return: "भुगतान, फिर बैंक से वापसी",
    late_success: "लंबित, फिर भुगतान",
    pending: "लंबित ही रहता है",
  },
};

export const franchiseHome: Translation<typeof english.franchiseHome> = {
  hint: (merchant) => `${merchant} में आपकी फ़्रैंचाइज़ी`,
  earned: "कमाया हुआ कमीशन",
  paid: "आपको मिला",
  due: "आपको मिलना बाकी",
  underWay: (amount) => `जारी है: ${amount}`,
  notUnderWay: "कोई पेआउट जारी नहीं",
  soFar: "अब तक",
  commission: "कमीशन और भुगतान",
  unpaid: "बिना भुगतान के इनवॉइस",
  noUnpaid: "हर इनवॉइस का भुगतान हो चुका है।",
  all: "सभी इनवॉइस",
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
  emptyHint: "पहला व्यापारी बनाएँ। उसके साथ एक एक्सेस कुंजी और एक उपयोगकर्ता बनता है।",
};
