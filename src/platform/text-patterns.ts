// Forms of values that the server's fields and the dashboard's forms both check.

/** An e-mail address. */
export const EMAIL_PATTERN =
  /^[^\s@<>()[\],:;"\\]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{M}\p{N}-]{2,63}$/u;
/** A mobile number of 10 digits, with an optional +91 or 0 in front. */
export const MOBILE_PATTERN = /^(?:\+91[ -]?|0)?[0-9]{10}$/;
/** An Indian postal code. */
export const PINCODE_PATTERN = /^[0-9]{6}$/;
/** An HSN or SAC code, of any usual or unusual length. */
export const HSN_PATTERN = /^[0-9]{2,8}$/;
