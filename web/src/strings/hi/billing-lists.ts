// Hindi of ../billing-lists.ts.
import type * as english from "../billing-lists.ts";
import type { Translation } from "../translation.ts";

export const billingLists: Translation<typeof english.billingLists> = {
  all: "सभी",
  tooMany: "जोड़ने के लिए बहुत ज़्यादा हैं। तारीख से छाँटें।",
  refundNumber: (id) => `पेआउट ${id}`,
  date: "तारीख",
  invoice: "इनवॉइस",
  customer: "ग्राहक",
  amount: "राशि (₹)",
  status: "स्थिति",
};

export const payments: Translation<typeof english.payments> = {
  hint: "इनवॉइस पर मिले भुगतान",
  search: "इनवॉइस, ग्राहक, संदर्भ या राशि से खोजें",
  empty: "अभी कोई भुगतान नहीं मिला है",
  emptyHint: "इनवॉइस पर दर्ज किए गए भुगतान यहाँ दिखते हैं।",
  mode: "माध्यम",
  modes: {
    Cash: "नकद",
    Cheque: "चेक",
    NEFT: "NEFT",
    RTGS: "RTGS",
    IMPS: "IMPS",
    UPI: "UPI",
    Card: "कार्ड",
    "Write-off": "बट्टे खाते",
    Online: "ऑनलाइन",
  },
  reference: "संदर्भ",
  kinds: { recorded: "दर्ज", reversed: "वापस हुआ" },
  sums: { amount: "कुल प्राप्त" },
};

export const creditNotes: Translation<typeof english.creditNotes> = {
  hint: "इनवॉइस पर क्रेडिट और रिफ़ंड",
  search: "नंबर, इनवॉइस, ग्राहक या राशि से खोजें",
  empty: "अभी कोई क्रेडिट नोट नहीं है",
  emptyHint: "क्रेडिट नोट जारी करने के लिए इनवॉइस खोलें।",
  number: "नंबर",
  toRefund: "रिफ़ंड करना है (₹)",
  kind: "उपयोग",
  kinds: { applied: "केवल इनवॉइस में समायोजित", refunded: "रिफ़ंड के साथ", cancelled: "रद्द" },
  sums: { amount: "कुल क्रेडिट", taxable: "कर योग्य राशि", tax: "टैक्स" },
};

export const debitNotes: Translation<typeof english.debitNotes> = {
  hint: "जारी इनवॉइस पर अतिरिक्त राशियाँ",
  search: "नंबर, ग्राहक या राशि से खोजें",
  empty: "अभी कोई डेबिट नोट नहीं है",
  emptyHint: "डेबिट नोट जारी करने के लिए इनवॉइस खोलें।",
  number: "नंबर",
  cancelTitle: (number) => `डेबिट नोट ${number} रद्द करें?`,
  cancelHint: "इस पर कुछ बकाया नहीं रहेगा और इसका नंबर दोबारा इस्तेमाल नहीं होगा। इसे वापस नहीं लिया जा सकता।",
  cancel: "डेबिट नोट रद्द करें",
  keep: "रहने दें",
  cancelled: "डेबिट नोट रद्द हुआ।",
};

export const refunds: Translation<typeof english.refunds> = {
  hint: "ग्राहकों को लौटाया गया पैसा",
  search: "क्रेडिट नोट, इनवॉइस, ग्राहक, UTR या राशि से खोजें",
  empty: "अभी कोई रिफ़ंड नहीं है",
  emptyHint: "क्रेडिट नोट का रिफ़ंड करने के लिए उसका इनवॉइस खोलें।",
  note: "क्रेडिट नोट",
  utr: "UTR",
  kinds: { paid: "भुगतान हुआ", under_way: "जारी है", failed: "विफल या वापस हुआ" },
  sums: { amount: "कुल शुरू किए गए", paid: "कुल भुगतान हुआ" },
};
