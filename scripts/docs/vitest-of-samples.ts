// What samples import as `vitest`: the same assertions, and tests that run at once.
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect';
import { expect, use } from 'chai';

use(JestExtend);
use(JestChaiExpect);
use(JestAsymmetricMatchers);

const begun: Promise<void>[] = [];
const ends: (() => Promise<void>)[] = [];

export { expect };

export function test(_name: string, act: () => Promise<void>): void {
  begun.push(act());
}

export function afterAll(end: () => Promise<void>): void {
  ends.push(end);
}

/** Resolves when the tests that were begun have ended. */
export async function testsDone(): Promise<void> {
  await Promise.all(begun.splice(0));
  for (const end of ends.splice(0)) await end();
}
