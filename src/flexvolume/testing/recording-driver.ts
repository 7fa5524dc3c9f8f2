import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A driver in a folder of drivers that notes each call, and answers as the test wants. */
export class RecordingDriver {
  readonly #folder: string;
  readonly #program: string;
  readonly #log: string;

  constructor(drivers: string, name: string, notes: string) {
    this.#folder = join(drivers, name.replaceAll('/', '~'));
    this.#program = join(this.#folder, name.slice(name.lastIndexOf('/') + 1));
    this.#log = join(notes, `${name.replaceAll('/', '~')}.log`);
  }

  get folder(): string {
    return this.#folder;
  }

  /** Installs the driver, or replaces it. `answers` is the body of a shell script's `case "$1" in`; other commands are not supported. */
  async install(answers: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const script = `#!/bin/sh
{ for word in "$@"; do printf '%s\\t' "$word"; done; printf '\\n'; } >> '${this.#log}'
case "$1" in
${answers}
*) echo '{"status": "Not supported"}'; exit 1 ;;
esac
`;
    const draft = join(this.#folder, '.draft');
    await writeFile(draft, script);
    await chmod(draft, 0o755);
    await rename(draft, this.#program);
  }

  /** All calls so far, each with its words; what is left out of `only` is not shown. */
  async calls(...only: readonly string[]): Promise<readonly (readonly string[])[]> {
    const text = await readFile(this.#log, 'utf8').catch(() => '');
    const lines = text.split('\n').filter((line) => line !== '');
    const calls = lines.map((line) => line.split('\t').slice(0, -1));
    return only.length === 0 ? calls : calls.filter(([command = '']) => only.includes(command));
  }
}
