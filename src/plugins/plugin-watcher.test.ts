import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../base/index.ts';
import type { Plugin, PluginHandler } from './plugin-handler.ts';
import { servePluginSocket } from './plugin-socket.ts';
import { PluginWatcher } from './plugin-watcher.ts';

const tools = { clock: new RealClock(), random: new CryptoRandom(), log: discardLogger };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plugins-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('registers the plugins whose sockets are there and those that come, also in folders below', async () => {
  await using first = await served('one', 'a.sock');
  await using watching = watch();
  await watching.until('register one');
  await first.until(true);

  await mkdir(join(folder, 'below'));
  await using second = await served('two', 'below/b.sock');
  await second.until(true);

  expect(watching.calls).toEqual(['validate one', 'register one', 'validate two', 'register two']);
  await expect
    .poll(() => watching.plugins())
    .toEqual([
      {
        type: 'CSIPlugin',
        name: 'one',
        endpoint: '/csi/one.sock',
        versions: ['1.0.0'],
        socket: join(folder, 'a.sock'),
      },
      expect.objectContaining({ name: 'two' }),
    ]);
});

test('deregisters a plugin whose socket is removed, and registers it again when the socket is made again', async () => {
  await using watching = watch();
  {
    await using plugin = await served('one', 'a.sock');
    await plugin.until(true);
  }
  await watching.until('deregister one');
  expect(watching.plugins()).toEqual([]);

  await using again = await served('one', 'a.sock');
  await again.until(true);
  expect(watching.calls).toEqual([
    ...['validate one', 'register one', 'deregister one'],
    ...['validate one', 'register one'],
  ]);
});

test('a socket that another one takes the place of is deregistered before the other is registered', async () => {
  await using watching = watch();
  await using first = await served('one', 'a.sock');
  await first.until(true);

  await using second = await served('two', '.b.sock');
  expect(watching.calls).toEqual(['validate one', 'register one']); // hidden names do not count
  await rename(join(folder, '.b.sock'), join(folder, 'a.sock'));
  await second.until(true);

  expect(watching.calls).toEqual([
    ...['validate one', 'register one', 'deregister one'],
    ...['validate two', 'register two'],
  ]);
});

test('sends the plugin the reason of a refusal, and tries again', async () => {
  let isReady = false;
  await using watching = watch({
    register: async () => {
      if (!isReady) throw new Error('the node is not there yet');
    },
  });
  await using plugin = await served('one', 'a.sock');
  await plugin.until(false);
  expect(plugin.errors[0]).toBe(
    'RegisterPlugin error -- plugin registration failed with err: the node is not there yet',
  );
  isReady = true;
  await plugin.until(true);
  await expect.poll(() => watching.plugins()).toHaveLength(1);
});

test('refuses plugins that the handler cannot use, and those of other types', async () => {
  await using _watching = watch({
    validate: () => {
      throw new Error('versions are not supported');
    },
  });
  await using csi = await served('one', 'a.sock');
  await using other = await served('two', 'b.sock', 'DevicePlugin');
  await csi.until(false);
  await other.until(false);

  expect(csi.errors[0]).toBe('RegisterPlugin error -- plugin validation failed with err: versions are not supported');
  expect(other.errors[0]).toBe(
    `RegisterPlugin error -- no handler registered for plugin type: DevicePlugin at socket ${join(folder, 'b.sock')}`,
  );
});

test('ignores files that are no sockets, and leaves plugins registered when it stops', async () => {
  await writeFile(join(folder, 'note.txt'), 'x');
  const watching = watch();
  await using plugin = await served('one', 'a.sock');
  await plugin.until(true);
  await watching[Symbol.asyncDispose]();
  expect(watching.calls).toEqual(['validate one', 'register one']);
});

interface Watching extends AsyncDisposable {
  readonly calls: readonly string[];
  plugins(): readonly Plugin[];
  until(call: string): Promise<void>;
}

function watch(special: Partial<PluginHandler> = {}): Watching {
  const calls: string[] = [];
  const handler: PluginHandler = {
    type: 'CSIPlugin',
    validate: (plugin) => {
      calls.push(`validate ${plugin.name}`);
      return special.validate?.(plugin);
    },
    register: async (plugin, signal) => {
      await special.register?.(plugin, signal);
      calls.push(`register ${plugin.name}`);
    },
    deregister: async ({ name }) => void calls.push(`deregister ${name}`),
  };
  const watcher = new PluginWatcher({ folder, handlers: [handler], ...tools });
  const stop = new AbortController();
  const running = watcher.run(stop.signal);
  return {
    calls,
    plugins: () => watcher.plugins(),
    until: (call) => vi.waitFor(() => expect(calls).toContain(call), { timeout: 120_000 }),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

interface ServedPlugin extends AsyncDisposable {
  readonly errors: readonly string[];
  until(isRegistered: boolean): Promise<void>;
}

async function served(
  name: string,
  file: string,
  type: 'CSIPlugin' | 'DevicePlugin' = 'CSIPlugin',
): Promise<ServedPlugin> {
  const errors: string[] = [];
  let registered = 0;
  const server = await servePluginSocket({
    ...{ type, name, clock: tools.clock },
    socket: join(folder, file),
    endpoint: `/csi/${name}.sock`,
    versions: ['1.0.0'],
    notified: ({ isRegistered, error }) => {
      if (isRegistered) registered += 1;
      else errors.push(error);
    },
  });
  return {
    errors,
    until: (isRegistered) =>
      vi.waitFor(() => expect(isRegistered ? registered : errors.length).toBeGreaterThan(0), { timeout: 120_000 }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
