// Hindi of ../tags-and-files.ts.
import type * as english from "../tags-and-files.ts";
import type { Translation } from "../translation.ts";

export const tags: Translation<typeof english.tags> = {
  title: "टैग",
  one: "टैग",
  any: "सभी",
  hint: "10 तक, जैसे “किराया” या “प्रोजेक्ट 7”। हर टैग के बाद Enter दबाएँ।",
  invalid: (tag) => `“${tag}” टैग नहीं हो सकता: 32 तक अक्षर, अंक, खाली जगह, - _ . और / लिखें।`,
  add: "टैग जोड़ें",
  change: "टैग बदलें",
  save: "टैग सहेजें",
  saved: "टैग सहेजे गए।",
};

export const attachments: Translation<typeof english.attachments> = {
  title: "अटैचमेंट",
  hint: "PDF, JPEG या PNG, हर एक 5 MB तक",
  add: "बिल जोड़ें",
  none: "कोई अटैचमेंट नहीं",
  facts: (size, who, when) => `${size} · ${who} · ${when}`,
  remove: "हटाएँ",
  removeNamed: (name) => `${name} हटाएँ`,
  removeTitle: (name) => `${name} हटाएँ?`,
  removeText: "फ़ाइल मिटा दी जाएगी। उसका नाम ऑडिट लॉग में रहेगा।",
  removed: "अटैचमेंट हटाया गया।",
  tooLarge: (name) => `${name} 5 MB से बड़ी है। छोटी फ़ाइल जोड़ें।`,
  tooMany: "एक पेआउट में 5 तक अटैचमेंट हो सकते हैं।",
  notAttached: (name, why) => `ट्रांसफ़र हो गया, लेकिन ${name} नहीं जुड़ सका। ${why}`,
};
