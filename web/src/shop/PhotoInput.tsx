// Takes photos with the camera, or from files, and shows those that were taken.
import { useRef } from "react";

import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { CameraIcon, CrossIcon, UploadIcon } from "@/ui/icons";
import styles from "./PhotoInput.module.css";
import type { SmallPhoto } from "./picture";

export interface PhotoInputProps {
  photos: readonly SmallPhoto[];
  disabled: boolean;
  onFile: (file: File) => void;
  onRemove: (photo: SmallPhoto) => void;
}

export function PhotoInput({ photos, disabled, onFile, onRemove }: PhotoInputProps) {
  const t = useWords();
  const camera = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const take = ({ target }: { target: HTMLInputElement }): void => {
    const file = target.files?.[0];
    target.value = ""; // the same file can be chosen again
    if (file) onFile(file);
  };
  const input = { type: "file", accept: "image/*", tabIndex: -1, "aria-hidden": true, className: "visually-hidden", onChange: take } as const;
  return (
    <>
      <div className={styles.buttons}>
        <Button icon={<CameraIcon />} disabled={disabled} onClick={() => camera.current?.click()}>
          {t("notes.take_photo")}
        </Button>
        <Button icon={<UploadIcon />} disabled={disabled} onClick={() => files.current?.click()}>
          {t("notes.choose_photo")}
        </Button>
        <input ref={camera} {...input} capture="environment" data-photo="camera" />
        <input ref={files} {...input} data-photo="file" />
      </div>
      {photos.length > 0 && (
        <ul className={styles.photos}>
          {photos.map((photo, index) => (
            <li key={photo.id ?? index} className={styles.taken}>
              <img src={photo.preview} alt={t("notes.photo", { n: index + 1 })} />
              <Button icon={<CrossIcon />} aria-label={t("notes.remove_photo", { n: index + 1 })} onClick={() => onRemove(photo)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
