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

  list(): string[] {
    return [...this.#pods.keys()].toSorted();
  }
}
