// The wall board, with the settings of language and theme.
import { Board } from "@/features/board/Board";
import { Settings } from "@/features/settings/Settings";

export function BoardPage() {
  return <Board settings={<Settings />} />;
}
