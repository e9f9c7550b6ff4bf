// The list of one operation: first the spools that the worker holds, then those that can be taken; search on top.
import { useCallback, useRef, useState, type ReactNode, type RefCallback } from "react";

import type { Operacion, Spool, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { matches } from "@/shop/merge";
import { useOfflineLists } from "@/shop/offlineReads";
import { operationsOf } from "@/shop/operations";
import { useHeld, useShopIsEmpty, type FreeSpools } from "@/shop/reads";
import { useTaps } from "@/taps/hooks";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { SearchField } from "@/ui/SearchField";
import { NoticeSlot } from "@/ui/notices";
import { CopyAge } from "./CopyAge";
import styles from "./PickSpool.module.css";
import { SpoolRow } from "./SpoolRow";
import { VirtualRows } from "./VirtualRows";
import { useSearch } from "./useSearch";

/** Set while several spools are being chosen: which are chosen, and which can be. */
export interface MultipleChoice {
  chosen: { has: (tag: string) => boolean };
  possible: (spool: Spool, mine: boolean) => boolean;
  toggle: (spool: Spool, mine: boolean) => void;
}

interface ListOf {
  worker: Worker;
  operacion: Operacion;
}

export interface PickSpoolProps extends ListOf {
  openTag: string | null;
  choosing: MultipleChoice | null;
  onPick: (spool: Spool, mine: boolean) => void;
  /** Beside the search field. */
  tools?: ReactNode;
  /** Under the list. */
  foot?: ReactNode;
}

const TITLES = { ARM: "list.free", SOLD: "list.free", METROLOGIA: "list.inspect", REPARACION: "list.repair" } as const;

export function PickSpool(props: PickSpoolProps) {
  const { worker, operacion, tools, foot } = props;
  const t = useWords();
  const [typed, setTyped] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const online = useSearch(worker.id, operacion, typed);
  const offline = useOfflineLists(worker, operacion, typed, online);
  const free = offline?.free ?? online;
  const onlineHeld = useHeld(worker.id).data;
  const held = offline?.mine ?? onlineHeld;
  const mine = typed.trim() === "" ? (held ?? []) : (held ?? []).filter((spool) => matches(spool, typed));
  const heldTags = new Set(mine.map((spool) => spool.tag_spool));
  const others = { ...free, spools: free.spools.filter((spool) => !heldTags.has(spool.tag_spool)) };
  const renderRow = useRowRenderer(props);
  const [head, above] = useHeight();
  return (
    <div className={styles.pick}>
      <div className={styles.top}>
        <SearchField
          className={styles.search}
          label={t("list.search")}
          autoCapitalize="characters"
          value={typed}
          onChange={(text) => {
            setTyped(text);
            scroller.current?.scrollTo({ top: 0 });
          }}
        />
        {tools}
      </div>
      <div className={styles.scroller} ref={scroller} data-scroller>
        <div ref={head}>
          {mine.length > 0 && <Title text={t("list.mine")} count={mine.length} />}
          <ul className={styles.mine} aria-label={t("list.mine")} hidden={mine.length === 0}>
            {mine.map((spool) => (
              <li key={spool.tag_spool}>{renderRow(spool, true)}</li>
            ))}
          </ul>
          <Title text={t(TITLES[operacion])} count={free.total} />
        </div>
        <VirtualRows
          spools={others.spools}
          total={free.total}
          scroller={scroller}
          above={above}
          render={(spool) => renderRow(spool, false)}
          onNearEnd={free.loadMore}
          label={t(TITLES[operacion])}
        />
        <ListEnd free={others} typed={typed} worker={worker} operacion={operacion} />
      </div>
      {/* Below the list: rows must not jump under a finger when the connection goes. */}
      {offline && !offline.isOver && <CopyAge seenAt={offline.seenAt} leftOut={offline.leftOut} />}
      <div className={styles.notices}>
        <NoticeSlot />
      </div>
      {foot}
    </div>
  );
}

function Title({ text, count }: { text: string; count: number | null }) {
  return (
    <h2 className={styles.title}>
      {text} {count !== null && <span className={styles.count}>{count}</span>}
    </h2>
  );
}

/** The height of an element, measured again when it changes. */
function useHeight(): [RefCallback<HTMLElement>, number] {
  const [height, setHeight] = useState(0);
  const measure = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [measure, height];
}

function useRowRenderer({ operacion, openTag, choosing, onPick }: PickSpoolProps): (spool: Spool, mine: boolean) => ReactNode {
  const taps = useTaps();
  const tapOf = new Map(taps.flatMap((tap) => tap.about.tags.map((tag) => [tag, tap] as const)));
  return (spool, mine) => (
    <SpoolRow
      spool={spool}
      operacion={operacion}
      mine={mine}
      open={spool.tag_spool === openTag}
      tap={tapOf.get(spool.tag_spool)}
      choosing={
        choosing
          ? { chosen: choosing.chosen.has(spool.tag_spool), possible: choosing.possible(spool, mine) }
          : undefined
      }
      onTap={() => (choosing ? choosing.toggle(spool, mine) : onPick(spool, mine))}
    />
  );
}

/** What follows the rows: more rows are loading, there are none, or the read failed. */
function ListEnd({ free, typed, ...list }: { free: FreeSpools; typed: string } & ListOf) {
  const t = useWords();
  const readError = useReadErrorText();
  if (free.failed) {
    return (
      <EmptyState text={readError}>
        <Button onClick={free.retry}>{t("app.retry")}</Button>
      </EmptyState>
    );
  }
  if (free.pending) return <Loading label={t("app.loading")} />;
  if (free.spools.length > 0) return free.more ? <Loading label={t("list.more")} /> : null;
  return typed.trim() ? <EmptyState text={t("list.none_found", { q: typed.trim() })} /> : <EmptyList {...list} />;
}

/** Why the list is empty. */
function EmptyList({ worker, operacion }: ListOf) {
  const t = useWords();
  const empty = useShopIsEmpty();
  if (!operationsOf(worker.roles).includes(operacion)) {
    return <EmptyState text={t("list.no_rol", { operation: t(`operation.${operacion}`) })} />;
  }
  return <EmptyState text={empty ? t("list.empty") : t("list.none")} />;
}
