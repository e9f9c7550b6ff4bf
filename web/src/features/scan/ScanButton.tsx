// Opens the camera to read a code. Not there where the browser gives the page no camera at all.
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { ScanIcon } from "@/ui/icons";
import { hasCameras } from "./camera";
import { setCameraOpen } from "./cameraRequest";

export function ScanButton({ withWord }: { withWord?: boolean }) {
  const t = useWords();
  if (!hasCameras()) return null;
  return (
    <Button aria-label={t("scan.open")} icon={<ScanIcon />} onClick={() => setCameraOpen(true)}>
      {withWord && t("scan.open")}
    </Button>
  );
}
