// What is shown when there is nothing to show.
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

/** A mistake of ours on one screen; what was tapped is kept and is sent all the same. */
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
