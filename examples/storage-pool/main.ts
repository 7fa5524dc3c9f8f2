// One program, three parts: `main.ts operator`, `main.ts store` in the pods of stores, `main.ts driver NODE FOLDER SOCKET REGISTRY`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mergePatch, run } from 'keelson';
import { connect } from 'keelson/client';
import { poolDriver } from './driver.ts';
import { ADDRESS, storageOperator } from './operator.ts';
import { poolsOf } from './pools-of.ts';
import { openStore } from './store.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());
const [part = 'operator', ...rest] = process.argv.slice(2);
const { env } = process;

switch (part) {
  case 'operator':
    await run(storageOperator(), { install: true });
    break;
  case 'store': {
    // where a process of the machine has its volumes, unless they are at their paths
    const folder = existsSync('/objects') ? '/objects' : join(env['KEELSON_MOUNT_ROOT'] ?? '.', 'objects');
    await using store = await openStore({ folder, host: env['KEELSON_POD_ADDRESS'] ?? env['POD_IP'] ?? '127.0.0.1' });
    await using client = await connect();
    const pods = client.core.v1.pods.namespace(env['POD_NAMESPACE'] ?? 'default');
    const annotations = { [ADDRESS]: store.address };
    await pods.patch(env['POD_NAME'] ?? '', mergePatch({ metadata: { annotations } }));
    console.log(`serving ${folder} at ${store.address}`);
    await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
    break;
  }
  case 'driver': {
    const [node = '', folder = '', socket = '', registerIn] = rest;
    await using client = await connect();
    await poolDriver({ folder, node, pool: poolsOf(client, 'default') })
      .serve({ listen: `unix://${socket}`, ...(registerIn === undefined ? {} : { registerIn }) })
      .run(stop.signal);
    break;
  }
  default:
    throw new Error(`There is no part "${part}": operator, store or driver`);
}
