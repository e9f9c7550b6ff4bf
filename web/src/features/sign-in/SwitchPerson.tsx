// In the bar on top: the people who use this tablet in turns. One tap and the PIN change the person.
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { Face, textOfFace } from "@/ui/Face";
import { setClaim } from "./claim";
import styles from "./SignIn.module.css";
import { others, useRecentPeople } from "./useRecentPeople";

const SHOWN_MAX = 3;

export function SwitchPerson({ worker }: { worker: Worker }) {
  const t = useWords();
  const people = others(useRecentPeople(true), worker).slice(0, SHOWN_MAX);
  if (people.length === 0) return null;
  return (
    <div className={styles.switch}>
      {people.map((other) => (
        <button
          key={other.id}
          type="button"
          className={styles.switchTo}
          aria-label={`${textOfFace(other.label)}: ${t("pin.switch", { name: `${other.nombre} ${other.apellido}` })}`}
          onClick={() => setClaim({ worker: other })}
        >
          <Face label={other.label} />
        </button>
      ))}
    </div>
  );
}
