/** The volumes that pods of a node use, by their names in `status.volumesInUse`. */
export class VolumesInUse {
  readonly #pods = new Map<string, Set<string>>();
  readonly #changed: () => void;

  /** `changed` is called when the node has to report. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  add(volume: string, podUid: string): void {
    const users = this.#pods.get(volume);
    if (users !== undefined) {
      users.add(podUid);
      return;
    }
    this.#pods.set(volume, new Set([podUid]));
    this.#changed();
  }

  /** Releases all volumes of a pod. */
  release(podUid: string): void {
    let isAnyFree = false;
    for (const [volume, users] of this.#pods) {
      if (!users.delete(podUid) || users.size > 0) continue;
      this.#pods.delete(volume);
      isAnyFree = true;
    }
    if (isAnyFree) this.#changed();
  }

  /** Releases one volume of a pod: its driver does not attach volumes any more. */
  remove(volume: string, podUid: string): void {
    const users = this.#pods.get(volume);
    if (users?.delete(podUid) !== true || users.size > 0) return;
    this.#pods.delete(volume);
    this.#changed();
  }

  /** The uids of the pods that use any. */
  pods(): ReadonlySet<string> {
    return new Set([...this.#pods.values()].flatMap((users) => [...users]));
  }

  list(): string[] {
    return [...this.#pods.keys()].toSorted();
  }
}
