import { AbortScope, BoundedQueue, onAbort } from '../../../base/index.ts';
import type { KubernetesObject, Observed } from '../../kind.ts';
import type { List } from '../../resource/list.ts';
import type { ListOptions, WatchEvent, WatchOptions } from '../../resource/options.ts';
import type { ListWatcher } from '../list-watcher.ts';

// A source of lists and watches; the test decides every answer.

/** A minimal object. */
export function thing(
  name: string,
  resourceVersion: number,
  more: { uid?: string; labels?: Record<string, string> } = {},
): Observed<KubernetesObject> {
  const { uid = `uid-${name}`, labels = {} } = more;
  return {
    kind: 'Thing',
    apiVersion: 'example.com/v1',
    metadata: {
      name,
      namespace: 'here',
      uid,
      labels,
      resourceVersion: String(resourceVersion),
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
  };
}

export function changed(
  type: 'ADDED' | 'MODIFIED' | 'DELETED',
  object: Observed<KubernetesObject>,
): WatchEvent<KubernetesObject> {
  return { type, object };
}

export function bookmark(resourceVersion: number, endsInitialEvents = false): WatchEvent<KubernetesObject> {
  return { type: 'BOOKMARK', resourceVersion: String(resourceVersion), endsInitialEvents };
}

/** A watch that a reflector has opened. */
export class OpenWatch {
  readonly options: WatchOptions;
  readonly events = new BoundedQueue<readonly WatchEvent<KubernetesObject>[]>(1000);

  constructor(options: WatchOptions) {
    this.options = options;
  }

  send(...events: readonly WatchEvent<KubernetesObject>[]): void {
    this.events.offer(events);
  }

  /** Ends the watch as a server does. */
  end(): void {
    this.events.close();
  }

  fail(error: Error): void {
    this.events.close(error);
  }
}

export class ScriptedSource implements ListWatcher<KubernetesObject> {
  readonly lists: ListOptions[] = [];
  readonly watches: OpenWatch[] = [];
  /** Answers lists; default an empty list. */
  onList: (options: ListOptions) => List<KubernetesObject> | Error = () => listOf(1);
  /** Rejects a watch by returning an error. */
  onWatch: (options: WatchOptions) => Error | undefined = () => undefined;

  get watch(): OpenWatch {
    const last = this.watches.at(-1);
    if (last === undefined) throw new Error('No watch has been opened');
    return last;
  }

  async list(options: ListOptions): Promise<List<KubernetesObject>> {
    this.lists.push(options);
    const answer = this.onList(options);
    if (answer instanceof Error) throw answer;
    return answer;
  }

  async *watchBatches(options: WatchOptions): AsyncGenerator<readonly WatchEvent<KubernetesObject>[]> {
    const opened = new OpenWatch(options);
    this.watches.push(opened);
    const refusal = this.onWatch(options);
    if (refusal !== undefined) throw refusal;
    using scope = new AbortScope(options.signal);
    using _aborting = onAbort(scope.signal, () => opened.fail(scope.signal.reason as Error));
    yield* opened.events;
  }
}

export function listOf(
  resourceVersion: number,
  ...items: readonly Observed<KubernetesObject>[]
): List<KubernetesObject> {
  return { items, resourceVersion: String(resourceVersion), continue: undefined, remainingItemCount: undefined };
}
