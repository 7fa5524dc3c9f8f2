import { once } from 'node:events';
import { request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { LineLogger, SeededRandom, VirtualClock } from '../base/index.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { startControlPlane } from './start-control-plane.ts';

interface Answer {
  readonly status: number | undefined;
  readonly body: unknown;
}

interface Started {
  readonly warnings: readonly string[];
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

async function start(options: Pick<ControlPlaneOptions, 'access' | 'serving'>): Promise<Started> {
  const warnings: string[] = [];
  const clock = new VirtualClock();
  const plane = await startControlPlane({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    clock,
    random: new SeededRandom('anonymous'),
    log: new LineLogger({ clock, level: 'warn', write: (line) => warnings.push(line) }),
    signal: new AbortController().signal,
    ...options,
    serving: { ...options.serving, listen: { host: '127.0.0.1', port: 0 } },
  });
  onTestFinished(() => plane[Symbol.asyncDispose]());
  return {
    warnings,
    async get(path, headers = {}) {
      const sent = request(new URL(path, plane.url), { headers, rejectUnauthorized: false, agent: false });
      sent.end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      return { status: answer.statusCode, body: JSON.parse((await buffer(answer)).toString()) as unknown };
    },
  };
}

const PATH = '/api/v1/namespaces';
const WRONG = { Authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` };

test('requests without credentials, or with wrong ones, are refused where the mode AlwaysAllow would allow them everything', async () => {
  const server = await start({ access: { authorization: { modes: ['RBAC', 'AlwaysAllow'] } } });

  expect(server.warnings.filter((line) => line.includes('AlwaysAllow'))).toHaveLength(1);
  for (const headers of [{}, WRONG]) {
    const { status, body } = await server.get(PATH, headers);
    expect({ status, body }).toMatchObject({ status: 401, body: { reason: 'Unauthorized' } });
  }
});

test('they are anonymous in other modes, unless that is off', async () => {
  const server = await start({ access: { authorization: { modes: ['AlwaysDeny'] } } });
  const closed = await start({ access: { anonymousAuth: false, authorization: { modes: ['AlwaysAllow'] } } });

  for (const headers of [{}, WRONG]) expect(await server.get(PATH, headers)).toMatchObject({ status: 403 });
  expect(await closed.get(PATH)).toMatchObject({ status: 401 });
  expect([...server.warnings, ...closed.warnings].filter((line) => line.includes('AlwaysAllow'))).toEqual([]);
});

test('/version answers the version to report', async () => {
  const server = await start({ serving: { reportedVersion: 'v1.36.3-custom' } });

  expect(await server.get('/version')).toMatchObject({ status: 200, body: { gitVersion: 'v1.36.3-custom' } });
});
