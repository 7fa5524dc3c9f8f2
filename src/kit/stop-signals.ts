/** The exit codes that shells use. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** A signal that aborts at the first SIGINT or SIGTERM; the second ends the process. */
export class StopSignals implements Disposable {
  readonly #controller = new AbortController();
  readonly #onSignal = (name: keyof typeof SIGNAL_CODES): void => {
    if (this.#controller.signal.aborted) process.exit(SIGNAL_CODES[name]);
    this.#controller.abort(new Error(`Stopped by ${name}`));
  };

  constructor() {
    for (const name of Object.keys(SIGNAL_CODES)) process.on(name, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    for (const name of Object.keys(SIGNAL_CODES)) process.off(name, this.#onSignal);
  }
}
