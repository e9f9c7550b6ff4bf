// A person's badge: a reader types its code into the field and saves it with its Enter.
import { useState, type SyntheticEvent } from "react";

import { setBadge, type Person } from "@/api/personas";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Field } from "@/ui/Field";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./Person.module.css";
import { useFollowChange } from "./followChange";

const BADGE_CHARS_MAX = 64;

export function PersonBadge({ person }: { person: Person }) {
  const t = useWords();
  const follow = useFollowChange();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [code, setCode] = useState("");
  const save = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (code.trim() === "" || busy) return;
    run(async () => {
      await follow(setBadge(person.id, code.trim()));
      setCode("");
    });
  };
  return (
    <TitledCard title={t("people.badge")}>
      <p>{person.badge === null ? t("people.badge_none") : t("people.badge_is", { badge: person.badge })}</p>
      <form className={styles.form} onSubmit={save}>
        <Field
          label={t("people.badge_code")}
          value={code}
          maxLength={BADGE_CHARS_MAX}
          onChange={(event) => setCode(event.target.value)}
          data-takes-badge
        />
        <p className={styles.hint}>{t("people.badge_hint")}</p>
        {problem !== null && <Callout tone="bad">{problem}</Callout>}
        <div className={styles.buttons}>
          {person.badge !== null && (
            <Button disabled={busy} onClick={() => run(() => follow(setBadge(person.id, null)))}>
              {t("people.remove_badge")}
            </Button>
          )}
          <Button type="submit" tone="signal" disabled={busy || code.trim() === ""}>
            {t("people.save_badge")}
          </Button>
        </div>
      </form>
      {pinPad}
    </TitledCard>
  );
}
