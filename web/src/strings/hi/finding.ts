// Hindi of ../finding.ts.
import type * as english from "../finding.ts";
import type { Translation } from "../translation.ts";

export const finding: Translation<typeof english.finding> = {
  title: "सब कुछ खोजें",
  shortcut: "Ctrl K",
  placeholder: "संख्या, नाम, फ़ोन, राशि, UTR, संदर्भ, पेज…",
  searching: "खोज जारी है…",
  nothing: (text) => `“${text}” के लिए कुछ नहीं मिला`,
  failed: "खोज नहीं हो सकी। थोड़ी देर में फिर कोशिश करें।",
  groups: {
    payouts: "पेआउट",
    beneficiaries: "लाभार्थी",
    customers: "ग्राहक",
    invoices: "इनवॉइस",
    payments: "प्राप्त भुगतान",
    credit_notes: "क्रेडिट नोट",
    franchises: "फ़्रैंचाइज़ी",
    pages: "पेज",
    actions: "कार्रवाई",
    further: "और नतीजे",
  },
  actions: {
    "/transfers/new": "नया ट्रांसफ़र",
    "/withdrawals/new": "नई निकासी",
    "/bulk-payouts/new": "बल्क भुगतान अपलोड करें",
    "/beneficiaries/new": "नया लाभार्थी",
    "/beneficiaries/import": "लाभार्थी इंपोर्ट करें",
    "/invoices/new": "नया इनवॉइस",
    "/invoices/upload": "इनवॉइस अपलोड करें",
    "/customers/new": "नया ग्राहक",
    "/customers/import": "ग्राहक इंपोर्ट करें",
    "/subscriptions/new": "नया सब्सक्रिप्शन",
    "/franchises/new": "नई फ़्रैंचाइज़ी",
    "/templates/new": "नया टेम्पलेट",
    "/reconciliation/import": "बैंक स्टेटमेंट इंपोर्ट करें",
  },
  all: {
    "/transfers": (text) => `“${text}” वाले सभी पेआउट`,
    "/beneficiaries": (text) => `“${text}” वाले सभी लाभार्थी`,
    "/invoices": (text) => `“${text}” वाले सभी इनवॉइस`,
    "/customers": (text) => `“${text}” वाले सभी ग्राहक`,
  },
  account: (end) => `खाता ${end}`,
  paymentOf: (invoice, customer) => `${invoice} का भुगतान, ${customer}`,
  onInvoice: (day) => `${day} को जारी`,
};
