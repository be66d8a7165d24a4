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
