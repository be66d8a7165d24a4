// Hindi of ../reference.ts.
import type * as english from "../reference.ts";
import type { Translation } from "../translation.ts";

export const reference: Translation<typeof english.reference> = {
  hint: "API के सभी एंडपॉइंट, इस सर्वर के OpenAPI दस्तावेज़ से।",
  document: "OpenAPI दस्तावेज़ डाउनलोड करें",
  search: "पाथ या विवरण से खोजें",
  endpoints: (count) => `${count} एंडपॉइंट`,
  none: "कोई एंडपॉइंट नहीं मिला",
  noneHint: "पाथ का कोई हिस्सा खोजें, या कोई शब्द, जैसे invoice।",
  fields: "फ़ील्ड",
  field: "फ़ील्ड",
  kind: "प्रकार",
  required: "ज़रूरी",
  yes: "हाँ",
  no: "नहीं",
  meaning: "विवरण",
  curl: "curl के साथ",
  answers: "जवाब",
  status: "स्थिति",
  description: "विवरण",
};
