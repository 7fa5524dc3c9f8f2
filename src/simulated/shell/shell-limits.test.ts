import { expect, test } from 'vitest';
import { settle } from '../../base/index.ts';
import { TestContainer } from './testing/test-container.ts';

test.each([
  ['doubling variables', `A=xxxxxxxxxxxxxxxx; ${'A=$A$A; '.repeat(40)}`, 'Argument list too long'],
  ['5,000 pipe stages', `echo a ${'| cat '.repeat(5000)}`, "can't fork: Resource temporarily unavailable"],
  ['nested subshells', `${'( '.repeat(5000)}echo a${')'.repeat(5000)}`, 'maximum nesting level exceeded'],
  ['nested substitutions', `echo ${'$(echo '.repeat(5000)}${')'.repeat(5000)}`, 'maximum nesting level exceeded'],
  ['a function that calls itself', 'f() { f; }; f', 'maximum function nesting level exceeded'],
  ['processes in the background', 'f() { while true; do sleep 1000 & done; }; f', "can't fork"],
  ['many variables', 'i=0; while true; do i=$((i+1)); eval "v$i=1"; done', 'out of memory'],
  ['a shell in a shell', "echo 'sh /tmp/x' > /tmp/x; sh /tmp/x", 'maximum nesting level exceeded'],
  ['braces', `bash -c 'echo ${'{a,b}'.repeat(30)}'`, 'Argument list too long'],
])('%s end with an error of the shell', async (_, script, message) => {
  const container = new TestContainer();
  const [output, code] = await container.sh(script);
  expect(output).toContain(message);
  expect(code).not.toBe(0);
  expect(output.length).toBeLessThan(64 * 1024);
});

test('a busy loop gives turns to other work, and stops with the container', async () => {
  const container = new TestContainer();
  const running = container.sh('while true; do i=x; done');
  for (let turn = 0; turn < 20; turn++) await settle({ maxTurns: 20 });
  container.stop.abort();
  expect(await running).toEqual(['', 130]);
});

test('a loop that only sleeps sets no timers', async () => {
  const container = new TestContainer();
  const running = container.sh('while true; do sleep 1; done');
  await settle();
  expect(container.clock.pending).toBe(0);
  container.stop.abort();
  expect(await running).toEqual(['', 130]);
});
