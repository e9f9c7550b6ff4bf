// The first screen: who is here?
import { Identify } from "@/features/identify/Identify";

export function IdentifyPage() {
  return (
    <main>
      <Identify onChosen={() => undefined} />
    </main>
  );
}
