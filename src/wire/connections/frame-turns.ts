import { Turns } from '../../base/index.ts';

/** Frames of one connection that are handled before other work gets a turn: about a millisecond of work when they are tiny. */
const MAX_FRAMES_A_TURN = 512;

/** Lets other work run between the frames of a connection: a client may send hundreds of thousands of frames with a byte each. */
export class FrameTurns {
  readonly #turns = new Turns();
  #left = MAX_FRAMES_A_TURN;

  /** Counts a frame. When it was the last one of this turn, returns a promise that the caller has to await. */
  spend(): Promise<void> | undefined {
    this.#left -= 1;
    if (this.#left > 0) return undefined;
    this.#left = MAX_FRAMES_A_TURN;
    return this.#turns.take(true);
  }
}
