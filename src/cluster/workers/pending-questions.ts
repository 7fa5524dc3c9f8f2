import type { Clock } from '../../base/index.ts';

/** Questions to another process that have not been answered yet. */
export class PendingQuestions<Answer> {
  readonly #clock: Clock;
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>();
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asks; undefined when there is no answer within `timeoutMs`, or never will be. */
  ask(send: (id: number) => void, timeoutMs: number): Promise<Answer | undefined> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const timer = this.#clock.timer(timeoutMs, () => this.answered(id, undefined));
      this.#waiting.set(id, (answer) => {
        timer[Symbol.dispose]();
        resolve(answer);
      });
      send(id);
    });
  }

  answered(id: number, answer: Answer | undefined): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.(answer);
  }

  /** Ends all questions without an answer: the other process has ended. */
  giveUp(): void {
    for (const id of [...this.#waiting.keys()]) this.answered(id, undefined);
  }
}
