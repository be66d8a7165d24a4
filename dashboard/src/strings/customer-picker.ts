// What the field for choosing a customer says.
// What belongs here: English text.

export const customerPicker = {
  label: "Customer",
  placeholder: "Type a name or a code",
  nothing: "No customer has this name or code",
  clear: "Choose no customer",
} as const;
