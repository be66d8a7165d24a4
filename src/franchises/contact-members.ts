// The contact details of a franchise. The dashboard imports this file, so it must run in a browser.
import type { Member } from "../platform/member.ts";

export const CONTACT_MEMBERS = [
  { name: "franchise_name", property: "name", kind: "text", maxLength: 100, isRequired: true },
  { name: "contact_person_name", kind: "text", maxLength: 100, isRequired: true },
  { name: "email_id", kind: "email", isRequired: true },
  { name: "mobile", kind: "mobile", isRequired: true },
  { name: "pan_number", kind: "pan", isSealed: true },
  { name: "aadhar_number", kind: "aadhaar", isSealed: true },
  { name: "gst_number", kind: "gstin" },
  { name: "address", kind: "text", maxLength: 500 },
  { name: "city", kind: "text", maxLength: 100 },
  { name: "state", kind: "state" },
  { name: "zipcode", kind: "pincode" },
] as const satisfies readonly Member[];
