// Whose a tap is that is made now, for the taps: the person who is signed in, and the key of their session.
import { tapKeys } from "@/storage/tapKeys";
import type { TapIdentity } from "@/taps/queue";
import { signTap } from "@/taps/signing";
import { seals } from "./seals";
import { currentVisit } from "./session";

export const tapIdentity: TapIdentity = {
  signed: () => {
    const { worker, signed, locked } = currentVisit();
    return worker && signed && !locked ? { worker_id: worker.id, session: signed.session, seal: signed.seal } : null;
  },
  seals: () => ({ open: seals.open(), right: seals.right() }),
  sign: async ({ session }, path, key, body) => {
    const taken = await tapKeys.take(session);
    if (!taken) return null;
    return signTap(session, taken.key, { path, key, number: taken.number, time: new Date().toISOString(), body });
  },
};
