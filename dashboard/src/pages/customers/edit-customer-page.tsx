// Changes to a customer.
// What belongs here: the form in its page, and where it leads.
import { notifications } from "@mantine/notifications";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { Page as Outline } from "../../components/page.tsx";
import { customers as words } from "../../strings/customers.ts";
import { CustomerForm } from "./customer-form.tsx";
import { customerQuery } from "./customer.ts";

/** Edit a customer. */
export function Page() {
  const { customerId = "" }: { customerId?: string } = useParams({ strict: false });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { customer } = useSuspenseQuery(customerQuery(customerId)).data;
  const leave = () => navigate({ to: `/customers/${customerId}` });
  return (
    <Outline title={words.editTitle(customer.customer_name)}>
      <CustomerForm
        customer={customer}
        save={(body) => api("PUT", `/customers/${customerId}`, { body })}
        onSaved={async () => {
          await queries.invalidateQueries({ queryKey: ["/customers"] });
          await queries.invalidateQueries({ queryKey: ["/customer-groups"] });
          notifications.show({ color: "green", message: words.saved });
          await leave();
        }}
        onCancel={() => void leave()}
      />
    </Outline>
  );
}
