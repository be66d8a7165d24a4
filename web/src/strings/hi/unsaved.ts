// Hindi of ../unsaved.ts.
import type * as english from "../unsaved.ts";
import type { Translation } from "../translation.ts";

export const unsaved: Translation<typeof english.unsaved> = {
  leaveTitle: "सहेजे बिना पेज छोड़ें?",
  leaveText: "इस पेज पर आपके बदलाव सहेजे नहीं गए हैं।",
  leaveDraft: "बदलाव सहेजे नहीं गए हैं। हम इस डिवाइस पर 7 दिन तक ड्राफ़्ट रखेंगे।",
  stay: "पेज पर रहें",
  leave: "पेज छोड़ें",
  restored: (when) => `${when} का आपका ड्राफ़्ट। यह अभी सहेजा नहीं गया है।`,
  discard: "ड्राफ़्ट हटाएँ",
  sessionTitle: "आपका सत्र समाप्त हो गया है",
  sessionText: "जारी रखने के लिए साइन इन करें। आपके बदलाव यहीं हैं; वापस आकर फिर से सहेजें।",
  otherAccount: "दूसरे खाते से साइन इन करें",
  changedTitle: "आपके बदलाव करते समय यह इनवॉइस बदल गया",
  changedText: "चुनें कि कौन सा रूप रखना है।",
  what: "फ़ील्ड",
  theirs: "उनका",
  yours: "मेरा",
  nothing: "–",
  saveMine: "मेरा रखें",
  takeTheirs: "उनका लें",
  noDifference: "दोनों एक जैसे दिखते हैं।",
};
