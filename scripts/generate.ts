// Compiles src/api/definitions/*.api into the packed table, the descriptions, the .d.ts types per group and the client's kinds.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pack, packDescriptions } from '../src/api/language/pack.ts';
import { parseDefinitions } from '../src/api/language/parse.ts';
import { typeDeclarations } from '../src/api/language/type-declarations.ts';
import { firstVersions, programView } from '../src/api/language/program-view.ts';
import { versionView } from '../src/api/language/version-view.ts';
import {
  DEFAULT_KUBERNETES_VERSION,
  KUBERNETES_RELEASES,
  type KubernetesVersion,
  minorOf,
} from '../src/base/versions.ts';
import { builtInTree, flatKinds } from './client-kinds.ts';

const api = join(import.meta.dirname, '..', 'src', 'api');

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const old = await readFile(path, 'utf8').catch(() => undefined);
  if (old !== text) await writeFile(path, text);
}

function constant(name: string, summary: string, value: unknown): string {
  return `/** ${summary} Made by scripts/generate.ts. */\nexport const ${name}: string =\n  ${JSON.stringify(JSON.stringify(value))};\n`;
}

const folder = join(api, 'definitions');
const names = (await readdir(folder)).filter((name) => name.endsWith('.api')).sort();
const files = await Promise.all(
  names.map(async (name) =>
    parseDefinitions(await readFile(join(folder, name), 'utf8'), `src/api/definitions/${name}`),
  ),
);
await write(
  join(api, 'generated', 'table.ts'),
  constant('packedTable', 'The types and resources, packed.', pack(files)),
);
await write(
  join(api, 'generated', 'descriptions.ts'),
  constant('packedDescriptions', 'What each type and field is for.', packDescriptions(files)),
);
// Programs are written against the types of the default version, and what later ones add; plain names mean kinds of the default version.
const versions = (Object.keys(KUBERNETES_RELEASES) as KubernetesVersion[]).map(minorOf);
const ofDefault = minorOf(DEFAULT_KUBERNETES_VERSION);
const view = programView(files, [ofDefault, ...versions.filter((version) => version > ofDefault)]);
const first = firstVersions(files, Math.min(...versions));
for (const file of view) await write(join(api, 'types', `${file.alias}.d.ts`), typeDeclarations(file, first));
const client = join(import.meta.dirname, '..', 'src', 'client', 'generated');
await write(join(client, 'built-in.ts'), builtInTree(view));
await write(join(client, 'kinds.ts'), flatKinds(versionView(files, ofDefault)));
