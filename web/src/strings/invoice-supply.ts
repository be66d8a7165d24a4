// What the form of an invoice says of its supply.

export const invoiceSupply = {
  title: "Supply",
  show: "Show",
  hide: "Hide",
  type: "Supply type",
  /** By their names in the API. */
  types: {
    auto: "From the customer",
    regular: "Regular",
    sez_with_tax: "SEZ, with IGST",
    sez_without_tax: "SEZ, under LUT",
    export_with_tax: "Export, with IGST",
    export_without_tax: "Export, under LUT",
    deemed_export: "Deemed export",
  },
  place: "Place of supply",
  placeOfCustomer: "From the customer",
  reverseCharge: "Reverse charge",
  reverseChargeHint: "The customer pays the tax. The invoice charges none.",
  delivery: "Delivery address",
  operator: "E-commerce operator’s GSTIN",
  operatorHint: "Only for sales through an online marketplace.",
  billNo: "Shipping bill no.",
  billDate: "Shipping bill date",
  port: "Port code",
} as const;
