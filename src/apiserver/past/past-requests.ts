import type { RecentRequests, WriteNote } from '../trace/recent-requests.ts';
import type { FoundEvent } from './past-change.ts';
import type { PastChange } from './past-change.ts';

/** Clocks of requests and of the store may differ by the time that a commit takes. */
const SLACK_MS = 5;

/** Finds the requests that made changes, among those that are kept. */
export class PastRequests {
  readonly #byRevision = new Map<string, WriteNote>();
  /** By the object's name, those that may have written other revisions: answers of bindings say none, and a deletion may write twice. */
  readonly #others = new Map<string, WriteNote[]>();

  constructor(recent: RecentRequests) {
    for (const note of recent.writes()) {
      const { wrote } = note;
      if (wrote === undefined) continue;
      const { name, resourceVersion } = wrote;
      if (resourceVersion !== undefined && !this.#byRevision.has(resourceVersion))
        this.#byRevision.set(resourceVersion, note);
      if (resourceVersion === undefined || note.method === 'DELETE')
        this.#others.set(name, [...(this.#others.get(name) ?? []), note]);
    }
  }

  of({ revision, timeMs, place, event }: FoundEvent): Pick<PastChange, 'user' | 'request'> {
    const { kind, name, namespace } = place;
    const segment = `/${kind.resource.plural}/${name}`;
    const isIn = ({ path, receivedAt, durationMs }: WriteNote): boolean =>
      path.split('?', 1)[0]?.includes(segment) === true &&
      (namespace === '' || path.includes(`/namespaces/${namespace}/`)) &&
      timeMs >= receivedAt - SLACK_MS &&
      timeMs <= receivedAt + durationMs + SLACK_MS;
    const found =
      this.#byRevision.get(String(revision)) ??
      (event.previous === undefined ? undefined : this.#others.get(name)?.findLast(isIn));
    return found === undefined ? {} : { user: found.user, request: found.id };
  }
}
