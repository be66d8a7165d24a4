// Hindi of ../doubts.ts.
import type * as english from "../doubts.ts";
import type { Translation } from "../translation.ts";

export const doubts: Translation<typeof english.doubts> = {
  title: "सहेजने से पहले जाँचें",
  goOn: "फिर भी सहेजें",
  paidLater: (day) => `भुगतान की तारीख ${day} अभी आई नहीं है।`,
  paidBeforeBill: (day, billed) => `भुगतान की तारीख ${day} इनवॉइस की तारीख ${billed} से पहले की है।`,
  gstin: (gstin) => `GSTIN ${gstin} का जाँच अंक गलत है। GST प्रमाणपत्र से मिलाएँ।`,
  billedFar: (day) => `इनवॉइस की तारीख ${day} एक साल से ज़्यादा दूर है।`,
  dueFar: (day, billed) => `देय तिथि ${day} इनवॉइस की तारीख ${billed} से एक साल से ज़्यादा बाद की है।`,
  creditedLate: (day) =>
    `इसका टैक्स ${day} तक ही वापस लिया जा सकता था (CGST अधिनियम, धारा 34): रिटर्न में दिखाने से पहले अपने CA से पूछें।`,
  rate: (place, rate) => `आइटम ${place}: ${rate}% GST की कोई जानी-पहचानी दर नहीं है।`,
  code: (place, code) => `आइटम ${place}: HSN या SAC कोड में 4, 6 या 8 अंक होते हैं, ${code} में नहीं हैं।`,
};
