import { hasReason } from '../../api/client.ts';
import { messageOf } from '../../base/index.ts';
import type { HistoryPage } from '../protocol.ts';
import type { DashboardSettings } from '../settings.ts';
import { PodForwards } from './forwards/pod-forwards.ts';
import type { PastSource } from './past/past-source.ts';
import { RecordedPast } from './past/recorded-past.ts';
import { ServerPast } from './past/server-past.ts';
import { WatchRecorder } from './past/watch-recorder.ts';
import type { Viewer } from './viewer.ts';

/** One viewer, and what is kept for them. */
export class ViewerState implements AsyncDisposable {
  readonly viewer: Viewer;
  /** Ports of this machine that lead to pods. */
  readonly forwards: PodForwards;
  readonly #settings: DashboardSettings;
  readonly #ending = new AbortController();
  #recorded: RecordedPast | undefined;
  #recording: Promise<void> | undefined;

  constructor(viewer: Viewer, settings: DashboardSettings) {
    this.viewer = viewer;
    this.forwards = new PodForwards(viewer, settings.log);
    this.#settings = settings;
  }

  /**
   * The past as the API server remembers it, if it does and the viewer may see it; else as it has been recorded for this viewer, which the
   * first call begins. Undefined where nothing is to be kept.
   */
  async past(signal: AbortSignal): Promise<PastSource | undefined> {
    if (this.#recorded !== undefined) return this.#recorded;
    const { history, log } = this.#settings;
    if (history.keepMs === 0) return undefined;
    const { client } = this.viewer;
    try {
      const page = await client.request({ method: 'GET', path: '/keelson/history', query: { limit: '1' }, signal });
      return new ServerPast(client, (page as HistoryPage).oldest);
    } catch (error) {
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Forbidden')) throw error;
      log.debug('the API server does not show its past', { error: messageOf(error) });
    }
    return (this.#recorded ??= this.#record());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.forwards[Symbol.asyncDispose]();
    await this.#recording;
  }

  #record(): RecordedPast {
    const { history, clock, log } = this.#settings;
    const recorder = new WatchRecorder({ ...history, client: this.viewer.client, clock, log });
    this.#recording = recorder.run(this.#ending.signal).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) log.error('the dashboard cannot record changes', { error });
    });
    return new RecordedPast(recorder, clock);
  }
}
