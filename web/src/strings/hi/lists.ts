// Hindi of ../lists.ts.
import type * as english from "../lists.ts";
import type { Translation } from "../translation.ts";

export const lists: Translation<typeof english.lists> = {
  period: "अवधि",
  anyDate: "कोई भी तारीख",
  otherPeriod: "दूसरी तारीखें",
  periods: {
    today: "आज",
    thisMonth: "इस महीने",
    lastMonth: "पिछले महीने",
    thisQuarter: "इस तिमाही",
    lastQuarter: "पिछली तिमाही",
    thisYear: "इस वित्त वर्ष",
    lastYear: "पिछले वित्त वर्ष",
  },
  from: "तारीख से",
  to: "तारीख तक",
  toBeforeFrom: "अंतिम तारीख शुरुआती तारीख से पहले नहीं हो सकती।",
  amountFrom: "न्यूनतम राशि",
  amountTo: "अधिकतम राशि",
  moreFilters: "और फ़िल्टर",
  fewerFilters: "कम फ़िल्टर",
  view: "दिखावट",
  savedFilters: "सहेजे गए फ़िल्टर",
  noneSaved: "सूची को फ़िल्टर करें, फिर फ़िल्टर यहाँ सहेजें।",
  filterName: "फ़िल्टर का नाम",
  saveFilters: "सहेजें",
  removeSaved: (name) => `हटाएँ: ${name}`,
  columns: "कॉलम",
  selection: "चुनी गई पंक्तियाँ",
  selected: (count) => `${count} चुने गए`,
  clearSelection: "चुनाव हटाएँ",
  pageSize: "हर पेज पर पंक्तियाँ",
  perPage: (rows) => `हर पेज पर ${rows}`,
  amountInvalid: "₹0 से बड़ी राशि लिखें, जैसे 1500 या 1,500.50।",
  searchedTo: (moment) => `${moment} तक खोजा गया। और खोजने के लिए “आगे” चुनें, या तारीख से छाँटें।`,
};
