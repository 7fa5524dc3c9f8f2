import { expect, test } from 'vitest';
import { type Asked, commandPath, logPath, portsPath } from './pod-requests.ts';

const PLACE = { namespace: 'default', pod: 'web', container: 'main' };

test.each([
  ['stdout=true&stderr=True&stdin=1', 'input=1&output=1&error=1'],
  ['stdout=true&stderr=False&stdin=FALSE&tty=0', 'output=1'],
  ['stdout=&tty=yes', 'output=1&tty=1'],
  ['command=sh&command=-c&command=a b', 'command=sh&command=-c&command=a+b'],
])('"%s" of a command is asked of the node as "%s"', (asked, wanted) => {
  expect(commandPath('exec', PLACE, callWith(asked))).toBe(`/exec/default/web/main?${wanted}`);
});

test('the options for logs and ports are passed to the node', () => {
  const log = callWith('follow=True&previous=False&timestamps&tailLines=3');
  expect(logPath(PLACE, log)).toBe('/containerLogs/default/web/main?follow=true&timestamps=true&tailLines=3');
  expect(portsPath(PLACE, callWith('ports=80&ports=81'))).toBe('/portForward/default/web?port=80%2C81');
});

function callWith(query: string): Asked {
  const values = new URLSearchParams(query);
  return {
    query: {
      has: (name) => values.has(name),
      get: (name) => values.get(name) ?? '',
      all: (name) => values.getAll(name),
    },
  };
}
