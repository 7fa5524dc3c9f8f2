import { StatusError } from '../../api/client.ts';
import type { KubernetesObject, Observed } from '../kind.ts';
import type { Requester } from '../request/requester.ts';
import { type List, readList } from './list.ts';
import { callOptions, type ListOptions, selectionQuery, type WatchEvent, type WatchOptions } from './options.ts';
import type { Representation } from './representation.ts';
import type { ResourcePath } from './resource-path.ts';

/** The page size of kubectl and client-go. */
const PAGE_SIZE = 500;

/** Lists and watches of one resource. */
export class ResourceReader<T extends KubernetesObject> {
  readonly #requester: Requester;
  readonly #path: ResourcePath;
  readonly #form: Representation;

  constructor(requester: Requester, path: ResourcePath, form: Representation) {
    this.#requester = requester;
    this.#path = path;
    this.#form = form;
  }

  async page(options: ListOptions = {}): Promise<List<T>> {
    const { limit = PAGE_SIZE, resourceVersion, resourceVersionMatch } = options;
    const isContinued = options.continue !== undefined;
    const answer = await this.#requester.object({
      method: 'GET',
      path: this.#path.collection,
      accept: this.#form.acceptList,
      query: {
        ...selectionQuery(options),
        limit: limit === 0 ? undefined : limit,
        continue: options.continue,
        // a continued list keeps its resource version; the server rejects another one
        ...(isContinued ? {} : { resourceVersion, resourceVersionMatch }),
      },
      ...callOptions(options),
    });
    return readList(answer, this.#form.typeMeta ?? this.#path.kind);
  }

  async *pages(options: ListOptions = {}): AsyncGenerator<List<T>> {
    let next: string | undefined = options.continue;
    do {
      const page: List<T> = await this.page({ ...options, continue: next });
      yield page;
      next = page.continue;
    } while (next !== undefined);
  }

  async *items(options: ListOptions = {}): AsyncGenerator<Observed<T>> {
    for await (const page of this.pages(options)) yield* page.items;
  }

  /** If a page comes so late that the continue token has expired, fetches everything at once instead. */
  async list(options: ListOptions = {}): Promise<List<T>> {
    const items: Observed<T>[] = [];
    let last: List<T> | undefined;
    try {
      for await (const page of this.pages(options)) {
        for (const item of page.items) items.push(item);
        last = page;
      }
    } catch (error) {
      if (last === undefined || !(error instanceof StatusError) || error.code !== 410) throw error;
      return await this.page({ ...options, limit: 0, continue: undefined });
    }
    return { items, resourceVersion: last?.resourceVersion ?? '', continue: undefined, remainingItemCount: undefined };
  }

  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    for await (const batch of this.watchBatches(options)) yield* batch;
  }

  watchBatches(options: WatchOptions = {}): AsyncGenerator<readonly WatchEvent<T>[]> {
    const { resourceVersion, resourceVersionMatch, allowWatchBookmarks, sendInitialEvents, timeoutSeconds } = options;
    return this.#requester.events({
      method: 'GET',
      path: this.#path.collection,
      accept: this.#form.acceptObject,
      query: {
        watch: true,
        ...selectionQuery(options),
        resourceVersion,
        resourceVersionMatch,
        allowWatchBookmarks,
        sendInitialEvents,
        timeoutSeconds,
      },
      ...callOptions(options),
    }) as AsyncGenerator<readonly WatchEvent<T>[]>; // the requester throws ERROR events
  }
}
