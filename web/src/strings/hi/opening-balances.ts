// Hindi of ../opening-balances.ts.
import type * as english from "../opening-balances.ts";
import type { Translation } from "../translation.ts";

export const openingBalance: Translation<typeof english.openingBalance> = {
  name: "शुरुआती बकाया",
  title: (number) => `शुरुआती बकाया ${number}`,
  add: "शुरुआती बकाया जोड़ें",
  edit: "शुरुआती बकाया बदलें",
  hint: "यहाँ बिल बनाने से पहले ग्राहक पर जो बकाया था। यह देय है, पर इनवॉइस नहीं है: इस पर टैक्स नहीं लगता और यह किसी GST रिपोर्ट में नहीं आता।",
  date: "किस दिन का",
  dateHint: "जिस दिन से राशि बकाया थी",
  amount: "बकाया राशि",
  dueDate: "देय तिथि",
  dueDateHint: "उसी दिन देय हो तो खाली छोड़ें",
  reference: "संदर्भ",
  referenceHint: "जैसे आपके पुराने सॉफ़्टवेयर में इसका नंबर",
  note: "टिप्पणी",
  save: "सहेजें",
  saved: "शुरुआती बकाया सहेजा गया",
  cancel: "शुरुआती बकाया रद्द करें",
  cancelTitle: "यह शुरुआती बकाया रद्द करें?",
  cancelHint: "इस पर कुछ देय नहीं रहेगा। बाद में आप दूसरा जोड़ सकते हैं। इसे वापस नहीं किया जा सकता।",
  keep: "शुरुआती बकाया रहने दें",
  cancelled: "शुरुआती बकाया रद्द किया गया।",
};

export const openingBalanceImport: Translation<typeof english.openingBalanceImport> = {
  title: "शुरुआती बकाया इंपोर्ट करें",
  hint: "ग्राहकों पर बकाया राशियों की CSV फ़ाइल से। सहेजने से पहले आप उसे जाँचते हैं।",
  limits: "पहले से सहेजे गए ग्राहकों के अधिकतम 10,000 शुरुआती बकाया",
  good: (count) =>
    count === 1 ? "1 पंक्ति इंपोर्ट के लिए तैयार" : `${count.toLocaleString("en-IN")} पंक्तियाँ इंपोर्ट के लिए तैयार`,
  bad: (count) => (count === 1 ? "गलती वाली 1 पंक्ति" : `गलती वाली ${count.toLocaleString("en-IN")} पंक्तियाँ`),
  ignored: (names) => `छोड़े गए कॉलम: ${names}।`,
  more: (count) => `${count.toLocaleString("en-IN")} और गलतियाँ। पहले इन्हें ठीक करें।`,
  importGood: (count) => `${count.toLocaleString("en-IN")} शुरुआती बकाया इंपोर्ट करें`,
  importNone: "इंपोर्ट न करें",
  onlyGood: "गलती वाली पंक्तियाँ छोड़ दी जाती हैं। उन्हें लेने के लिए फ़ाइल ठीक करके फिर चुनें।",
  progress: (done, all) => `${all.toLocaleString("en-IN")} में से ${done.toLocaleString("en-IN")} शुरुआती बकाया सहेजे गए`,
  done: (count) =>
    count === 1 ? "1 शुरुआती बकाया इंपोर्ट किया गया" : `${count.toLocaleString("en-IN")} शुरुआती बकाया इंपोर्ट किए गए`,
  doneHint: "हर एक अपने ग्राहक के पेज पर और इनवॉइस की सूची में है।",
  toList: "ग्राहक देखें",
  again: "फिर कोशिश करें",
  another: "दूसरी फ़ाइल इंपोर्ट करें",
  rows: "इंपोर्ट होने वाली पंक्तियाँ",
  customer: "ग्राहक",
  firstRows: (count) => `${count.toLocaleString("en-IN")} और पंक्तियाँ`,
};
