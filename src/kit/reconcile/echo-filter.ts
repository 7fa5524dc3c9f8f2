import type { KubernetesObject, Observed } from '../../client/index.ts';

interface Writing {
  writers: number;
  /** What was heard meanwhile. */
  readonly held: { readonly resourceVersion: string; readonly deliver: () => void }[];
}

const MAX_ECHOES = 10_000;

/**
 * Keeps a controller from being woken by the changes that the kit makes for it.
 *
 * The watch may tell of a change before the server's answer is here: news of an object that is being written to is held
 * back until the answer says which of it is the echo.
 * The rule for "full": the oldest echoes are no longer expected, and wake the controller once for nothing.
 */
export class EchoFilter {
  readonly #writing = new Map<string, Writing>();
  /** The version of each object that we wrote last. */
  readonly #echoes = new Map<string, string>();

  /** Delivers the news of an object, unless it is an echo. */
  hear(id: string, { resourceVersion }: { readonly resourceVersion: string }, deliver: () => void): void {
    if (this.#echoes.get(id) === resourceVersion) return;
    const writing = this.#writing.get(id);
    if (writing === undefined) deliver();
    else writing.held.push({ resourceVersion, deliver });
  }

  /** Writes to an object in silence. `isEcho` says of the answer whether it holds nothing that others have to hear of. */
  async write<T extends KubernetesObject>(
    id: string,
    write: () => Promise<Observed<T>>,
    isEcho: (answer: Observed<T>) => boolean = () => true,
  ): Promise<Observed<T>> {
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
