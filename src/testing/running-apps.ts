import type { Client } from '../client/index.ts';
import type { App, ProgramRunOptions } from '../kit/index.ts';

/** A running app of the test. */
export interface RunningApp {
  /** The app that was passed to `run`, here or in the original of this fork. */
  readonly given: App;
  readonly app: App;
  readonly client: Client;
}

/** The test's apps in a cluster. Disposing waits for them to end and closes their clients. */
export class RunningApps implements AsyncDisposable {
  readonly #running: (RunningApp & { readonly ended: Promise<void> })[] = [];

  get list(): readonly RunningApp[] {
    return this.#running;
  }

  /** Runs an app until the signal aborts; logs a failure. `forget`: it was killed, and its end is not awaited any more. */
  start(
    started: RunningApp,
    signal: AbortSignal,
    options: ProgramRunOptions & { onFailure(error: unknown): void },
  ): { readonly forget: () => void } {
    const { onFailure, ...given } = options;
    const ended = started.app.run(started.client, signal, given).catch(onFailure);
    const running = { ...started, ended };
    this.#running.push(running);
    const forget = (): void => {
      const place = this.#running.indexOf(running);
      if (place >= 0) this.#running.splice(place, 1);
    };
    return { forget };
  }

  /** The instance of an app that runs in this cluster. */
  find(given: App): App {
    const found = this.#running.find((each) => each.given === given || each.app === given);
    if (found === undefined) throw new Error(`Cannot find app "${given.name}": it was not run in this cluster`);
    return found.app;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { ended, client } of this.#running) {
      await ended;
      await client[Symbol.asyncDispose]();
    }
  }
}
