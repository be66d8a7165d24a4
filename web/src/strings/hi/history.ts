// Hindi of ../history.ts.
import type * as english from "../history.ts";
import type { Translation } from "../translation.ts";

export const history: Translation<typeof english.history> = {
  earlier: "पहले की दिखाएँ",
  empty: "अभी कोई इतिहास नहीं है।",
};

export const eventNames: Translation<typeof english.eventNames> = {
  "invoice.created": "बनाया गया",
  "invoice.updated": "बदला गया",
  "invoice.commission_terms_kept": "कमीशन की पहले की शर्तें रखी गईं",
  "invoice.mail_queued": "मेल कतार में",
  "invoice.reminder_queued": "रिमाइंडर कतार में",
  "invoice.sent": "भेजा गया",
  "invoice.partially_paid": "आंशिक भुगतान हुआ",
  "invoice.paid": "भुगतान हुआ",
  "invoice.reopened": "फिर से खोला गया",
  "invoice.cancelled": "रद्द",
  "invoice.carried_forward": "आगे ले जाया गया",
  "settlement.recorded": "भुगतान दर्ज हुआ",
  "settlement.reversed": "भुगतान वापस हुआ",
  "credit_note.issued": "क्रेडिट नोट जारी हुआ",
  "credit_note.cancelled": "क्रेडिट नोट रद्द हुआ",
  "credit_note.taken_off_due": "इनवॉइस में समायोजित",
  "credit_note.refund_asked": "रिफ़ंड शुरू हुआ",
  "credit_note.refund_payee_changed": "रिफ़ंड खाता बदला गया",
  "debit_note.issued": "डेबिट नोट जारी हुआ",
  "debit_note.cancelled": "डेबिट नोट रद्द हुआ",
  "subscription.created": "बनाया गया",
  "subscription.paused": "रोका गया",
  "subscription.resumed": "फिर शुरू किया गया",
  "subscription.cancelled": "रद्द",
  "subscription.completed": "पूरा हुआ",
  "subscription.billed": "इनवॉइस बना",
  "subscription.parked": "बिलिंग विफल",
};
