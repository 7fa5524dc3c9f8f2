import type { TestOptions } from 'vitest';
import { findTool, type Tool, tools } from './find-tool.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test is skipped; `npm test` counts and names skipped tests by it. */
    skipReason?: string;
  }
}

/**
 * Options for `describe` and `test`: skipped where one of the programs is missing.
 * `KEELSON_REQUIRE=etcd,kubectl` makes it an error that one of those is missing.
 *
 * Example: `test('curl gets an answer', requires('curl'), async () => { … })`.
 */
export function requires(...needed: readonly Tool[]): TestOptions {
  const missing = needed.filter((tool) => findTool(tool) === undefined);
  const demanded = (process.env['KEELSON_REQUIRE'] ?? '').split(',').filter((name) => name !== '');
  for (const name of demanded) {
    if (!(name in tools)) throw new Error(`Cannot require "${name}": known are ${Object.keys(tools).join(', ')}`);
    if (missing.some((tool) => tool === name))
      throw new Error(`Cannot skip tests that need "${name}": KEELSON_REQUIRE names it, and it is not found`);
  }
  return skipWhen(missing.length > 0, `${missing.join(' and ')} not found`);
}

/** Options for `describe` and `test`: skipped for this reason when the condition holds. */
export function skipWhen(condition: boolean, reason: string): TestOptions {
  return condition ? { skip: true, meta: { skipReason: reason } } : {};
}
