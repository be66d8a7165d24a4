// Hindi of ../unsaved.ts.
import type * as english from "../unsaved.ts";
import type { Translation } from "../translation.ts";

export const unsaved: Translation<typeof english.unsaved> = {
  leaveTitle: "सहेजे बिना पेज छोड़ें?",
  leaveText: "इस पेज पर किए गए आपके बदलाव सहेजे नहीं गए हैं।",
  leaveDraft: "आपने जो लिखा है, वह सहेजा नहीं गया है। उसका ड्राफ़्ट इस ब्राउज़र में एक हफ़्ते तक रहता है।",
  stay: "पेज पर रहें",
  leave: "पेज छोड़ें",
  restored: (when) => `यह ${when} का आपका ड्राफ़्ट है। यह अभी सहेजा नहीं गया है।`,
  discard: "ड्राफ़्ट हटाएँ",
  sessionTitle: "आपका सत्र समाप्त हो गया है",
  sessionText: "फिर से साइन इन करके आगे बढ़ें: आपने जो लिखा है, वह यहीं है। फिर फ़ॉर्म का बटन एक बार और दबाएँ।",
  otherAccount: "किसी और नाम से साइन इन करें",
  changedTitle: "इस बीच किसी ने यह इनवॉइस सहेज दिया है",
  changedText: "आपके शुरू करने के बाद ये चीज़ें बदल गई हैं। आपका लिखा कुछ भी नहीं खोया है: चुनें कि फ़ॉर्म किसके साथ आगे बढ़े, फिर उसे सहेजें।",
  what: "क्या",
  theirs: "इस बीच सहेजा गया",
  yours: "आपका",
  nothing: "–",
  saveMine: "मेरे लिखे के साथ आगे बढ़ें",
  takeTheirs: "सहेजे हुए के साथ आगे बढ़ें",
  noDifference: "जो सहेजा गया है, वह वैसा ही दिखता है जैसा आपके शुरू करते समय था।",
};
