// On what the labels are printed: a sheet with its grid, or a roll; and what the code says.
import { useWords } from "@/i18n";
import { Choice } from "@/ui/Choice";
import { Field } from "@/ui/Field";
import { Select } from "@/ui/Select";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./Labels.module.css";
import { FORMATS, GRID_FIELDS, isSheet, type GridField, type Paper } from "./order";

export function PaperChoice({ paper, onChange }: { paper: Paper; onChange: (paper: Paper) => void }) {
  const t = useWords();
  return (
    <TitledCard title={t("labels.paper")}>
      <div className={styles.fields}>
        <Select
          label={t("labels.format")}
          value={paper.formato}
          options={FORMATS.map((value) => ({ value, label: t(`labels.formats.${value}`) }))}
          onChange={(formato) => onChange({ ...paper, formato })}
        />
        {isSheet(paper.formato) && (
          <Field
            label={t("labels.skip")}
            inputMode="numeric"
            value={paper.saltar}
            onChange={(event) => onChange({ ...paper, saltar: event.target.value })}
          />
        )}
      </div>
      {paper.formato === "a4-libre" && (
        <div className={styles.fields}>
          {GRID_FIELDS.map((field: GridField) => (
            <Field
              key={field}
              label={t(`labels.grid.${field}`)}
              inputMode="decimal"
              value={paper.grid[field]}
              onChange={(event) => onChange({ ...paper, grid: { ...paper.grid, [field]: event.target.value } })}
            />
          ))}
        </div>
      )}
      <Choice
        label={t("labels.code")}
        value={paper.codigo}
        options={(["tag", "direccion"] as const).map((value) => ({ value, label: t(`labels.codes.${value}`) }))}
        onChange={(codigo) => onChange({ ...paper, codigo })}
      />
      <p className={styles.hint}>{t(`labels.codes_why.${paper.codigo}`)}</p>
    </TitledCard>
  );
}
