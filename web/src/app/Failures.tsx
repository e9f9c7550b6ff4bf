// The screens for an unknown address and for an error of the app itself.
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";

export function NotFound() {
  const t = useWords();
  return (
    <main>
      <EmptyState heading text={t("app.not_found")}>
        <Button onClick={() => location.assign("/")}>{t("app.home")}</Button>
      </EmptyState>
    </main>
  );
}

/** An error of the app on one screen; taps are stored and are sent all the same. */
export function Broken() {
  const t = useWords();
  return (
    <main>
      <EmptyState heading text={t("app.broken")}>
        <Button onClick={() => location.assign("/")}>{t("app.home")}</Button>
      </EmptyState>
    </main>
  );
}
