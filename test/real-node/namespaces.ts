import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createControlGroups, removeControlGroups, whyNoControlGroups } from './control-groups.ts';
import { ENTER_SCRIPT, INSIDE_SCRIPT, ROOM } from './enter-script.ts';
import { findLeftovers, readSettings, uptimeSeconds } from './leftovers.ts';

/** Followed by the id of the process that made the folder. */
const PREFIX = 'keelson-node-';
/** Lists the control groups that belong to a folder. */
const GROUPS_FILE = 'control-groups';
/** Set inside. */
const MARK = 'KEELSON_INSIDE_NODE';
/** How long the program may take to end after SIGTERM before everything is killed. */
const PATIENCE_MS = 60_000;
const LOGS = /\.log$/;

export interface NamespacesOptions {
  /** The whole run is ended after this long. */
  readonly limitMs: number;
  readonly print: (line: string) => void;
  /** Ends the run before the limit. */
  readonly signal?: AbortSignal;
  /** The program with its arguments; default the calling program with the same arguments. */
  readonly command?: readonly string[];
  /** Gets the logs of the node's parts; default they are removed. */
  readonly logs?: string;
}

/** Why no namespaces can be made here; undefined when they can. */
export function whyNoNamespaces(): string | undefined {
  if (process.platform !== 'linux') return 'a node needs Linux';
  if (process.getuid?.() !== 0) return 'a node needs root';
  const missing = ['unshare', 'nsenter', 'setpriv', 'mount', 'ip', 'bash'].find((name) => !isOnPath(name));
  if (missing !== undefined) return `"${missing}" is not installed`;
  const { status } = spawnSync('unshare', ['--net', '--mount', '--pid', '--cgroup', '--fork', '--mount-proc', 'true']);
  return status === 0 ? whyNoControlGroups() : 'making namespaces is not allowed';
}

function isOnPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, name)));
}

/**
 * Starts the calling program again, or another command, in network, mount, process and control group namespaces of its own, and waits
 * for it. Returns its exit code, or 1 when something was left on the machine; undefined in the program that is inside already.
 *
 * Guarantees: after it has returned no process, mount, interface or control group of the run is left, also when the program was killed.
 */
export async function runInNamespaces(options: NamespacesOptions): Promise<number | undefined> {
  if (isInNamespaces()) return undefined;
  const reason = whyNoNamespaces();
  if (reason !== undefined) throw new Error(`Cannot enter namespaces: ${reason}`);
  await removeAbandoned();
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const settings = await readSettings();
  const controlGroups: string[] = [];
  let code = 1;
  try {
    controlGroups.push(...(await createControlGroups(basename(folder))));
    await writeFile(join(folder, GROUPS_FILE), controlGroups.join('\n'));
    await writeFile(join(folder, 'enter.sh'), ENTER_SCRIPT);
    await writeFile(join(folder, 'inside.sh'), INSIDE_SCRIPT);
    const command = options.command ?? [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    code = await runBounded([join(folder, 'enter.sh'), folder, ...controlGroups, '--', ...command], options);
  } finally {
    const ended = await readFile(join(folder, 'ended'), 'utf8').catch(() => ''); // everything was killed
    const endedAt = ended === '' ? await uptimeSeconds() : Number(ended);
    const names = await readFile(join(folder, 'namespaces'), 'utf8').catch(() => ''); // it did not get so far
    const own = await ownNamespaces();
    const namespaces = new Set(names.split('\n').filter((name) => name !== '' && !own.has(name)));
    if (options.logs !== undefined) await keepLogs(folder, options.logs);
    await removeControlGroups(controlGroups);
    await rm(folder, { recursive: true, force: true });
    const left = await findLeftovers({ folder, controlGroups, namespaces, settings, endedAt });
    for (const line of left) options.print(`left behind: ${line}`);
    options.print(`namespaces are gone: ${left.length} things left behind`);
    if (left.length > 0 && code === 0) code = 1;
  }
  return code;
}

/** A run whose first process was killed leaves its folder and empty control groups to the next one. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = /^keelson-node-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    const folder = join(tmpdir(), name);
    const groups = await readFile(join(folder, GROUPS_FILE), 'utf8').catch(() => ''); // it had made none yet
    await removeControlGroups(groups.split('\n').filter((path) => path !== ''));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether this program was started by runInNamespaces(). */
export function isInNamespaces(): boolean {
  return process.env[MARK] !== undefined;
}

/** The folder that holds a node's files, inside the namespaces. */
export function room(): string {
  if (!isInNamespaces()) throw new Error('A node starts only inside namespaces: call runInNamespaces() first');
  return ROOM;
}

async function runBounded(args: readonly string[], options: NamespacesOptions): Promise<number> {
  const child = spawn('bash', args, { stdio: 'inherit', env: { ...process.env, [MARK]: '1' } });
  let killing: NodeJS.Timeout | undefined;
  const end = (): void => {
    signalInside(child.pid ?? 0);
    killing ??= setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  };
  const limit = setTimeout(() => {
    options.print(`the run is ended after ${Math.round(options.limitMs / 60_000)} minutes`);
    end();
  }, options.limitMs);
  const ignore = (): void => {}; // a terminal sends it to the program inside too, which ends by itself
  process.on('SIGINT', ignore);
  process.once('SIGTERM', end);
  options.signal?.addEventListener('abort', end, { once: true });
  const [code] = (await once(child, 'close')) as [number | null];
  options.signal?.removeEventListener('abort', end);
  process.removeListener('SIGTERM', end);
  process.removeListener('SIGINT', ignore);
  clearTimeout(limit);
  clearTimeout(killing);
  return code ?? 1;
}

/** `unshare` passes no signal on: its child, the first process inside, is asked to end. */
function signalInside(pid: number): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  if (children !== '') process.kill(Number(children.split(' ')[0]), 'SIGTERM');
}

async function ownNamespaces(): Promise<Set<string>> {
  return new Set(await Promise.all(['pid', 'net', 'mnt', 'cgroup'].map((kind) => readlink(`/proc/self/ns/${kind}`))));
}

async function keepLogs(folder: string, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  const isLog = (path: string): boolean => path === folder || LOGS.test(path);
  await cp(folder, target, { recursive: true, filter: isLog });
}
