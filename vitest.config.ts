import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** `keelson/…` is this repository, as tsconfig.json says. */
const { compilerOptions } = JSON.parse(readFileSync(join(import.meta.dirname, 'tsconfig.json'), 'utf8')) as {
  compilerOptions: { paths: Record<string, string[]> };
};
const alias = Object.entries(compilerOptions.paths)
  .filter(([name]) => !name.includes('*'))
  .map(([name, [path = '']]) => ({ find: new RegExp(`^${name}$`), replacement: join(import.meta.dirname, path) }));

export default defineConfig({
  resolve: { alias },
  test: {
    include: [
      'src/**/*.test.ts',
      'test/**/*.test.ts',
      'scripts/**/*.test.ts',
      'peers/**/*.test.ts',
      'examples/**/*.test.ts',
      'bench/**/*.test.ts',
    ],
    setupFiles: ['test/property-seed.ts'],
    isolate: false,
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
