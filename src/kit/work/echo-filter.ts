/** What the server answers to a write: the object as it is now. */
interface Answer {
  readonly metadata: { readonly resourceVersion: string; readonly deletionTimestamp?: string | undefined };
}

interface Writing {
  writers: number;
  /** What was told meanwhile: all of it, for the newest may be the echo and an older one the news. */
  readonly held: { readonly resourceVersion: string; readonly deliver: () => void }[];
}

const MAX_ECHOES = 10_000;

/**
 * Keeps those who write to objects from being woken by their own changes.
 *
 * The watch may tell of a change before the server's answer is here: changes of an object that is being written to are held
 * back until the answer says which of them is the echo. All others are delivered then.
 * The rule for "full": the oldest echoes are no longer expected, and wake their writer once for nothing.
 */
export class EchoFilter {
  readonly #writing = new Map<string, Writing>();
  /** The version of each object that we wrote last. */
  readonly #echoes = new Map<string, string>();

  /** Delivers the change of an object to this version, unless it is an echo. */
  pass(id: string, { resourceVersion }: { readonly resourceVersion: string }, deliver: () => void): void {
    if (this.#echoes.get(id) === resourceVersion) return;
    const writing = this.#writing.get(id);
    if (writing === undefined) deliver();
    else writing.held.push({ resourceVersion, deliver });
  }

  /**
   * Writes to an object in silence. `isEcho` says of the answer whether it holds nothing that others did meanwhile: a watch
   * that was interrupted tells of it and of our change as one. Unless given, that is a deletion.
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

  /** The object is gone. */
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
