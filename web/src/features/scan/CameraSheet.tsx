// The camera's picture, until it shows a code. Where there is no picture, why not and what a person can do about it.
import { useEffect, useEffectEvent, useRef, useState } from "react";

import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { Sheet } from "@/ui/Sheet";
import { type CameraProblem, closeCamera, firstCode, hasCameras, openCamera, problemOf } from "./camera";
import styles from "./CameraSheet.module.css";

export interface CameraSheetProps {
  onCode: (text: string) => void;
  onClose: () => void;
}

export function CameraSheet({ onCode, onClose }: CameraSheetProps) {
  const t = useWords();
  const [attempt, setAttempt] = useState(0);
  return (
    <Sheet title={t("scan.title")} onClose={onClose}>
      <Picture key={attempt} onCode={onCode} onRetry={() => setAttempt(attempt + 1)} />
      <Button size="large" onClick={onClose}>
        {t("app.close")}
      </Button>
    </Sheet>
  );
}

function Picture({ onCode, onRetry }: { onCode: (text: string) => void; onRetry: () => void }) {
  const t = useWords();
  const video = useRef<HTMLVideoElement>(null);
  const [problem, setProblem] = useState<CameraProblem | null>(hasCameras() ? null : "insecure");
  const found = useEffectEvent(onCode);
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    const closing = new AbortController();
    look(element, closing.signal).then(
      (text) => text !== null && found(text),
      (error: unknown) => closing.signal.aborted || setProblem(error instanceof DOMException ? problemOf(error) : "decoder"),
    );
    return () => closing.abort();
  }, []);
  if (problem !== null) {
    return (
      <EmptyState text={t(`scan.camera.${problem}`)}>
        <Button onClick={onRetry}>{t("app.retry")}</Button>
      </EmptyState>
    );
  }
  return (
    <>
      <video ref={video} className={styles.picture} muted playsInline aria-label={t("scan.picture")} data-camera />
      <p className={styles.hint}>{t("scan.hint")}</p>
    </>
  );
}

/** The camera is free again when a code was found, the sheet was closed, or something failed. */
async function look(video: HTMLVideoElement, closing: AbortSignal): Promise<string | null> {
  const stream = await openCamera();
  try {
    if (closing.aborted) return null;
    video.srcObject = stream;
    void video.play().catch(() => undefined); // closed before it began
    return await firstCode(video, closing);
  } finally {
    closeCamera(stream);
  }
}
