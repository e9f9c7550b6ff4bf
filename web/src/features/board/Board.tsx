// The wall board: who has what, since when.
import { useWords } from "@/i18n";

export function Board() {
  const t = useWords();
  return (
    <main>
      <h1>{t("board.title")}</h1>
    </main>
  );
}
