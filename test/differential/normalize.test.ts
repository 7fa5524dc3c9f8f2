import { describe, expect, test } from 'vitest';
import type { Step } from './case.ts';
import { normalize } from './normalize.ts';
import type { Answer, Played } from './play-case.ts';

const NOW = 'Sun, 15 Nov 2026 08:00:00 GMT';
const UIDS = ['11111111-2222-3333-4444-555555555555', '66666666-7777-8888-9999-000000000000'];

function answer(value: unknown, step: Partial<Step> = {}, headers: Record<string, string[]> = {}): Answer {
  return {
    step: { isSetup: false, extent: 'all', moreHeaders: [], ...step } as Step,
    reply: { status: 200, headers: { date: [NOW], ...headers }, body: Buffer.alloc(0) },
    body: { form: 'json', value },
  };
}

function normal(answers: readonly Answer[], sent = ''): unknown[] {
  const played: Played = { answers, id: 'case-abc', sent, server: new URL('https://127.0.0.1:7443') };
  return normalize(played).map((normalized) => normalized?.body);
}

describe('normalize()', () => {
  test('ranks resourceVersions over the whole case, and numbers uids as they appear', () => {
    const bodies = normal([
      answer({ metadata: { resourceVersion: '120', uid: UIDS[1] } }),
      answer({ metadata: { resourceVersion: '97', uid: UIDS[0] } }),
      answer({ metadata: { resourceVersion: '120', uid: UIDS[1] } }),
    ]);

    expect(bodies).toEqual([
      { metadata: { resourceVersion: '<version 2>', uid: '<uid 1>' } },
      { metadata: { resourceVersion: '<version 1>', uid: '<uid 2>' } },
      { metadata: { resourceVersion: '<version 2>', uid: '<uid 1>' } },
    ]);
  });

  test('keeps what the case itself sent', () => {
    const sent = `resourceVersion=5 ${UIDS[0]} 2026-11-15T08:00:00Z 10.96.1.1`;
    const body = {
      message: 'too old resource version: 5 (9)',
      uid: UIDS[0],
      at: '2026-11-15T08:00:00Z',
      clusterIP: '10.96.1.1',
    };

    expect(normal([answer(body)], sent)).toEqual([{ ...body, message: 'too old resource version: 5 (<version 1>)' }]);
  });

  test('replaces times of the run, but not old ones', () => {
    const [body] = normal([
      answer({ a: '2026-11-15T07:59:59Z', b: '2026-11-15T07:59:59.123456Z', c: '2020-01-01T00:00:00Z' }),
    ]);

    expect(body).toEqual({ a: '<time>', b: '<time with 6 digits>', c: '2020-01-01T00:00:00Z' });
  });

  test('replaces the case’s own names, generated ends, allocated addresses and ports, tokens and the server’s address', () => {
    const [body] = normal(
      [
        answer({
          namespace: 'case-abc',
          message: 'Pod "p-bc5fg" is invalid',
          spec: { clusterIP: '10.96.4.7', clusterIPs: ['10.96.4.7'], ports: [{ nodePort: 31234, port: 80 }] },
          cells: ['10.96.4.7', '80:31234/TCP', '5m3s'],
          continue: 'abc',
          serverAddress: '127.0.0.1:7443',
        }),
      ],
      '{"generateName":"p-"}',
    );

    expect(body).toEqual({
      namespace: '<id>',
      message: 'Pod "p-<random>" is invalid',
      spec: { clusterIP: '<address 0>', clusterIPs: ['<address 0>'], ports: [{ nodePort: '<port 1>', port: 80 }] },
      cells: ['<address 0>', '80:<port 1>/TCP', '<age>'],
      continue: '<continue>',
      serverAddress: '<server>',
    });
  });

  test('sorts owners, whose order depends on the second', () => {
    const [body] = normal([answer({ managedFields: [{ manager: 'b' }, { manager: 'a' }] })]);

    expect(body).toEqual({ managedFields: [{ manager: 'a' }, { manager: 'b' }] });
  });

  test('leaves out the answers of setup, and bodies that are not compared', () => {
    const played = [answer({}, { isSetup: true }), answer({ a: 1 }, { extent: 'head' })];

    expect(normal(played)).toEqual([undefined, undefined]);
  });

  test('keeps headers, but only the presence of those that are chance', () => {
    const headers = { 'audit-id': ['x'], warning: ['299 - "a"', '299 - "b"'], vary: ['A, B'], connection: ['close'] };
    const played = { answers: [answer({}, {}, headers)], id: 'i', sent: '', server: new URL('https://h:1') };

    expect(normalize(played)[0]?.headers).toEqual({
      'audit-id': ['<present>'],
      vary: ['A', 'B'],
      warning: ['299 - "a"', '299 - "b"'],
    });
  });
});
