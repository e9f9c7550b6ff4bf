// A list of procedures or of qualifications: found by text, those in use or the retired ones, with a button to add one.
import { useDeferredValue, useState, type ReactNode } from "react";

import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { Button } from "@/ui/Button";
import { Choice } from "@/ui/Choice";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { SearchField } from "@/ui/SearchField";
import { TitledCard } from "@/ui/TitledCard";
import { PlusIcon } from "@/ui/icons";
import { countIn, type Which } from "./welding";
import styles from "./Welding.module.css";

export interface RecordListProps<T> {
  /** Of the catalogues. */
  name: "wps" | "calificaciones";
  read: { data?: T[] | undefined; isPending: boolean; isError: boolean };
  find: (records: readonly T[], which: Which, typed: string) => T[];
  row: (record: T) => ReactNode;
  onAdd: () => void;
  /** The dialog that is open. */
  children: ReactNode;
}

export function RecordList<T extends { activo: boolean }>({ name, read, find, row, onAdd, children }: RecordListProps<T>) {
  const t = useWords();
  const readError = useReadErrorText();
  return (
    <TitledCard title={t(`welding.titles.${name}`)}>
      <p className={styles.hint}>{t(`welding.what.${name}`)}</p>
      {read.isPending && <Loading label={t("app.loading")} />}
      {read.isError && !read.data && <EmptyState text={readError} />}
      {read.data?.length === 0 && <EmptyState text={t(`welding.none.${name}`)} />}
      {read.data && read.data.length > 0 && <Found name={name} records={read.data} find={find} row={row} />}
      <div className={styles.buttons}>
        <Button tone="signal" icon={<PlusIcon />} disabled={!read.data} onClick={onAdd}>
          {t(`welding.add.${name}`)}
        </Button>
      </div>
      {children}
    </TitledCard>
  );
}

const GROUPS: readonly Which[] = ["active", "retired"];

type FoundProps<T> = Pick<RecordListProps<T>, "name" | "find" | "row"> & { records: readonly T[] };

function Found<T extends { activo: boolean }>({ name, records, find, row }: FoundProps<T>) {
  const t = useWords();
  const [typed, setTyped] = useState("");
  const [which, setWhich] = useState<Which>("active");
  const text = useDeferredValue(typed);
  const found = find(records, which, text);
  return (
    <>
      <div className={styles.find}>
        <SearchField label={t(`welding.search.${name}`)} value={typed} onChange={setTyped} />
        <Choice
          label={t("welding.which")}
          value={which}
          options={GROUPS.map((value) => ({ value, label: t(`welding.groups.${name}_${value}`, { n: countIn(records, value) }) }))}
          onChange={(value) => {
            setWhich(value);
            setTyped("");
          }}
        />
      </div>
      {found.length === 0 && <EmptyState text={t(text.trim() === "" ? "welding.none_here" : "welding.none_found")} />}
      <ul aria-label={t(`welding.titles.${name}`)}>{found.map(row)}</ul>
    </>
  );
}
