// What happens when a welder is not qualified for a joint that names a WPS.
import type { ShopSettings } from "@/api/ajustes";
import { useWords } from "@/i18n";
import { Select } from "@/ui/Select";
import styles from "./ShopSettings.module.css";
import { WELDER_CHECKS } from "./values";

type WelderCheckValue = ShopSettings["calificacion"];

export function WelderCheck({ value, onChange }: { value: WelderCheckValue; onChange: (value: WelderCheckValue) => void }) {
  const t = useWords();
  return (
    <div className={styles.fields}>
      <p className={styles.hint}>{t("shop_settings.welder_why")}</p>
      <Select
        label={t("shop_settings.welder_label")}
        value={value}
        options={WELDER_CHECKS.map((check) => ({ value: check, label: t(`shop_settings.welder_check.${check === "" ? "automatic" : check}`) }))}
        onChange={onChange}
      />
    </div>
  );
}
