// Who came in, who was refused and what was changed, day by day, the newest first; with a filter, and as a file for a spreadsheet.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";

import { accessesFile, listAccesses, type AccessEvent } from "@/api/accesos";
import { listDevices } from "@/api/inscripciones";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { dayText } from "@/shop/clock";
import { usePeople } from "@/shop/usePeople";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { EmptyState } from "@/ui/EmptyState";
import { Field } from "@/ui/Field";
import { FileLink } from "@/ui/FileLink";
import { Loading } from "@/ui/Loading";
import { SectionPage } from "@/ui/SectionPage";
import { Select } from "@/ui/Select";
import styles from "./Accesses.module.css";
import { accessFilter, byDay, KINDS, toneOf, type AccessFilter } from "./filter";

const HERE = "/administracion/accesos";

export function Accesses() {
  const t = useWords();
  const filter = useSearch({ from: "/office/administracion/accesos" });
  return (
    <SectionPage
      title={t("administration.accesos.title")}
      intro={`${t("administration.accesos.intro")} ${t("accesses.kept")}`}
      actions={<FileLink href={accessesFile(filter)}>{t("accesses.file")}</FileLink>}
    >
      <Filter filter={filter} />
      <Events filter={filter} />
    </SectionPage>
  );
}

const ALL = "";

function Filter({ filter }: { filter: AccessFilter }) {
  const t = useWords();
  const navigate = useNavigate();
  const people = usePeople().data ?? [];
  const devices = useQuery({ queryKey: ["devices"], queryFn: ({ signal }) => listDevices(signal) }).data?.dispositivos ?? [];
  const show = (search: AccessFilter): void => void navigate({ to: HERE, search, replace: true });
  const change = (name: keyof AccessFilter, value: string): void => show(accessFilter({ ...filter, [name]: value }));
  return (
    <Card as="section" aria-label={t("accesses.filter")} className={styles.filter}>
      <Select
        label={t("accesses.kind")}
        value={filter.tipo ?? ALL}
        options={[{ value: ALL, label: t("accesses.any_kind") }, ...KINDS.map((value) => ({ value, label: t(`accesses.kinds.${value}`) }))]}
        onChange={(value) => change("tipo", value)}
      />
      <Select
        label={t("accesses.person")}
        value={String(filter.persona ?? ALL)}
        options={[
          { value: ALL, label: t("accesses.anybody") },
          ...people.map(({ id, nombre, apellido }) => ({ value: String(id), label: `${nombre} ${apellido} (${id})` })),
        ]}
        onChange={(value) => change("persona", value)}
      />
      <Select
        label={t("accesses.device")}
        value={filter.dispositivo ?? ALL}
        options={[{ value: ALL, label: t("accesses.any_device") }, ...devices.map(({ id, nombre }) => ({ value: id, label: nombre }))]}
        onChange={(value) => change("dispositivo", value)}
      />
      <Field label={t("accesses.from")} type="date" value={filter.desde ?? ""} max={filter.hasta} onChange={(event) => change("desde", event.target.value)} />
      <Field label={t("accesses.to")} type="date" value={filter.hasta ?? ""} min={filter.desde} onChange={(event) => change("hasta", event.target.value)} />
      {Object.keys(filter).length > 0 && (
        <Button onClick={() => show({})}>
          {t("accesses.clear")}
        </Button>
      )}
    </Card>
  );
}

function Events({ filter }: { filter: AccessFilter }) {
  const t = useWords();
  const readError = useReadErrorText();
  const read = useInfiniteQuery({
    queryKey: ["accesses", filter],
    queryFn: ({ pageParam, signal }) => listAccesses(filter, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
  });
  if (!read.data) return read.isError ? <EmptyState text={readError} /> : <Loading label={t("app.loading")} />;
  const events = read.data.pages.flatMap(({ accesos }) => accesos);
  if (events.length === 0) return <EmptyState text={t("accesses.none")} />;
  return (
    <>
      {byDay(events).map(([day, ofDay]) => (
        <Card as="section" key={day} aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`} className={styles.day}>
            {dayText(day)}
          </h2>
          <ul>
            {ofDay.map((event) => (
              <EventRow key={event.seq} event={event} />
            ))}
          </ul>
        </Card>
      ))}
      {read.hasNextPage && (
        <Button size="large" disabled={read.isFetchingNextPage} onClick={() => void read.fetchNextPage()}>
          {t("accesses.more")}
        </Button>
      )}
    </>
  );
}

function EventRow({ event }: { event: AccessEvent }) {
  const t = useWords();
  const { at, tipo, persona, por, dispositivo, direccion, detalle } = event;
  return (
    <li className={styles.event} data-access={tipo}>
      <time className={styles.time} dateTime={at}>
        {at.slice(11, 19)}
      </time>
      <div className={styles.words}>
        <p className={styles.line}>
          <Badge tone={toneOf(event)}>{t(`accesses.kinds.${tipo}`)}</Badge>
          {persona !== null && <strong>{persona}</strong>}
          {por !== null && por !== persona && <span>{t("accesses.by", { label: por })}</span>}
        </p>
        <p className={styles.facts}>
          {dispositivo !== null && <span>{dispositivo}</span>}
          {detalle !== null && <span>{detalle}</span>}
          {direccion !== null && <span>{direccion}</span>}
        </p>
      </div>
    </li>
  );
}
