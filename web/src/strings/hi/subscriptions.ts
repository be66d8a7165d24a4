// Hindi of ../subscriptions.ts.
import type * as english from "../subscriptions.ts";
import type { Translation } from "../translation.ts";

/** One of a unit, as a label; and the form after “हर”, which is that of several too. */
const UNITS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  Daily: ["दिन", "दिन"],
  Weekly: ["हफ़्ता", "हफ़्ते"],
  Monthly: ["महीना", "महीने"],
  Yearly: ["साल", "साल"],
};
const isOne = (count: string): boolean => count.trim() === "1";

export const subscriptions: Translation<typeof english.subscriptions> = {
  hint: "बार-बार बनने वाले इनवॉइस",
  create: "नया सब्सक्रिप्शन",
  search: "ग्राहक के नाम या कोड, या सब्सक्रिप्शन ID से खोजें",
  one: (customer) => `${customer} का सब्सक्रिप्शन`,
  back: "सभी सब्सक्रिप्शन",
  customer: "ग्राहक",
  repeats: "कब-कब",
  amount: "राशि (₹)",
  amountUnknown: "पता नहीं",
  status: "स्थिति",
  next: "अगला इनवॉइस",
  nextOn: (date) => `अगला: ${date}`,
  noNext: "कोई नहीं",
  cut: "100 से ज़्यादा ग्राहक मिले। सबसे नए 100 के सब्सक्रिप्शन दिखाए जा रहे हैं; कम करने के लिए नाम का और हिस्सा लिखें।",
  parkedTitle: "अगला इनवॉइस नहीं बन सका",
  parkedHint: (retry, attempts) =>
    `नीचे दी गई समस्या ठीक करें। ${retry} को अपने-आप फिर कोशिश होगी (अब तक ${attempts} बार कोशिश हुई)।`,
  started: "शुरुआत",
  ends: "समाप्ति",
  never: "कभी नहीं",
  after: (count) => `${count} इनवॉइस के बाद`,
  onDate: (date) => `${date} को`,
  carries: "पिछला बकाया",
  carried: "आगे ले जाया जाता है",
  notCarried: "आगे नहीं ले जाया जाता",
  template: "टेम्पलेट",
  created: "बनाने की तारीख",
  every: (mode, every) => {
    const unit = UNITS[mode]?.[1] ?? mode;
    return isOne(every) ? `हर ${unit}` : `हर ${every} ${unit}`;
  },
  each: "हर इनवॉइस",
  eachHint: "मौजूदा टैक्स दरों पर, पिछला बकाया जोड़े बिना",
  notMakeable: "यह इनवॉइस अभी नहीं बन सकता। तारीख आ चुकी हो, तो कारण ऊपर दिया है।",
  subTotal: "उप-योग",
  total: "कुल",
  totals: "कुल योग",
  tax: (name, percentage, on) => `${name} ${percentage}%, ${on} पर`,
  upcoming: "आने वाले इनवॉइस",
  noUpcoming: "आगे कोई इनवॉइस नहीं।",
  billDate: "इनवॉइस की तारीख",
  dueDate: "देय तिथि",
  history: "इतिहास",
  changes: "बदलाव",
  noHistory: "अभी कोई इनवॉइस नहीं",
  noHistoryHint: "बिल की हर तारीख का नतीजा यहाँ दिखता है।",
  number: "क्र.",
  invoice: "इनवॉइस",
  empty: "अभी कोई सब्सक्रिप्शन नहीं",
  emptyHint: "सब्सक्रिप्शन हर महीने, या आपके चुने हुए समय पर, वही इनवॉइस बनाता है।",
  emptyHintOfViewers: "सब्सक्रिप्शन निर्धारित समय पर वही इनवॉइस बनाता है।",
  pause: "रोकें",
  pauseText: (next) =>
    `फिर से शुरू करने तक कोई इनवॉइस नहीं बनेगा; अगला ${next} को बनना था। बन चुके इनवॉइस बकाया रहेंगे। फिर से शुरू करते समय आप छूटी तारीखों के इनवॉइस बना सकते हैं।`,
  resume: "फिर से शुरू करें",
  resumeText: (next) => `इनवॉइस बनना जारी रहेगा। अगला इनवॉइस ${next} को बनेगा।`,
  resumeMissedText: (count, first, last) =>
    count === 1
      ? `इनवॉइस बनना जारी रहेगा। एक तारीख छूट गई, ${first}। अभी इनवॉइस न बनाने पर वह छोड़ दी जाएगी।`
      : `इनवॉइस बनना जारी रहेगा। ${count} तारीखें छूट गईं, ${first} से ${last} तक। अभी इनवॉइस न बनाने पर वे छोड़ दी जाएँगी।`,
  billMissed: "छूटी हुई तारीखों के इनवॉइस अभी बनाएँ",
  cancel: "सब्सक्रिप्शन रद्द करें",
  cancelText: (next) =>
    `आगे कोई इनवॉइस नहीं बनेगा; ${next} वाला भी नहीं। बन चुके इनवॉइस बकाया रहेंगे। रद्द करने के बाद इसे वापस नहीं लाया जा सकता।`,
  changed: (word) => `सब्सक्रिप्शन की स्थिति: ${word}।`,
};

