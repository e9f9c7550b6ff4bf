// How often a screen reads its data again without an event of the stream, for `refetchInterval`.
import { useConnection } from "@/live/hooks";
import type { Connection } from "@/live/stream";

/** Of the lists of the floor, while the stream is down or after a failed read. */
const LIST_MS = 5_000;
/** Of the wall board and the supervisor's page, while the stream is down. */
const REPORT_MS = 3_000;
/** Of the same while the stream is up: corrects whatever an event did not report. */
const REPORT_CHECK_MS = 60_000;

type QueryStatus = { state: { status: "pending" | "error" | "success" } };

/** While the stream is up it reports every change; without it, and after a failed read, the list has to be read again. */
export const listPollInterval = (connection: Connection, { state }: QueryStatus): number | false =>
  connection === "live" && state.status !== "error" ? false : LIST_MS;

/** For the lists and cards of the floor. */
export function useListPollInterval(): (query: QueryStatus) => number | false {
  const connection = useConnection();
  return (query) => listPollInterval(connection, query);
}

/** For the wall board and the supervisor's page. */
export const useReportPollInterval = (): number => (useConnection() === "live" ? REPORT_CHECK_MS : REPORT_MS);

/** For what only this page changes: read again after a failed read. */
export const retryOnly = ({ state }: QueryStatus): number | false => (state.status === "error" ? LIST_MS : false);
