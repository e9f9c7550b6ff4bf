// Codes on the screens of the floor, from a reader that types or from the camera: a spool opens, a badge signs in, anything else is
// shown as it was read.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef, useState } from "react";

import { openWhenSignedIn, takeAwaitingTag, useAwaitingTag } from "@/features/scan/awaitingTag";
import { setCameraOpen, useCameraOpen } from "@/features/scan/cameraRequest";
import { CameraSheet } from "@/features/scan/CameraSheet";
import { codeIn, type ReadCode } from "@/features/scan/codes";
import type { ReadTexts } from "@/features/scan/readerDetector";
import { UnknownCode } from "@/features/scan/UnknownCode";
import { useReader } from "@/features/scan/useReader";
import { setClaim } from "@/features/sign-in/claim";
import { useWords } from "@/i18n";
import { isOpen } from "@/session/access";
import { currentVisit, currentWorker, useVisit } from "@/session/session";
import { isOperacion } from "@/shop/operations";
import { notify } from "@/ui/notices";
import { toSpool } from "./routes";
import { type Meaning, meaningOf, operationOf } from "./scanned";

interface Unknown {
  code: ReadCode;
  near: readonly string[] | null;
}

export function Scanning() {
  const { worker, locked } = useVisit();
  const [unknown, setUnknown] = useState<Unknown | null>(null);
  const camera = useCameraOpen();
  const openSpool = useOpenSpool();
  const onCode = useOnCode(openSpool, setUnknown);
  useReader(onCode, true);
  useAwaited(worker !== null && locked === null, onCode);
  useEffect(() => {
    if (locked !== null) setCameraOpen(false);
  }, [locked]);
  useEffect(() => () => setCameraOpen(false), []);
  const signInByBadge = (): void => {
    if (unknown) claimBadge(unknown.code);
    setUnknown(null);
  };
  return (
    <>
      {camera && <CameraSheet onCode={(text) => onCode([text])} onClose={() => setCameraOpen(false)} />}
      {unknown && locked === null && (
        <UnknownCode
          code={{ texts: unknown.code.tags, near: unknown.near ?? [], unasked: unknown.near === null }}
          onClose={() => setUnknown(null)}
          onOpen={(tag) => {
            setUnknown(null);
            openSpool(tag);
          }}
          onBadge={mayBeBadge(unknown.code) ? signInByBadge : undefined}
        />
      )}
    </>
  );
}

const mayBeBadge = (code: ReadCode): boolean => !isOpen() && !code.isAddress;

const claimBadge = ({ text }: ReadCode): void => setClaim({ badge: text });

/** A spool stays closed: what was ticked on the screen below is its worker's. */
function onLockedScreen(code: ReadCode, meaning: Meaning): void {
  if (!("tag" in meaning) && mayBeBadge(code)) claimBadge(code);
}

/** Opens the spool for the operation at hand; where nobody is signed in, as soon as somebody is. */
function useOpenSpool(): (tag: string) => void {
  const t = useWords();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const { operacion } = useParams({ strict: false });
  const newest = useRef(0);
  return (tag) => {
    const worker = currentWorker();
    if (!worker) {
      openWhenSignedIn(tag);
      notify("plain", t("scan.sign_in_first", { tag }));
      return;
    }
    const number = (newest.current += 1);
    const atHand = operacion !== undefined && isOperacion(operacion) ? operacion : null;
    void operationOf(tag, worker, atHand, cache).then((found) => {
      if (number === newest.current && currentWorker()?.id === worker.id) void navigate(toSpool(found, tag));
    });
  };
}

/** A code that comes while another one is being looked up takes its place. */
function useOnCode(openSpool: (tag: string) => void, onUnknown: (unknown: Unknown | null) => void): (texts: ReadTexts) => void {
  const cache = useQueryClient();
  const newest = useRef(0);
  return (texts) => {
    const code = codeIn(texts);
    if (!code) return;
    const number = (newest.current += 1);
    setCameraOpen(false);
    onUnknown(null);
    void meaningOf(code, currentWorker(), cache).then((meaning) => {
      if (number !== newest.current) return;
      if (currentVisit().locked !== null) onLockedScreen(code, meaning);
      else if ("tag" in meaning) openSpool(meaning.tag);
      else if (mayBeBadge(code) && (meaning.near?.length === 0 || !currentWorker())) claimBadge(code);
      else onUnknown({ code, near: meaning.near });
    });
  };
}

/** The spool of the address `/s/{tag}`, or of a code that was read before anybody had signed in. */
function useAwaited(isSignedIn: boolean, onCode: (texts: ReadTexts) => void): void {
  const awaiting = useAwaitingTag();
  const scanned = useEffectEvent(onCode);
  useEffect(() => {
    if (awaiting === null || !isSignedIn) return;
    const tag = takeAwaitingTag();
    if (tag !== null) scanned([`${location.origin}/s/${encodeURIComponent(tag)}`]);
  }, [awaiting, isSignedIn]);
}
