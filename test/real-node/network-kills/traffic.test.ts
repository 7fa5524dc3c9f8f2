import { expect, test } from 'vitest';
import { judgeAnswer } from './traffic.ts';

const STEADY = { caller: 'stranger', service: 'steady' } as const;
const FORBIDDEN = { caller: 'stranger', service: 'closed' } as const;
const ALLOWED = { caller: 'friend', service: 'closed' } as const;
const TIME_UP = '{"errors":["read udp 10.244.0.5:4242-\\u003e10.96.7.7:81: i/o timeout"]}';

function verdictOf(probe: typeof STEADY | typeof FORBIDDEN | typeof ALLOWED, text: string): string {
  return judgeAnswer(probe, text, (pod) => pod.startsWith(`${probe.service}-`)).verdict;
}

test('an answer of a server of the Service is right, one of another server is wrong', () => {
  expect(verdictOf(STEADY, '{"responses":["steady-0"]}')).toBe('ok');
  expect(verdictOf(STEADY, '{"responses":["closed-4"]}')).toBe('wrong');
  expect(verdictOf(STEADY, TIME_UP)).toBe('failed');
});

test('any answer to a forbidden call is wrong, and none is right', () => {
  expect(verdictOf(FORBIDDEN, '{"responses":["closed-4"]}')).toBe('wrong');
  expect(verdictOf(FORBIDDEN, TIME_UP)).toBe('ok');
  expect(verdictOf(ALLOWED, '{"responses":["closed-4"]}')).toBe('ok');
  expect(verdictOf(ALLOWED, TIME_UP)).toBe('failed');
});

test('a name that is said not to exist is wrong, one that cannot be asked about has failed', () => {
  const name = 'lookup steady.network-kills.svc.cluster.local on 10.96.0.10:53';
  expect(verdictOf(STEADY, `host and/or port param are invalid. ${name}: no such host`)).toBe('wrong');
  expect(verdictOf(STEADY, `host and/or port param are invalid. ${name}: i/o timeout`)).toBe('failed');
});
