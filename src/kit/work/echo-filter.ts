/** The server's answer to a write: the object's new state. */
interface Answer {
  readonly metadata: { readonly resourceVersion: string; readonly deletionTimestamp?: string | undefined };
}

interface Writing {
  writers: number;
  /** All changes received meanwhile: the newest may be the echo, while an older one is news. */
  readonly held: { readonly resourceVersion: string; readonly deliver: () => void }[];
}

const MAX_ECHOES = 10_000;

/**
 * Keeps writers from being woken by their own changes.
 *
 * The watch may deliver a change before the server's answer arrives: changes of an object that is being written are held
 * back until the answer shows which of them is the echo. All others are then delivered.
 * When it is full, the oldest echoes are forgotten, and each wakes its writer once without need.
 */
export class EchoFilter {
  readonly #writing = new Map<string, Writing>();
  /** The version of the last own write, by object. */
  readonly #echoes = new Map<string, string>();

  /** Delivers a change of an object to this version unless it is an echo. */
  pass(id: string, { resourceVersion }: { readonly resourceVersion: string }, deliver: () => void): void {
    if (this.#echoes.get(id) === resourceVersion) return;
    const writing = this.#writing.get(id);
    if (writing === undefined) deliver();
    else writing.held.push({ resourceVersion, deliver });
  }

  /**
   * Writes to an object without waking the writer. `isEcho` says whether the answer contains no change by others: an
   * interrupted watch delivers theirs and ours as one. Default: true unless the object is being deleted.
   */
  async write<A extends Answer>(
    id: string,
    write: () => Promise<A>,
    isEcho: (answer: A) => boolean = ({ metadata }) => metadata.deletionTimestamp === undefined,
  ): Promise<A> {
    const writing = this.#begin(id);
    try {
      const answer = await write();
      if (isEcho(answer)) this.#expect(id, answer.metadata.resourceVersion);
      return answer;
    } finally {
      this.#end(id, writing);
    }
  }

  /** Forgets a deleted object. */
  forget(id: string): void {
    this.#echoes.delete(id);
  }

  #begin(id: string): Writing {
    const writing = this.#writing.get(id) ?? { writers: 0, held: [] };
    writing.writers += 1;
    this.#writing.set(id, writing);
    return writing;
  }

  #end(id: string, writing: Writing): void {
    writing.writers -= 1;
    if (writing.writers > 0) return;
    this.#writing.delete(id);
    for (const { resourceVersion, deliver } of writing.held) {
      if (this.#echoes.get(id) !== resourceVersion) deliver();
    }
  }

  #expect(id: string, resourceVersion: string): void {
    this.#echoes.delete(id);
    this.#echoes.set(id, resourceVersion);
    if (this.#echoes.size <= MAX_ECHOES) return;
    for (const oldest of this.#echoes.keys()) return void this.#echoes.delete(oldest);
  }
}
