import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RecordedCall, RecordingPlugins } from '../../../src/cni/testing/recording-plugins.ts';
import { type RecordedList, recordedLists } from './recorded-lists.ts';

/** What a runner did: each call of a plugin, what was cached after each step, and whether the step succeeded. */
interface Recording {
  readonly calls: readonly RecordedCall[];
  readonly steps: readonly StepRecord[];
}

interface StepRecord {
  readonly isSuccess: boolean;
  /** The result of ADD. */
  readonly printed: unknown;
  /** Cached files by name. */
  readonly cache: Readonly<Record<string, string>>;
}

/** A program that runs networks, with the arguments `COMMAND NETWORK NETNS`. */
type Runner = readonly string[];

/** Runs each list by cnitool and by ours; returns what differs. */
export async function compareRuns(
  { cnitool, keelson }: { readonly cnitool: string; readonly keelson: readonly string[] },
  print: (line: string) => void,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const list of recordedLists) {
    const theirs = await record(list, [cnitool]);
    const ours = await record(list, keelson);
    const differences = differencesOf(theirs, ours, list);
    print(`${differences.length === 0 ? 'ok  ' : 'FAIL'} ${list.title}: ${theirs.calls.length} calls`);
    problems.push(...differences.map((each) => `${list.title}: ${each}`));
  }
  return problems;
}

async function record(list: RecordedList, runner: Runner): Promise<Recording> {
  const plugins = await RecordingPlugins.create('one', 'two', 'three');
  const cache = await mkdtemp(join(tmpdir(), 'keelson-cni-cache-'));
  try {
    for (const [file, content] of Object.entries(list.files)) await plugins.network(file, content);
    await prepare(plugins, list.answers);
    const steps: StepRecord[] = [];
    for (const { command, netns, environment = {}, answers = {} } of list.steps) {
      await prepare(plugins, answers);
      const env = { NETCONFPATH: plugins.networks, CNI_PATH: plugins.programs, ...environment };
      const { isSuccess, stdout } = await run([...runner, command, list.network, netns], env, cache);
      steps.push({
        isSuccess,
        printed: isSuccess && command === 'add' ? JSON.parse(stdout) : undefined,
        cache: await filesOf(cache),
      });
    }
    const calls = (await plugins.calls()).map(({ plugin, environment, input }) => ({
      plugin,
      input,
      environment: { ...environment, CNI_PATH: environment['CNI_PATH']?.replace(plugins.folder, '') ?? '' },
    }));
    return { calls, steps };
  } finally {
    await plugins[Symbol.asyncDispose]();
    await rm(cache, { recursive: true, force: true });
  }
}

async function prepare(plugins: RecordingPlugins, answers: RecordedList['answers']): Promise<void> {
  for (const [type, { result, fail }] of Object.entries(answers)) {
    if (result !== undefined) await plugins.answer(type, result);
    await plugins.fail(type, undefined).catch(() => undefined); // it did not fail before
    if (fail !== undefined) await plugins.fail(type, fail);
  }
}

/** Runs a command in a mount namespace of its own, where libcni's only folder for results is ours. */
function run(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  cache: string,
): Promise<{ readonly isSuccess: boolean; readonly stdout: string }> {
  const script = 'mkdir -p /var/lib/cni; mount --bind "$CACHE" /var/lib/cni; unset CACHE; exec "$@"';
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', CACHE: cache, ...environment };
  return new Promise((resolve) => {
    execFile('unshare', ['--mount', 'sh', '-c', script, 'sh', ...command], { env }, (error, stdout) =>
      resolve({ isSuccess: error === null, stdout }),
    );
  });
}

async function filesOf(cache: string): Promise<Readonly<Record<string, string>>> {
  const folder = join(cache, 'results');
  const names = (await readdir(folder).catch(() => [])).sort(); // nothing was cached yet
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, at) => [name, texts[at] ?? '']));
}

/** Texts are compared byte for byte, but for results before 1.0: libcni writes those in the order of its structures. */
function differencesOf(theirs: Recording, ours: Recording, { files, answers }: RecordedList): readonly string[] {
  const texts = JSON.stringify([files, answers]);
  const isOrdered = texts.includes('"cniVersion"') && !texts.includes('"cniVersion":"0.');
  const same = (left: string, right: string): boolean =>
    isOrdered ? left === right : JSON.stringify(sorted(JSON.parse(left))) === JSON.stringify(sorted(JSON.parse(right)));
  const found: string[] = [];
  const differs = (what: string, theirs: unknown, ours: unknown): void =>
    void found.push(`${what} differs:\n  libcni  ${JSON.stringify(theirs)}\n  keelson ${JSON.stringify(ours)}`);
  const orders = [theirs, ours].map(({ calls }) =>
    calls.map((call) => `${call.environment['CNI_COMMAND']} ${call.plugin}`),
  );
  if (JSON.stringify(orders[0]) !== JSON.stringify(orders[1])) differs('the order of calls', orders[0], orders[1]);
  for (const [at, call] of theirs.calls.entries()) {
    const other = ours.calls[at];
    const name = `call ${at} (${call.environment['CNI_COMMAND']} ${call.plugin})`;
    if (JSON.stringify(call.environment) !== JSON.stringify(other?.environment))
      differs(`the environment of ${name}`, call.environment, other?.environment);
    if (other === undefined || !same(call.input, other.input))
      differs(`the input of ${name}`, call.input, other?.input);
  }
  for (const [at, step] of theirs.steps.entries()) {
    const other = ours.steps[at];
    if (step.isSuccess !== other?.isSuccess) differs(`whether step ${at} succeeds`, step.isSuccess, other?.isSuccess);
    if (JSON.stringify(sorted(step.printed)) !== JSON.stringify(sorted(other?.printed)))
      differs(`what step ${at} prints`, step.printed, other?.printed);
    const names = [Object.keys(step.cache), Object.keys(other?.cache ?? {})];
    if (JSON.stringify(names[0]) !== JSON.stringify(names[1]))
      differs(`the files of the cache after step ${at}`, names[0], names[1]);
    for (const [file, text] of Object.entries(step.cache)) {
      const mine = other?.cache[file];
      if (mine === undefined || !same(text, mine)) differs(`the cached file "${file}" after step ${at}`, text, mine);
    }
  }
  return found;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
