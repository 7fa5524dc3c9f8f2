import type { Client } from '../../../client/index.ts';
import type { ChangeDetail, HistoryMoments, HistoryPage, Moment, PastState } from '../../protocol.ts';
import type { PastSource } from './past-source.ts';

const HISTORY = '/keelson/history';

/** The past as Keelson's API server remembers it, across its own restarts. */
export class ServerPast implements PastSource {
  readonly since: Moment;
  readonly #client: Client;

  constructor(client: Client, since: Moment) {
    this.#client = client;
    this.since = since;
  }

  page(query: URLSearchParams): Promise<HistoryPage> {
    return this.#get(HISTORY, query) as Promise<HistoryPage>;
  }

  change(revision: string): Promise<ChangeDetail> {
    return this.#get(`${HISTORY}/${encodeURIComponent(revision)}`) as Promise<ChangeDetail>;
  }

  moments(query: URLSearchParams): Promise<HistoryMoments> {
    return this.#get(`${HISTORY}/moments`, query) as Promise<HistoryMoments>;
  }

  state(query: URLSearchParams): Promise<PastState> {
    return this.#get('/keelson/state', query) as Promise<PastState>;
  }

  #get(path: string, query = new URLSearchParams()): Promise<unknown> {
    return this.#client.request({ method: 'GET', path, query: Object.fromEntries(query) });
  }
}
