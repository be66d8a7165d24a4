// Hindi of ../estimates.ts.
import type * as english from "../estimates.ts";
import type { Translation } from "../translation.ts";

export const estimates: Translation<typeof english.estimates> = {
  create: "नया एस्टिमेट",
  number: "एस्टिमेट",
  customer: "ग्राहक",
  date: "एस्टिमेट की तारीख",
  validUntil: "कब तक मान्य",
  status: "स्थिति",
  amount: "राशि (₹)",
  search: "नंबर या ग्राहक से खोजें",
  empty: "अभी कोई एस्टिमेट नहीं है",
  emptyHint: "ग्राहक को पहले अपनी कीमत भेजें। इनवॉइस बनाने तक एस्टिमेट आपके बही-खाते में नहीं आता।",
};

export const estimateForm: Translation<typeof english.estimateForm> = {
  newTitle: "नया एस्टिमेट",
  newHint: "सहेजने पर एस्टिमेट का नंबर मिलता है।",
  editTitle: (number) => `एस्टिमेट ${number} बदलें`,
  editHint: "नंबर वही रहता है।",
  notEditable: "यह एस्टिमेट नहीं बदला जा सकता: इससे इनवॉइस बन चुका है या यह अस्वीकृत है।",
  backToEstimate: "एस्टिमेट पर वापस जाएँ",
  customer: "किसके लिए",
  date: "एस्टिमेट की तारीख",
  validUntil: "कब तक मान्य",
  dueDays: "भुगतान के लिए दिन",
  dueDaysHint: "इनवॉइस की तारीख से",
  save: "एस्टिमेट सहेजें",
  saved: (number) => `${number} के रूप में सहेजा गया।`,
  savedAlready: "यह फ़ॉर्म अलग विवरण के साथ पहले ही सहेजा जा चुका है। दोबारा सहेजने से पहले एस्टिमेट की सूची देखें।",
  changed: "एस्टिमेट सहेजा गया।",
};

export const estimate: Translation<typeof english.estimate> = {
  title: (number) => `एस्टिमेट ${number}`,
  summary: "सारांश",
  make: "इनवॉइस बनाएँ",
  made: (number) => `इनवॉइस ${number} बन गया।`,
  notMade: "इनवॉइस नहीं बन सका",
  edit: "बदलें",
  decline: "अस्वीकार करें",
  declineTitle: (number) => `एस्टिमेट ${number} अस्वीकार करें?`,
  declineHint: "अस्वीकृत एस्टिमेट न बदला जा सकता है, न उससे इनवॉइस बन सकता है।",
  declined: "एस्टिमेट अस्वीकृत हुआ।",
  reason: "कारण",
  expired: (date) => `यह एस्टिमेट ${date} तक मान्य था। इनवॉइस बनाने के लिए इसे बदलें और बाद की तारीख चुनें।`,
  customer: "ग्राहक",
  date: "एस्टिमेट की तारीख",
  validUntil: "कब तक मान्य",
  dueDays: "भुगतान का समय",
  days: (days) => (days === 0 ? "मिलते ही" : `${days} दिन`),
  invoice: "इनवॉइस",
  created: "बनाया गया",
  pdf: "PDF",
  tax: (name, rate, base) => `${base} पर ${name} ${rate}%`,
  page: "छपा हुआ एस्टिमेट",
  pageHint: "PDF अपने ग्राहक को भेजें। इसमें भुगतान का लिंक नहीं होता।",
  pageTitle: "एस्टिमेट, जैसा ग्राहक देखेगा",
  showPage: "एस्टिमेट दिखाएँ",
};
