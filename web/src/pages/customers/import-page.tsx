// Customers from a file.
import { api } from "../../api/client.ts";
import { CsvImport } from "../../forms/csv-import.tsx";
import { customerImport as words } from "../../strings/customers.ts";

/** Import customers. */
export function Page() {
  return (
    <CsvImport
      path="/customer-files/preview"
      sample="/customer-files/sample"
      to="/customers"
      previewOf={(answer) => answer}
      save={async (lines, key) => {
        await api("POST", "/customers/batch", { key, body: { customer: lines.map(({ customer }) => customer) } });
        return null;
      }}
      member="customer"
      changes={["/customer-groups", "/customers"]}
      words={words}
    />
  );
}
