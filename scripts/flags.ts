// Writes docs/reference/flags.md.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flagsPage } from './flags-page.ts';

await writeFile(join(import.meta.dirname, '..', 'docs', 'reference', 'flags.md'), await flagsPage());
