// How many joints examinations are about: two methods may have rejected the same one.
import type { Exam } from "@/api/ndt";

export const jointsOf = (exams: readonly Pick<Exam, "tag_spool" | "n_union">[]): number =>
  new Set(exams.map(({ tag_spool, n_union }) => JSON.stringify([tag_spool, n_union]))).size;
