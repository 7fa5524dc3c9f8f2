// npm run versions [-- --record]: holds the API of each version against what the release of Kubernetes publishes, prints every difference, and
// writes docs/reference/versions.md. With `--record` it also keeps what it read, for `npm test`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KUBERNETES_RELEASES, type KubernetesVersion } from '../../src/base/index.ts';
import { type ComparedVersion, versionsPage } from './page.ts';
import { differences, type Outline, outlineOf } from './outline.ts';
import { ourApi } from './our-api.ts';
import { publishedApi } from './published-api.ts';
import { differentFeatures } from './published-features.ts';
import { readPublishedObjects } from './published-objects.ts';
import { type Recorded, writeRecorded } from './recorded.ts';
import { ourWire } from './wire/our-wire.ts';
import { theirWire } from './wire/their-wire.ts';

const compared: ComparedVersion[] = [];
const read: Partial<Record<KubernetesVersion, Outline & { readonly release: string }>> = {};
for (const [version, release] of Object.entries(KUBERNETES_RELEASES) as [KubernetesVersion, string][]) {
  const theirs = outlineOf(publishedApi(release), theirWire(release));
  const ours = outlineOf(await ourApi(version), ourWire(version));
  const found = differences(ours, theirs);
  for (const { section, name, ours: own = 'none', theirs: other = 'none' } of found)
    console.log(`${version} ${section} ${name}: ours ${own}, theirs ${other}`);
  const objects = readPublishedObjects(version, release);
  const features = differentFeatures(version, release);
  for (const problem of [...objects.problems, ...features]) console.log(`${version} ${problem}`);
  compared.push({ version, release, ours, differences: found, objects, features });
  read[version] = { ...theirs, release };
  console.log(
    `Kubernetes ${version} (${release}): ${found.length} differences, ${objects.problems.length} of ${objects.count} objects changed, ${features.length} features differ`,
  );
}
if (process.argv.includes('--record')) writeRecorded(read as Recorded);
const page = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'versions.md');
await writeFile(page, versionsPage(compared));
process.exit(
  compared.some(({ differences: own, objects, features }) => own.length + objects.problems.length + features.length > 0)
    ? 1
    : 0,
);
