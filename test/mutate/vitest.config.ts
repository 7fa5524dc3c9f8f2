import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { mergeConfig } from 'vitest/config';
import everyTest from '../../vitest.config.ts';
import { withMarksNoted } from './marks.ts';

const root = join(import.meta.dirname, '..', '..');

/** The configuration that runs every test and records, with record-setup.ts, what of src/ each test file executes. */
export default mergeConfig(everyTest, {
  root,
  plugins: [
    {
      name: 'note-executed-marks',
      enforce: 'pre',
      load(path: string) {
        const file = relative(root, path);
        if (!/^src\/.*\.ts$/.test(file) || /\.test\.ts$|\/generated\//.test(file)) return undefined;
        return withMarksNoted(readFileSync(path, 'utf8'), file);
      },
    },
  ],
  test: { setupFiles: ['test/mutate/record-setup.ts'] },
});
