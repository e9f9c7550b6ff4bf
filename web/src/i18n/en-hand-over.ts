// Sentences about handing a spool over to another worker.
import type { esHandOver } from "./es-hand-over";

export const enHandOver: typeof esHandOver = {
  relevo: {
    give: "Hand over to…",
    title: "Hand over {{tag}}",
    lead: "A tap on the name offers it. It stays yours until it is accepted.",
    to: "To whom?",
    to_anybody: "To whoever is qualified",
    anybody: "whoever is qualified",
    nobody: "Nobody else can take it over.",
    joints: "Joints that you did",
    joints_why: "They are recorded under your name before the hand-over.",
    offered_to: "Offered to {{to}}. It stays yours until it is accepted.",
    withdraw: "Withdraw",
    received: "is handed to you by {{from}} ({{operation}}).",
    more_one: "{{count}} more is waiting.",
    more_other: "{{count}} more are waiting.",
    accept: "Accept",
    decline: "Decline",
    later: "Not now",
  },
};
