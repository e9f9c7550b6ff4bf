// Who changed which setting of the shop, when, from what to what. Newest first.
import type { SettingChange } from "@/api/ajustes";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { timestampText } from "@/shop/clock";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { TitledCard } from "@/ui/TitledCard";
import { useSettingsHistory } from "./reads";
import styles from "./ShopSettings.module.css";
import { useSettingText } from "./useSettingText";
import { isSettingName } from "./values";

export function SettingsHistory() {
  const t = useWords();
  const readError = useReadErrorText();
  const read = useSettingsHistory();
  const changes = read.data?.pages.flatMap(({ cambios }) => cambios) ?? [];
  return (
    <TitledCard title={t("shop_settings.history")}>
      {changes.length > 0 ? (
        <ol className={styles.history}>
          {changes.map((change, at) => (
            <li key={`${change.at} ${change.ajuste} ${at}`} className={styles.change}>
              <Change change={change} />
            </li>
          ))}
        </ol>
      ) : read.isPending ? (
        <Loading label={t("app.loading")} />
      ) : (
        <EmptyState text={read.isError ? readError : t("shop_settings.no_history")} />
      )}
      {read.hasNextPage && (
        <Button disabled={read.isFetchingNextPage} onClick={() => void read.fetchNextPage()}>
          {t("import.more")}
        </Button>
      )}
    </TitledCard>
  );
}

function Change({ change }: { change: SettingChange }) {
  const t = useWords();
  const text = useSettingText();
  return (
    <>
      <p className={styles.changeHead}>
        <strong>{isSettingName(change.ajuste) ? t(`shop_settings.names.${change.ajuste}`) : change.ajuste}</strong>
        <span className={styles.when}>
          {change.por_label ?? t("shop_settings.by_command")} · {timestampText(change.at)}
        </span>
      </p>
      <p className={styles.values}>
        <del>{text(change.antes)}</del> <span aria-hidden="true">→</span> <ins>{text(change.despues)}</ins>
      </p>
    </>
  );
}
