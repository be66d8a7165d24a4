// Hindi of ../messages.ts.
import type * as english from "../messages.ts";
import type { Translation } from "../translation.ts";

export const messages: Translation<typeof english.messages> = {
  hint: "ग्राहकों को इनवॉइस, रसीदें, रिमाइंडर और खाता विवरण, और आपकी टीम को मंज़ूरी के ईमेल",
  settings: "रिमाइंडर और चैनल",
  days: "रिमाइंडर के दिन",
  daysHint: "देय तिथि से दिन, जैसे -3, 0, 7। रिमाइंडर न चाहिए तो खाली छोड़ें।",
  day: (day) => (day === 0 ? "देय तिथि पर" : `${Math.abs(day)} दिन ${day < 0 ? "पहले" : "बाद"}`),
  daysWrong: "-365 से 365 तक की पूरी संख्याएँ लिखें, कॉमा से अलग करके।",
  channels: "चैनल",
  channelNames: { mail: "ईमेल", sms: "SMS", whatsapp: "WhatsApp" },
  notConfigured: "इस सर्वर पर चालू नहीं है; चालू होने तक संदेश होल्ड पर रहते हैं",
  configured: "इस सर्वर पर चालू है",
  save: "सहेजें",
  saved: "सेटिंग सहेजी गई।",
  state: "स्थिति",
  all: "कोई भी स्थिति",
  subject: "संदेश",
  recipient: "पाने वाला",
  created: "बनाने की तारीख",
  kinds: {
    invoice: "इनवॉइस",
    receipt: "रसीद",
    reminder: "रिमाइंडर",
    statement: "खाता विवरण",
    approval: "मंज़ूरी",
  },
  retry: "फिर भेजें",
  retryOf: (subject) => `फिर भेजें: ${subject}`,
  retried: "संदेश फिर से कतार में है।",
  empty: "अभी कोई संदेश नहीं",
  emptyHint: "ग्राहकों को भेजे गए संदेश और मंज़ूरी के ईमेल यहाँ दिखते हैं।",
  read: "देखें",
  readOf: (subject) => `देखें: ${subject}`,
  reason: "कारण",
  noText: "टेक्स्ट अभी तैयार नहीं है।",
  revive: "पता अनब्लॉक करें",
  reviveHint:
    "मेल सर्वर ने यह पता स्थायी रूप से अस्वीकार किया है, इसलिए हम इस पर कुछ नहीं भेजते। पता फिर काम करने लगे तो इसे अनब्लॉक करें।",
  address: "ईमेल पता",
  revived: "पता अनब्लॉक हुआ।",
};
