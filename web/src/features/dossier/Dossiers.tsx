// The dossier page: of which spools, in which language, with photos or without; then the file is saved.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { DOSSIER_SPOOLS_MAX, getDossier, listWorkOrders, type DossierOrder } from "@/api/dossier";
import { useWords } from "@/i18n";
import { saveFile } from "@/ui/saveFile";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Choice } from "@/ui/Choice";
import { EmptyState } from "@/ui/EmptyState";
import { Select } from "@/ui/Select";
import { SectionPage } from "@/ui/SectionPage";
import { TextArea } from "@/ui/TextArea";
import { TitledCard } from "@/ui/TitledCard";
import { DownloadIcon } from "@/ui/icons";
import styles from "./Dossier.module.css";
import { tagsIn } from "./tagList";

type Way = "ot" | "list";

interface Chosen {
  way: Way;
  ot: string;
  list: string;
}

/** `spool`: the one that the page was opened from. */
export function Dossiers({ spool }: { spool: string | undefined }) {
  const t = useWords();
  const [chosen, setChosen] = useState<Chosen>({ way: spool === undefined ? "ot" : "list", ot: "", list: spool ?? "" });
  const tags = chosen.way === "list" ? tagsIn(chosen.list) : [];
  return (
    <SectionPage title={t("dossier.title")} intro={t("dossier.intro")}>
      <div className={styles.columns}>
        <TitledCard title={t("dossier.which")}>
          <Choice<Way>
            label={t("dossier.choose_by")}
            value={chosen.way}
            options={[
              { value: "ot", label: t("dossier.ways.ot") },
              { value: "list", label: t("dossier.ways.list") },
            ]}
            onChange={(way) => setChosen({ ...chosen, way })}
          />
          {chosen.way === "ot" ? (
            <WorkOrders ot={chosen.ot} onChange={(ot) => setChosen({ ...chosen, ot })} />
          ) : (
            <TextArea label={t("dossier.list")} rows={6} spellCheck={false} value={chosen.list} onChange={({ target }) => setChosen({ ...chosen, list: target.value })} />
          )}
          {tags.length > DOSSIER_SPOOLS_MAX && <Callout tone="warn">{t("dossier.list_too_long", { n: tags.length, max: DOSSIER_SPOOLS_MAX })}</Callout>}
        </TitledCard>
        <Making tags={tags} ot={chosen.way === "ot" ? chosen.ot : ""} />
      </div>
    </SectionPage>
  );
}

function WorkOrders({ ot, onChange }: { ot: string; onChange: (ot: string) => void }) {
  const t = useWords();
  const { data } = useQuery({ queryKey: ["dossier", "ots"], queryFn: ({ signal }) => listWorkOrders(signal), staleTime: 0 });
  if (data?.length === 0) return <EmptyState text={t("dossier.no_work_orders")} />;
  const options = (data ?? []).map((each) => ({
    value: each.ot,
    label: t("dossier.work_order", { ot: each.ot, spools: each.spools, approved: each.aprobados, joints: each.uniones }),
  }));
  return <Select label={t("dossier.ot")} value={ot} options={[{ value: "", label: t("dossier.choose_ot") }, ...options]} onChange={onChange} />;
}

function Making({ tags, ot }: { tags: readonly string[]; ot: string }) {
  const t = useWords();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [language, setLanguage] = useState<DossierOrder["language"]>("es");
  const [photos, setPhotos] = useState<"no" | "yes">("no");
  const [made, setMade] = useState<string | null>(null);
  const nothing = (tags.length === 0 && ot === "") || tags.length > DOSSIER_SPOOLS_MAX;
  const save = (format: DossierOrder["format"]): void => {
    setMade(null);
    run(async () => {
      const { file, name } = await getDossier({ tags, ot, format, language, photos: photos === "yes" });
      saveFile(file, name);
      setMade(name);
    });
  };
  return (
    <TitledCard title={t("dossier.how")}>
      <Choice<DossierOrder["language"]>
        label={t("dossier.language")}
        value={language}
        options={[
          { value: "es", label: t("dossier.languages.es") },
          { value: "en", label: t("dossier.languages.en") },
        ]}
        onChange={setLanguage}
      />
      <Choice<"no" | "yes">
        label={t("dossier.photos")}
        value={photos}
        options={[
          { value: "no", label: t("dossier.with_photos.no") },
          { value: "yes", label: t("dossier.with_photos.yes") },
        ]}
        onChange={setPhotos}
      />
      <p className={styles.hint}>{t("dossier.names")}</p>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      <div role="status">{busy ? t("dossier.making") : made !== null && <Callout tone="good">{t("dossier.made", { name: made })}</Callout>}</div>
      <div className={styles.buttons}>
        <Button tone="signal" icon={<DownloadIcon />} disabled={busy || nothing} onClick={() => save("pdf")}>
          {t("dossier.pdf")}
        </Button>
        <Button icon={<DownloadIcon />} disabled={busy || nothing} onClick={() => save("xlsx")}>
          {t("dossier.xlsx")}
        </Button>
      </div>
      {pinPad}
    </TitledCard>
  );
}
