/** What an object says about its name. */
interface NamedByServer {
  readonly metadata?: { readonly name?: string | undefined; readonly generateName?: string | undefined } | undefined;
}

/** A suffix that the server has generated. */
const SUFFIX = '*';

/** Replaces generated names by what they were generated from, so that two runs call the same object the same. */
export class GeneratedNames {
  readonly #known = new Map<string, string>();

  /** Learns the name of an object. */
  note({ metadata }: NamedByServer): void {
    const { name, generateName } = metadata ?? {};
    if (name === undefined || generateName === undefined || !name.startsWith(generateName)) return;
    this.#known.set(name, `${this.plain(generateName)}${SUFFIX}`);
  }

  /** A text with every generated name in it replaced. */
  plain(text: string): string {
    let plain = text;
    for (const [name, generic] of this.#known) if (plain.includes(name)) plain = plain.replaceAll(name, generic);
    return plain;
  }
}
