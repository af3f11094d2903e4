/** The screens of customers, and where they are. */
import { texts } from "../../base/page-texts.ts";
import type { Screen } from "../../base/screen-shape.ts";
import { lateView } from "../../parts/late-view.tsx";

export const customersScreen: Screen = {
  id: "customers",
  path: "customers",
  entry: { title: texts.customers.title, icon: "person" },
  title: () => texts.customers.title,
  view: lateView(async () => (await import("./customers-screen.tsx")).CustomersView),
};

export const customerScreen: Screen = {
  id: "customer",
  path: "customers/:customer",
  title: ({ customer }) => texts.customer.title(customer ?? ""),
  view: lateView(async () => (await import("./customer-screen.tsx")).CustomerView),
};
