// The wall board, with the way to its language and theme.
import { Board } from "@/features/board/Board";
import { Settings } from "@/features/settings/Settings";

export function BoardPage() {
  return <Board settings={<Settings />} />;
}
