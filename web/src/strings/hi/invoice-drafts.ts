// Hindi of ../invoice-drafts.ts.
import type * as english from "../invoice-drafts.ts";
import type { Translation } from "../translation.ts";

export const invoiceDrafts: Translation<typeof english.invoiceDrafts> = {
  title: "ड्राफ़्ट",
  hint: "अधूरे इनवॉइस, जो आपके साथियों को भी दिखते हैं। इनका कोई नंबर नहीं होता और ये कहीं गिने नहीं जाते।",
  customer: "ग्राहक",
  noCustomer: "अभी कोई ग्राहक नहीं",
  name: "नाम",
  amount: "राशि (₹)",
  savedBy: "किसने सहेजा",
  savedAt: "कब सहेजा",
  search: "ग्राहक या नाम से खोजें",
  empty: "अभी कोई ड्राफ़्ट नहीं है",
  emptyHint: "इनवॉइस लिखते समय “ड्राफ़्ट के रूप में सहेजें” चुनें। फिर आप या कोई साथी उसे बाद में पूरा कर सकता है।",
  saveAs: "ड्राफ़्ट के रूप में सहेजें",
  save: "ड्राफ़्ट सहेजें",
  saved: "ड्राफ़्ट सहेजा गया",
  pageTitle: "इनवॉइस का ड्राफ़्ट",
  pageHint: (name, when) => `${name} ने ${when} को सहेजा। इनवॉइस सहेजने पर नंबर मिलता है।`,
  someone: "किसी और",
  issued: "इस ड्राफ़्ट से इनवॉइस पहले ही बन चुका है।",
  toInvoice: "इनवॉइस देखें",
  remove: "ड्राफ़्ट हटाएँ",
  removeTitle: "यह ड्राफ़्ट हटाएँ?",
  removeText: "यह आपके साथियों के लिए भी हट जाएगा।",
  removed: "ड्राफ़्ट हटाया गया",
};
