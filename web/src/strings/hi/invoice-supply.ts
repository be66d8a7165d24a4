// Hindi of ../invoice-supply.ts.
import type * as english from "../invoice-supply.ts";
import type { Translation } from "../translation.ts";

export const invoiceSupply: Translation<typeof english.invoiceSupply> = {
  title: "आपूर्ति",
  show: "दिखाएँ",
  hide: "छिपाएँ",
  type: "आपूर्ति का प्रकार",
  types: {
    auto: "ग्राहक के हिसाब से",
    regular: "नियमित",
    sez_with_tax: "SEZ, IGST के साथ",
    sez_without_tax: "SEZ, LUT के तहत",
    export_with_tax: "निर्यात, IGST के साथ",
    export_without_tax: "निर्यात, LUT के तहत",
    deemed_export: "मान्य निर्यात",
  },
  place: "आपूर्ति का स्थान",
  placeOfCustomer: "ग्राहक के हिसाब से",
  reverseCharge: "रिवर्स चार्ज",
  reverseChargeHint: "टैक्स ग्राहक देता है। इनवॉइस में टैक्स नहीं जुड़ता।",
  delivery: "डिलीवरी का पता",
  operator: "ई-कॉमर्स ऑपरेटर का GSTIN",
  operatorHint: "सिर्फ़ ऑनलाइन मार्केटप्लेस से हुई बिक्री के लिए।",
  billNo: "शिपिंग बिल नंबर",
  billDate: "शिपिंग बिल की तारीख",
  port: "पोर्ट कोड",
};
