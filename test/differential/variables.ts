/** The values behind `{{name}}` in a case. */
export class Variables {
  readonly #values = new Map<string, string>();

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  get(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`No variable is called "${name}" here`);
    return value;
  }

  /** The text with every `{{name}}` replaced, and every `{{repeat TEXT COUNT}}` written out. */
  fill(text: string): string {
    return text.replaceAll(/\{\{([^{}]+)\}\}/g, (_, inside: string) => {
      const repeat = /^repeat (\S+) (\d+)$/.exec(inside);
      return repeat === null ? this.get(inside) : (repeat[1] ?? '').repeat(Number(repeat[2]));
    });
  }
}
