// SQL that checks notifications against their invoices and payments. Reads only.
import { inScope, type Check } from "../ledger/index.ts";

/** The invariants of notifications, for `nodal verify`. */
export const NOTIFICATION_CHECKS: readonly Check[] = [
  {
    name: "notification_subject",
    sql: `
      select
        notification.merchant_id, notification_id as subject_id, 'what a ' || notification.kind || ' message is about' as what,
        case notification.kind when 'receipt' then 'a payment' when 'approval' then 'an approval' when 'statement' then 'a customer'
          else 'an invoice' end
          || ' of this merchant' as expected,
        'none with the id ' || notification.subject_id as found
      from notification
      left join invoice
        on notification.kind in ('invoice', 'reminder') and invoice.bucket = notification.bucket and invoice.merchant_id = notification.merchant_id
        and invoice.invoice_id = notification.subject_id
      left join settlement
        on notification.kind = 'receipt' and settlement.bucket = notification.bucket
        and settlement.merchant_id = notification.merchant_id and settlement.settlement_id = notification.subject_id
      left join approval
        on notification.kind = 'approval' and approval.bucket = notification.bucket
        and approval.merchant_id = notification.merchant_id and approval.approval_id = notification.subject_id
      left join customer
        on notification.kind = 'statement' and customer.bucket = notification.bucket
        and customer.merchant_id = notification.merchant_id and customer.customer_id = notification.subject_id
      where ${inScope("notification")}
        and coalesce(invoice.invoice_id, settlement.settlement_id, approval.approval_id, customer.customer_id) is null`,
  },
  {
    name: "invoice_sent",
    sql: `
      select
        notification.merchant_id, invoice.invoice_id as subject_id, 'whether an invoice was sent to its customer' as what,
        'sent, as its message was' as expected, 'not sent' as found
      from notification
      join invoice
        on invoice.bucket = notification.bucket and invoice.merchant_id = notification.merchant_id
        and invoice.invoice_id = notification.subject_id
      where ${inScope("notification")} and notification.kind = 'invoice' and notification.state = 'Sent'
        and (invoice.sent_at is null or invoice.sent_date is null)`,
  },
  {
    name: "sent_words",
    sql: `
      select
        merchant_id, notification_id as subject_id, 'what was said in a message, and to whom' as what,
        'words and an address' as expected, 'none' as found
      from notification
      where ${inScope("notification")} and state in ('Sent', 'Held') and (body is null or coalesce(recipient, '') = '')`,
  },
];
