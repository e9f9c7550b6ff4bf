// The root component: router, query cache and notices.
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";

import { useWords } from "@/i18n";
import { Notices } from "@/ui/notices";
import { queryClient } from "./queries";
import { router } from "./router";
import { useNewVersion } from "./useNewVersion";

export function App() {
  const t = useWords();
  useNewVersion();
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Notices
        label={t("app.notices")}
        closeLabel={t("app.close")}
        moreLabel={(count) => t("app.more_notices", { count })}
      />
    </QueryClientProvider>
  );
}
