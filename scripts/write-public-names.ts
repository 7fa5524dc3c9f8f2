// Writes the page of public names: `npm run public-names`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publicNamesPage } from './public-names.ts';

await writeFile(join(import.meta.dirname, '..', 'docs', 'reference', 'public-names.md'), publicNamesPage());
