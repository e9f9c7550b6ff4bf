// Whether the server is well: what `carrete doctor` says, versions, sizes, figures, certificate and addresses.
import type { ReactNode } from "react";

import type { CertificateStatus, SystemAnswer, SystemCheck } from "@/api/sistema";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { bytesText } from "@/shop/bytes";
import { dayText, timestampText } from "@/shop/clock";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { EmptyState } from "@/ui/EmptyState";
import { Fact, FactList } from "@/ui/FactList";
import { CheckIcon, ListIcon, WarnIcon } from "@/ui/icons";
import { Loading } from "@/ui/Loading";
import { QrImage } from "@/ui/QrImage";
import { TitledCard } from "@/ui/TitledCard";
import { countOf, isReachable, needsSomebody, worstFirst } from "./checks";
import { useSystem } from "./reads";
import styles from "./SystemStatus.module.css";
import { TrailCheck } from "./TrailCheck";

export function SystemStatus() {
  const t = useWords();
  const readError = useReadErrorText();
  const { data, isError, isFetching, refetch } = useSystem();
  if (!data) return isError ? <EmptyState text={readError} /> : <Loading label={t("system.checking")} />;
  return (
    <>
      <Checks checks={data.revision} complete={data.revision_completa}>
        <Button disabled={isFetching} onClick={() => void refetch()}>
          {t(isFetching ? "system.checking" : "system.again")}
        </Button>
      </Checks>
      <TrailCheck />
      <div className={styles.columns}>
        <Addresses addresses={data.direcciones} />
        <Versions system={data} />
        <Certificate certificate={data.certificado} />
        <Sizes sizes={data.tamanos} />
        <Figures figures={data.metricas} />
      </div>
    </>
  );
}

interface ChecksProps {
  checks: readonly SystemCheck[];
  complete: boolean;
  children: ReactNode;
}

function Checks({ checks, complete, children }: ChecksProps) {
  const t = useWords();
  const errors = countOf(checks, "error");
  const warnings = checks.filter(needsSomebody).length - errors;
  const tone = errors > 0 ? "bad" : warnings > 0 || !complete ? "warn" : "good";
  const verdict =
    errors > 0 ? t("system.errors", { count: errors }) : warnings > 0 ? t("system.warnings", { count: warnings }) : t(complete ? "system.all_good" : "system.checking");
  return (
    <TitledCard title={t("system.checks")} accent={tone} badge={<Badge tone={tone}>{verdict}</Badge>}>
      <ul className={styles.checks}>
        {worstFirst(checks).map((check, at) => (
          <Check key={`${at} ${check.que}`} check={check} />
        ))}
      </ul>
      {!complete && <p className={styles.hint}>{t("system.incomplete")}</p>}
      <div>{children}</div>
    </TitledCard>
  );
}

function Check({ check: { nivel, que, que_hacer } }: { check: SystemCheck }) {
  const t = useWords();
  const Icon = nivel === "bien" ? CheckIcon : nivel === "error" || que_hacer !== "" ? WarnIcon : ListIcon;
  return (
    <li className={classes(styles.check, styles[nivel])} data-check={nivel}>
      <Icon size={26} className={styles.icon} />
      <div className={styles.words}>
        <span className="visually-hidden">{t(`system.level.${nivel}`)}: </span>
        <p>{que}</p>
        {que_hacer !== "" && <p className={styles.advice}>{que_hacer}</p>}
      </div>
    </li>
  );
}

function Addresses({ addresses: all }: { addresses: readonly string[] }) {
  const t = useWords();
  const addresses = all.filter(isReachable);
  return (
    <TitledCard title={t("system.addresses")}>
      <p className={styles.hint}>{t(addresses.length > 0 ? "system.addresses_why" : "system.no_addresses")}</p>
      {addresses.length > 0 && (
        <ul className={styles.addresses}>
          {addresses.map((address) => (
            <li key={address}>{address}</li>
          ))}
        </ul>
      )}
      {addresses[0] !== undefined && <QrImage text={addresses[0]} label={t("system.qr")} />}
    </TitledCard>
  );
}

function Certificate({ certificate }: { certificate: CertificateStatus | null }) {
  const t = useWords();
  return (
    <TitledCard title={t("system.certificate")}>
      {certificate === null ? (
        <p className={styles.hint}>{t("system.no_certificate")}</p>
      ) : (
        <>
          <FactList>
            <Fact name={t("system.expires")}>{dayText(certificate.vence.slice(0, 10))}</Fact>
            <Fact name={t("system.names")}>{certificate.nombres.join(", ")}</Fact>
            {certificate.autoridad_vence !== null && (
              <Fact name={t("system.authority_expires")}>{dayText(certificate.autoridad_vence.slice(0, 10))}</Fact>
            )}
          </FactList>
          {certificate.autoridad_huella !== null && (
            <div>
              <h3 className={styles.subtitle}>{t("system.authority")}</h3>
              <p className={styles.fingerprint}>{certificate.autoridad_huella}</p>
              <p className={styles.hint}>{t("system.authority_why")}</p>
            </div>
          )}
          <div>
            <h3 className={styles.subtitle}>{t("system.fingerprint")}</h3>
            <p className={styles.fingerprint}>{certificate.huella}</p>
          </div>
        </>
      )}
    </TitledCard>
  );
}

function Versions({ system }: { system: SystemAnswer }) {
  const t = useWords();
  return (
    <TitledCard title={t("system.versions")}>
      <FactList>
        <Fact name="Carrete">{system.version}</Fact>
        <Fact name={t("system.schema")}>{system.esquema}</Fact>
        <Fact name={t("system.engine")}>{system.motor}</Fact>
        <Fact name="Python">{system.python}</Fact>
        <Fact name={t("system.started")}>{timestampText(system.iniciado_en)}</Fact>
      </FactList>
    </TitledCard>
  );
}

function Sizes({ sizes }: { sizes: SystemAnswer["tamanos"] }) {
  const t = useWords();
  return (
    <TitledCard title={t("system.sizes")}>
      <FactList>
        {sizes.map(({ que, bytes }) => (
          <Fact key={que} name={que}>
            {bytesText(bytes)}
          </Fact>
        ))}
      </FactList>
    </TitledCard>
  );
}

function Figures({ figures }: { figures: SystemAnswer["metricas"] }) {
  const t = useWords();
  return (
    <TitledCard title={t("system.figures")}>
      <FactList>
        {figures.map(({ que, valor }) => (
          <Fact key={que} name={que}>
            {valor}
          </Fact>
        ))}
      </FactList>
    </TitledCard>
  );
}
