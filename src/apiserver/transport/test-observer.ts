import type { Call } from '../request/call.ts';
import type { SentAnswer, TransportObserver } from './observer.ts';

/** Keeps what it hears. */
export class RecordingObserver implements TransportObserver {
  readonly answers: (SentAnswer & { readonly path: string })[] = [];
  readonly events: string[] = [];
  open = 0;
  #waiting: (() => void)[] = [];

  connectionOpened(): void {
    this.open += 1;
    this.#changed();
  }

  connectionClosed(): void {
    this.open -= 1;
    this.#changed();
  }

  handshakeFailed(): void {
    this.events.push('handshakeFailed');
    this.#changed();
  }

  answered(call: Call, answer: SentAnswer): void {
    this.answers.push({ ...answer, path: call.path });
    this.#changed();
  }

  timedOut(): void {
    this.events.push('timedOut');
    this.#changed();
  }

  stalled(): void {
    this.events.push('stalled');
    this.#changed();
  }

  /** Resolves when something it heard makes the condition true. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #changed(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
