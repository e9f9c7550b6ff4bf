// An action on a spool as a value: its path, and the types of its body and answer. Only the taps send it.
import type { PostAnswer, PostBody, PostPath } from "./types";

/** `Body` and `Answer` exist for the type checker only. */
export interface Call<Body, Answer> {
  readonly path: string;
  readonly body?: (body: Body) => never;
  readonly answer?: Answer;
}

export const callOf = <P extends PostPath>(path: P): Call<PostBody<P>, PostAnswer<P>> => ({ path });
