// Watches a logind that the test has started in namespaces of its own, and prints what it has seen.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { discardLogger, type Logger, RealClock } from '../../src/base/index.ts';
import { LogindShutdown } from '../../src/linux/shutdown/logind-shutdown.ts';

const run = promisify(execFile);
const clock = new RealClock();
const messages: string[] = [];
let watched: () => void = () => undefined;
const log: Logger = {
  ...discardLogger,
  info: (message) => {
    messages.push(message);
    watched();
  },
  error: (message, fields) => void messages.push(`${message}: ${String(fields?.['error'])}`),
};

const emit = (isShuttingDown: boolean): Promise<unknown> =>
  run('busctl', [
    ...['emit', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager', 'PrepareForShutdown'],
    ...['b', String(isShuttingDown)],
  ]);

async function inhibitors(): Promise<readonly string[]> {
  const { stdout } = await run('systemd-inhibit', ['--list', '--no-legend', '--no-pager']);
  return stdout.split('\n').flatMap((line) => (line.includes('kubelet') ? [line.replaceAll(/ +/g, ' ').trim()] : []));
}

/** The list of logind follows the processes within a moment. */
async function until(isHeld: boolean): Promise<boolean> {
  for (let look = 0; look < 500; look++) {
    if ((await inhibitors()).length > 0 === isHeld) return true;
    await clock.sleep(10);
  }
  return false;
}

async function watchOnce(): Promise<object> {
  const source = new LogindShutdown({ clock, log, neededMs: 3000 });
  const stop = new AbortController();
  const isWatched = new Promise<void>((resolve) => (watched = resolve));
  const seen: boolean[] = [];
  const held: boolean[] = [];
  let next: () => void = () => undefined;
  const following = (async () => {
    for await (const isShuttingDown of source.announcements(stop.signal)) {
      seen.push(isShuttingDown);
      if (isShuttingDown) await source.release();
      next();
    }
  })();
  await isWatched;
  held.push(await until(true));
  const [line = ''] = await inhibitors();
  for (const isShuttingDown of [true, false]) {
    const announced = new Promise<void>((resolve) => (next = resolve));
    await emit(isShuttingDown);
    await announced;
    held.push(await until(!isShuttingDown));
  }
  stop.abort();
  await following;
  held.push(await until(false));
  return { seen, held, line: line.replaceAll(/ \d+ root \d+ /g, ' ') };
}

/** logind waits for 5 s by default, and no process passes on the signal by which it would read its settings. */
async function watchTooLong(): Promise<object> {
  const settings = '/run/logind.conf.d';
  const source = new LogindShutdown({ clock, log, neededMs: 30_000, settings });
  const stop = new AbortController();
  const failed = new Promise<void>((resolve) => {
    const push = messages.push.bind(messages);
    messages.push = (...words) => {
      resolve();
      return push(...words);
    };
  });
  const following = (async () => {
    for await (const _ of source.announcements(stop.signal)) continue;
  })();
  await failed;
  stop.abort();
  await following;
  return { message: messages.at(-1), written: await readFile(`${settings}/99-kubelet.conf`, 'utf8') };
}

console.log(JSON.stringify({ once: await watchOnce(), tooLong: await watchTooLong() }));
