import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One call of a plugin. */
export interface RecordedCall {
  readonly plugin: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly input: string;
}

/**
 * Plugins that write down how they were called, and give the answers that a test prepares: shell scripts in a folder that is removed at the end.
 * A plugin answers ADD with `RESULT` of its folder, and fails with `FAIL` of its folder, which is what it prints.
 */
export class RecordingPlugins implements AsyncDisposable {
  readonly folder: string;

  static async create(...types: readonly string[]): Promise<RecordingPlugins> {
    const plugins = new RecordingPlugins(await mkdtemp(join(tmpdir(), 'keelson-cni-')));
    for (const type of types) await plugins.add(type);
    return plugins;
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  get programs(): string {
    return join(this.folder, 'bin');
  }

  get cache(): string {
    return join(this.folder, 'cache');
  }

  get networks(): string {
    return join(this.folder, 'net.d');
  }

  async add(type: string): Promise<void> {
    const answers = join(this.folder, 'answers', type);
    const calls = join(this.folder, 'calls');
    for (const each of [answers, calls, this.programs, this.networks]) await mkdir(each, { recursive: true });
    const path = join(this.programs, type);
    await writeFile(path, scriptOf({ type, answers, calls }));
    await chmod(path, 0o755);
  }

  /** What the plugin prints when it is called with ADD. */
  async answer(type: string, result: unknown): Promise<void> {
    await writeFile(join(this.folder, 'answers', type, 'RESULT'), JSON.stringify(result));
  }

  /** The plugin prints this and fails, whatever it is called with; undefined: it succeeds again. */
  async fail(type: string, printed: string | undefined): Promise<void> {
    const path = join(this.folder, 'answers', type, 'FAIL');
    if (printed === undefined) await rm(path);
    else await writeFile(path, printed);
  }

  async network(file: string, content: unknown): Promise<void> {
    const path = join(this.networks, file);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  }

  /** All calls so far, in order. */
  async calls(): Promise<readonly RecordedCall[]> {
    const folder = join(this.folder, 'calls');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.env')).sort();
    return Promise.all(
      names.map(async (name) => {
        const environment = await readFile(join(folder, name), 'utf8');
        const input = await readFile(join(folder, name.replace('.env', '.in')), 'utf8');
        return { plugin: name.replace(/^\d+-|\.env$/g, ''), environment: cniVariables(environment), input };
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

function cniVariables(text: string): Readonly<Record<string, string>> {
  const pairs = text.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^(CNI_\w+)=(.*)$/.exec(line) ?? [];
    return name === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(pairs.sort(([left], [right]) => (left < right ? -1 : 1)));
}

function scriptOf({ type, answers, calls }: { type: string; answers: string; calls: string }): string {
  return `#!/bin/sh
n=0
while ! mkdir '${calls}'/taken.$n 2>/dev/null; do n=$((n+1)); done
file='${calls}'/$(printf %04d $n)-${type}
cat > $file.in
env > $file.env
if [ -f '${answers}/FAIL' ]; then cat '${answers}/FAIL'; exit 1; fi
case $CNI_COMMAND in
  VERSION) printf '{"cniVersion":"1.1.0","supportedVersions":["0.3.1","0.4.0","1.0.0","1.1.0"]}' ;;
  ADD) cat '${answers}/RESULT' ;;
esac
exit 0
`;
}
