import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from './run-program.ts';

export interface UnpackOptions {
  /** The release to take them from, such as `sid`; default those that apt is set up with. */
  readonly release?: string;
  /** Called with what is being done. */
  readonly print?: (line: string) => void;
}

const LEFT_OUT = ['doc', 'man', 'locale', 'info', 'zoneinfo', 'lintian', 'bug'].map((name) => `./usr/share/${name}`);
/** Folders that Debian's base package would make. */
const FOLDERS = [
  'usr/bin',
  'usr/sbin',
  'usr/lib',
  'usr/lib64',
  'etc',
  'tmp',
  'root',
  'home',
  'dev',
  'proc',
  'sys',
  'run',
  'var/log',
];

/** Why Debian packages cannot be had here; undefined when they can. */
export function whyNoDebian(): string | undefined {
  return existsSync('/usr/bin/apt-get') && existsSync('/usr/bin/dpkg-deb')
    ? undefined
    : 'it comes from a Debian package, and this machine has no apt-get';
}

/**
 * Unpacks packages with all that they depend on into a folder of their own, without running their scripts. The machine's own packages stay
 * as they are. A folder that is there is kept: it appears in one step.
 */
export async function unpackDebian(
  packages: readonly string[],
  root: string,
  options: UnpackOptions = {},
): Promise<void> {
  if (existsSync(root)) return;
  const reason = whyNoDebian();
  if (reason !== undefined) throw new Error(`Cannot unpack ${packages.join(', ')}: ${reason}`);
  const work = await mkdtemp(join(tmpdir(), 'keelson-debian-'));
  const scratch = `${root}.unpacking`;
  try {
    await rm(scratch, { recursive: true, force: true });
    await layOut(scratch);
    for (const file of await download(packages, work, options)) {
      const exclude = LEFT_OUT.map((path) => `--exclude=${path}`).join(' ');
      const unpack = `dpkg-deb --fsys-tarfile "$0" | tar -xp --keep-directory-symlink -C "$1" ${exclude}`;
      await runProgram(['bash', '-o', 'pipefail', '-c', unpack, file, scratch]);
    }
    await mkdir(dirname(root), { recursive: true });
    await rename(scratch, root);
  } finally {
    await rm(work, { recursive: true, force: true });
    await rm(scratch, { recursive: true, force: true });
  }
}

async function layOut(root: string): Promise<void> {
  for (const folder of FOLDERS) await mkdir(join(root, folder), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(root, name));
}

/** Lets apt choose and fetch the packages, as for a machine on which nothing is installed. */
async function download(
  packages: readonly string[],
  work: string,
  { release, print }: UnpackOptions,
): Promise<string[]> {
  const archives = join(work, 'archives');
  await mkdir(join(archives, 'partial'), { recursive: true });
  await writeFile(join(work, 'status'), '');
  const settings = [
    'Debug::NoLocking=1',
    'APT::Install-Recommends=false',
    'APT::Sandbox::User=root',
    `Dir::Cache=${work}`,
    `Dir::Cache::archives=${archives}`,
    `Dir::State::status=${join(work, 'status')}`,
    ...(release === undefined ? [] : await sourcesOf(release, work)),
  ].flatMap((setting) => ['-o', setting]);
  if (release !== undefined) {
    print?.(`reading the list of packages of ${release}`);
    await runProgram(['apt-get', '-q', ...settings, 'update']);
  }
  print?.(`fetching ${packages.join(', ')}`);
  await runProgram(['apt-get', '-q', '-y', ...settings, '--download-only', 'install', ...packages]);
  const files = (await readdir(archives)).filter((name) => name.endsWith('.deb'));
  return files.sort().map((name) => join(archives, name));
}

/** Settings with which apt knows one release only, of the first source that it is set up with. */
async function sourcesOf(release: string, work: string): Promise<string[]> {
  const targets = await runProgram(['apt-get', 'indextargets', '--format', '$(REPO_URI) $(CODENAME) $(COMPONENT)']);
  const source = targets.split('\n').find((line) => line.endsWith(' main') && !/-security |-updates /.test(line));
  const [uri] = source?.split(' ') ?? [];
  if (uri === undefined) throw new Error('Cannot find a package source of Debian: apt has none');
  await mkdir(join(work, 'lists', 'partial'), { recursive: true });
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';
  await writeFile(join(work, 'sources.list'), `deb [signed-by=${keys}] ${uri} ${release} main\n`);
  return [
    `Dir::Etc::SourceList=${join(work, 'sources.list')}`,
    'Dir::Etc::SourceParts=/dev/null',
    `Dir::State::Lists=${join(work, 'lists')}`,
    'Acquire::Languages=none',
  ];
}

/** What makes a compiler find headers and libraries in an unpacked root; they come before the machine's own. */
export function compilerEnvironment(root: string): NodeJS.ProcessEnv {
  const libraries = join(root, 'usr', 'lib', triplet());
  return {
    CGO_CFLAGS: `-I${join(root, 'usr', 'include')}`,
    CGO_LDFLAGS: `-L${libraries}`,
    PKG_CONFIG_PATH: join(libraries, 'pkgconfig'),
  };
}

/** A shell script that runs a program of an unpacked root with the libraries of that root. It passes on the name that it was called by. */
export function programText(root: string, program: string): string {
  const libraries = join(root, 'usr', 'lib', triplet());
  return `#!/bin/sh
export XTABLES_LIBDIR=${join(libraries, 'xtables')}
exec ${join(root, loader())} --library-path ${libraries} ${join(root, program)} "$(basename "$0")" "$@"
`;
}

function triplet(): string {
  return process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
}

function loader(): string {
  return process.arch === 'arm64' ? 'lib/ld-linux-aarch64.so.1' : 'lib64/ld-linux-x86-64.so.2';
}
