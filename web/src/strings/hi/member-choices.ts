// Hindi of ../member-choices.ts.
import type * as english from "../member-choices.ts";
import type { Translation } from "../translation.ts";

export const memberChoices: Translation<typeof english.memberChoices> = {
  none: "नहीं चुना",
  gst_category: {
    regular: "नियमित",
    unregistered: "अपंजीकृत",
    composition: "कंपोज़ीशन स्कीम",
    sez: "SEZ इकाई या डेवलपर",
    overseas: "विदेशी",
    deemed_export: "मान्य निर्यात",
    uin: "UIN धारक (दूतावास, UN संस्था)",
  },
  turnover_class: {
    up_to_5_crore: "₹5 करोड़ तक",
    above_5_crore: "₹5 करोड़ से ज़्यादा",
  },
};