export const newSubscription: Translation<typeof english.newSubscription> = {
  title: "नया सब्सक्रिप्शन",
  hint: "बार-बार बनने वाला इनवॉइस। सहेजने से पहले तारीखें और कुल योग दिखाए जाते हैं।",
  schedule: "समय-सारणी",
  repeatEvery: "कितने अंतराल पर",
  unit: "इकाई",
  units: (mode, every) => UNITS[mode]?.[isOne(every) ? 0 : 1] ?? mode,
  firstBill: "पहला इनवॉइस",
  monthsEnd: "छोटे महीनों में अंतिम दिन।",
  firstDue: "पहली देय तिथि",
  ends: "समाप्ति",
  endModes: { Never: "कभी नहीं", Occurences: "तय संख्या में इनवॉइस के बाद", "End date": "तय तारीख पर" },
  occurrences: "इनवॉइस कितने",
  endDate: "समाप्ति की तारीख",
  endDateHint: "यह तारीख भी शामिल है।",
  carry: "बकाया आगे ले जाएँ",
  carryHint: "पहले के इनवॉइस की बकाया राशि अगले इनवॉइस में जोड़ी जाती है।",
  dates: "आने वाले इनवॉइस",
  number: "क्र.",
  billDate: "इनवॉइस की तारीख",
  dueDate: "देय तिथि",
  made: "कब बनेगा",
  madeAtOnce: "सहेजते ही",
  madeThen: "अपनी तारीख पर",
  counting: "गणना हो रही है…",
  datesIncomplete: "समय-सारणी पूरी होने पर तारीखें दिखती हैं। देय तिथि और समाप्ति पहले इनवॉइस से पहले की नहीं हो सकती।",
  goesOn: "आगे भी इसी तरह।",
  allOfThem: (count) => `कुल ${count} इनवॉइस।`,
  dueAtOnce: (count) =>
    count === 1
      ? "सहेजते ही एक इनवॉइस बनेगा, क्योंकि उसकी तारीख आ चुकी है।"
      : `सहेजते ही ${count} इनवॉइस बनेंगे, क्योंकि उनकी तारीखें आ चुकी हैं।`,
  tooMany: "अब तक 60 से ज़्यादा इनवॉइस बन जाने चाहिए थे। पहले इनवॉइस की बाद की तारीख चुनें।",
  head: "विवरण",
  headHint:
    "हर इनवॉइस पर दिखता है। लिखे हुए में {month}, {year} और {period} हर इनवॉइस के लिए भर दिए जाते हैं। आपका अपना इनवॉइस नंबर केवल पहले इनवॉइस पर लगता है।",
  duesHint: "इस पर टैक्स नहीं लगता, और यह केवल पहले इनवॉइस में जुड़ता है।",
  notify: "हर इनवॉइस बनते ही ग्राहक को भेजें",
  save: "सब्सक्रिप्शन सहेजें",
  saved: (invoices) => {
    if (invoices === 0) return "सब्सक्रिप्शन सहेजा गया।";
    return invoices === 1 ? "सब्सक्रिप्शन सहेजा गया, 1 इनवॉइस बना।" : `सब्सक्रिप्शन सहेजा गया, ${invoices} इनवॉइस बने।`;
  },
  savedAlready: "यह फ़ॉर्म पहले किसी और जानकारी के साथ सहेजा जा चुका है। दोबारा सहेजने से पहले सब्सक्रिप्शन की सूची देख लें।",
};
