// The sealed PINs of this tablet, which all its tabs share.
import { NoAnswerError, RefusedError } from "@/api/http";
import { postPin } from "@/api/sesion";
import { openChannel } from "@/storage/channel";
import { database } from "@/storage/database";
import { storage } from "@/storage/storage";
import { SealedPins, sealStorageInBoth, type SealStorage, type Verdict } from "./sealedPins";

const channel = openChannel("carrete.seals");

/** The other tabs have taps that were made with these PINs too. */
function announced(inner: SealStorage): SealStorage {
  return {
    ...inner,
    save: async (seal) => {
      await inner.save(seal);
      channel?.postMessage(seal.id);
    },
  };
}

export const seals = new SealedPins(announced(sealStorageInBoth(database, storage)), check);

channel?.addEventListener("message", () => void seals.load());
database.onOpenedLate(() => void seals.load());

async function check(sellado: string): Promise<Verdict | "later"> {
  try {
    await postPin({ sellado });
    return "right";
  } catch (error) {
    if (error instanceof NoAnswerError) return "later";
    return error instanceof RefusedError && error.problem.status === 429 ? "later" : "wrong";
  }
}
