import { chmod, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program of the folder: its command, and its answer to `--help`. */
export interface Asset {
  readonly name: string;
  readonly command: readonly string[];
  readonly help: string;
}

/**
 * Makes a folder of programs for KUBEBUILDER_ASSETS; correct files are not rewritten, so that suites that are running
 * are not disturbed.
 */
export async function makeAssets(folder: string, assets: readonly Asset[], kubectl: string | undefined): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, command, help } of assets) {
    const [path, helpPath] = [join(folder, name), join(folder, `${name}.help`)];
    await writeUnlessSame(helpPath, `${help}\n`, 0o644);
    await writeUnlessSame(path, script(command, helpPath), 0o755);
  }
  if (kubectl !== undefined) await linkUnlessSame(join(folder, 'kubectl'), kubectl);
}

/** envtest asks for the flags before each start: `cat` answers without starting Node. */
function script(command: readonly string[], helpPath: string): string {
  return `#!/bin/sh
# Written by "keelson envtest".
if [ "$*" = --help ]; then exec cat ${quoted(helpPath)}; fi
exec ${command.map(quoted).join(' ')} "$@"
`;
}

/** Quotes any text as one word of a shell command. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

async function writeUnlessSame(path: string, text: string, mode: number): Promise<void> {
  const there = await readFile(path, 'utf8').catch(() => undefined); // an unreadable file is replaced
  if (there === text) return;
  const written = `${path}.${process.pid}`;
  await writeFile(written, text, { mode });
  await chmod(written, mode);
  await rename(written, path);
}

async function linkUnlessSame(path: string, target: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return; // not a link
  const made = `${path}.${process.pid}`;
  await rm(made, { force: true });
  await symlink(target, made);
  await rename(made, path);
}

/** The first program of that name on the PATH, outside of `folder`. */
export function findOnPath(name: string, path: string, folder: string): string | undefined {
  const candidates = path.split(delimiter).filter((each) => each !== '' && each !== folder);
  return candidates.map((each) => join(each, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // missing, or not executable
  }
}
