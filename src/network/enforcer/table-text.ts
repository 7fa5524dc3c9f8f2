/** How many elements one line has. */
const LINE_ELEMENTS = 500;

/** Lines of transactions about one table of the family `inet`. */
export class TableText {
  readonly #table: string;

  constructor(table: string) {
    this.#table = table;
  }

  /** The place of a chain, set or map. */
  at(name: string): string {
    return `inet ${this.#table} ${name}`;
  }

  rule(chain: string, text: string): string {
    return `add rule ${this.at(chain)} ${text}`;
  }

  elements(verb: 'add' | 'delete', name: string, elements: readonly string[]): readonly string[] {
    const lines: string[] = [];
    for (let at = 0; at < elements.length; at += LINE_ELEMENTS)
      lines.push(`${verb} element ${this.at(name)} { ${elements.slice(at, at + LINE_ELEMENTS).join(', ')} }`);
    return lines;
  }

  /** Makes the table. */
  creation(comment: string): string {
    return `add table inet ${this.#table} { ${comment}; }`;
  }

  /** Adding first makes it no error that there is none. */
  removal(): readonly string[] {
    return [`add table inet ${this.#table}`, `delete table inet ${this.#table}`];
  }
}
