import { signal } from '@preact/signals';
import type { KubernetesObject, PastState } from '../../protocol.ts';
import { nextFrame, sleep } from '../browser/clock.ts';
import { ApiError, errorFromStatus, isAway, isExpired, messageOf } from './api-error.ts';
import type { Connection } from './connection.ts';
import { apiVersionOf, pathOf, resourceName, type ResourceKind } from './resource-kind.ts';

export interface ObjectQuery {
  readonly kind: ResourceKind;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** A revision of the past. */
  readonly at?: number | undefined;
  readonly isRevealed?: boolean;
}

interface List {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubernetesObject[];
}

interface WatchLine {
  readonly type: string;
  readonly object: KubernetesObject;
}

/** More objects than this are not kept: views of whole objects show few. */
const MAX_OBJECTS = 500;
const POLL_MS = 4_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

/** Whole objects, kept current by a watch: one by name, or those that a selector chooses. */
export class ObjectList {
  readonly objects = signal<readonly KubernetesObject[]>([]);
  readonly isLoaded = signal(false);
  readonly error = signal<ApiError | undefined>(undefined);
  readonly query: ObjectQuery;
  readonly #connection: Connection;
  readonly #known = new Map<string, KubernetesObject>();
  #isShowing = false;

  constructor(connection: Connection, query: ObjectQuery) {
    this.#connection = connection;
    this.query = query;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.query.at !== undefined) return this.#loadPast(signal);
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      try {
        const resourceVersion = await this.#list(signal);
        retryMs = FIRST_RETRY_MS;
        await this.#watch(resourceVersion, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isExpired(error)) continue;
        if (!isAway(error) || !this.isLoaded.value) this.error.value = asApiError(error);
        await sleep(retryMs, signal);
        retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
      }
    }
  }

  async #loadPast(signal: AbortSignal): Promise<void> {
    const { kind, namespace, name, at } = this.query;
    const parameters = new URLSearchParams({ at: String(at), resource: resourceName(kind) });
    if (namespace !== undefined && namespace !== '') parameters.set('namespace', namespace);
    if (name !== undefined) parameters.set('name', name);
    try {
      const state = await this.#connection.own<PastState>(`state?${parameters}`, { signal });
      this.objects.value = state.items;
    } catch (error) {
      if (!signal.aborted) this.error.value = asApiError(error);
    }
    this.isLoaded.value = true;
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { kind, namespace } = this.query;
    const parameters = this.#parameters();
    parameters.set('limit', String(MAX_OBJECTS));
    const list = await this.#connection.clusterJson<List>(
      `${pathOf(kind, { namespace })}?${parameters}`,
      this.#options(signal),
    );
    this.#known.clear();
    for (const object of list.items ?? []) this.#keep({ apiVersion: apiVersionOf(kind), kind: kind.kind, ...object });
    this.#show();
    this.isLoaded.value = true;
    this.error.value = undefined;
    return list.metadata?.resourceVersion ?? '';
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { kind, namespace } = this.query;
    const parameters = this.#parameters();
    parameters.set('watch', '1');
    parameters.set('allowWatchBookmarks', 'true');
    parameters.set('timeoutSeconds', '600');
    parameters.set('resourceVersion', resourceVersion);
    const lines = this.#connection.watch(`${pathOf(kind, { namespace })}?${parameters}`, this.#options(signal));
    if (lines === undefined) return sleep(POLL_MS, signal);
    for await (const line of lines) {
      if (line === '') continue;
      const { type, object } = JSON.parse(line) as WatchLine;
      if (type === 'ERROR') throw errorFromStatus(object);
      if (type === 'BOOKMARK') continue;
      if (type === 'DELETED') this.#known.delete(keyOf(object));
      else this.#keep(object);
      if (!this.#isShowing) void this.#showSoon();
    }
  }

  #keep(object: KubernetesObject): void {
    this.#known.set(keyOf(object), object);
    const oldest = this.#known.keys().next().value;
    if (this.#known.size > MAX_OBJECTS && oldest !== undefined) this.#known.delete(oldest);
  }

  async #showSoon(): Promise<void> {
    this.#isShowing = true;
    await nextFrame();
    this.#isShowing = false;
    this.#show();
  }

  #show(): void {
    this.objects.value = [...this.#known.values()];
  }

  #parameters(): URLSearchParams {
    const { name, fieldSelector, labelSelector } = this.query;
    const parameters = new URLSearchParams();
    const fields = [name === undefined ? undefined : `metadata.name=${name}`, fieldSelector].filter(Boolean).join(',');
    if (fields !== '') parameters.set('fieldSelector', fields);
    if (labelSelector !== undefined) parameters.set('labelSelector', labelSelector);
    return parameters;
  }

  #options(signal: AbortSignal): { signal: AbortSignal; isRevealed: boolean } {
    return { signal, isRevealed: this.query.isRevealed === true };
  }
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, 'Unknown', { message: messageOf(error) });
}
