import { createHash } from 'node:crypto';
import { HttpTransport } from '../../client/index.ts';
import type { DashboardSettings } from '../settings.ts';
import { Viewer } from './viewer.ts';
import { ViewerState } from './viewer-state.ts';

/** Viewers with tokens that are remembered; above it, the one who asked longest ago is forgotten, and begins again with the next request. */
const MAX_VIEWERS = 16;

/** The viewers that have sent a request, by token. */
export class Viewers implements AsyncDisposable {
  readonly #settings: DashboardSettings;
  readonly #transport: HttpTransport;
  /** By the digest of the token; the last is who asked last. */
  readonly #known = new Map<string, ViewerState>();

  constructor(settings: DashboardSettings) {
    const { connection, clock, key } = settings;
    this.#settings = settings;
    const { credentials: _, ...anonymous } = connection;
    this.#transport = new HttpTransport(key === undefined ? anonymous : connection, { clock });
  }

  /** Who has this token; without tokens there is one viewer, whose credentials are the dashboard's. */
  async of(token: string | undefined): Promise<ViewerState> {
    const digest = token === undefined ? '' : createHash('sha256').update(token).digest('base64');
    const known = this.#known.get(digest) ?? this.#newState(token);
    this.#known.delete(digest);
    this.#known.set(digest, known);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_VIEWERS && oldest !== undefined) {
      this.#known.delete(oldest[0]);
      await oldest[1][Symbol.asyncDispose]();
    }
    return known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const state of this.#known.values()) await state[Symbol.asyncDispose]();
    await this.#transport[Symbol.asyncDispose]();
  }

  #newState(token: string | undefined): ViewerState {
    const { connection, clock, random, log } = this.#settings;
    const tools = { clock, random, log, ...(token === undefined ? {} : { token }) };
    return new ViewerState(new Viewer(this.#transport, connection, tools), this.#settings);
  }
}
