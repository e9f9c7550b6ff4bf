// The web app of Carrete: the tablet of the floor, the wall board, the supervisor's page.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import "@/ui/fonts.css";
import "@/ui/tokens.css";
import { App } from "@/app/App";
import { startNoticesOfPerson } from "@/app/noticesOfPerson";
import { startLanguage } from "@/i18n";
import { readCopyEarly, wipeWhenRevoked } from "@/offline/hooks";
import { startServiceWorker } from "@/offline/serviceWorker";
import { startIdentity } from "@/session/watch";
import { keepReceipts } from "@/taps/receipts";
import { startIgnoringDoubleTaps } from "@/ui/doubleTaps";
import { startTheme } from "@/ui/theme";

startTheme();
startLanguage();
startIgnoringDoubleTaps();
readCopyEarly();
wipeWhenRevoked();
keepReceipts();
startServiceWorker();
startNoticesOfPerson();
void startIdentity().then(render);

function render(): void {
  const root = document.getElementById("root");
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
