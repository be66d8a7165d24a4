// Narrows a list down to one customer.
import { useGet } from "../../api/queries.ts";
import { CustomerPicker } from "../../components/customer-picker.tsx";
import { receipts as words } from "../../strings/receipts.ts";

type FilterProps = { readonly customerId: string; readonly onChange: (customerId: string) => void };

/** A customer, by its id in the address. */
export function CustomerFilter({ customerId, onChange }: FilterProps) {
  const { data } = useGet(`/customers/${customerId}`, { enabled: customerId !== "" });
  return (
    <CustomerPicker
      label={words.customer}
      value={customerId === "" ? null : (data?.customer ?? null)}
      onChange={(_, id) => onChange(id ?? "")}
    />
  );
}
