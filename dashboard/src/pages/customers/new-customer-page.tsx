// A new customer.
// What belongs here: the form in its page, and where it leads.
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { Page as Outline } from "../../components/page.tsx";
import { customers as words } from "../../strings/customers.ts";
import { CustomerForm } from "./customer-form.tsx";

/** Add a customer. */
export function Page() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [requestKey, renewKey] = useRequestKey();
  return (
    <Outline title={words.add}>
      <CustomerForm
        customer={null}
        save={async (values) => {
          try {
            return await api("POST", "/customers", { body: { ...values, request_key: requestKey } });
          } catch (error) {
            // What was refused was not saved; the next try may say something else.
            if ((error as { status?: number }).status) renewKey();
            throw error;
          }
        }}
        onSaved={async ({ customer_id }) => {
          await queries.invalidateQueries({ queryKey: ["/customers"] });
          await queries.invalidateQueries({ queryKey: ["/customer-groups"] });
          notifications.show({ color: "green", message: words.saved });
          await navigate({ to: `/customers/${customer_id}` });
        }}
        onCancel={() => void navigate({ to: "/customers" })}
      />
    </Outline>
  );
}
