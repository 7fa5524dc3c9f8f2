import { CNI_VERSIONS, isObject } from '../../../cni/index.ts';
import { Breach, type ConformCase, expectThat } from '../../suite.ts';
import { type CniWorld, requireSuccess } from '../cni-world.ts';

const SOURCE = 'CNI 1.1.0, section 2, VERSION';

export const versionCases: readonly ConformCase<CniWorld>[] = [
  {
    name: 'version',
    title: 'VERSION names the supported versions',
    rule: 'A plugin answers VERSION with an object that has cniVersion and supportedVersions.',
    source: SOURCE,
    level: 'must',
    async run(world, signal) {
      const { supportedVersions } = await asked(world, world.cniVersion, signal);
      expectThat(
        Array.isArray(supportedVersions) && supportedVersions.length > 0,
        `supportedVersions must be a list of versions, got ${JSON.stringify(supportedVersions)}`,
      );
      const wrong = supportedVersions.find((each) => typeof each !== 'string' || !/^\d+\.\d+\.\d+$/.test(each));
      expectThat(wrong === undefined, `supportedVersions contains ${JSON.stringify(wrong)}, which is no version`);
      expectThat(
        supportedVersions.some((each) => CNI_VERSIONS.some((known) => known === each)),
        `supportedVersions has no version of the specification: ${JSON.stringify(supportedVersions)}`,
      );
    },
  },
  {
    name: 'version-repeated',
    title: 'VERSION repeats the version that it was asked with',
    rule: 'cniVersion of the answer is the one of the input.',
    source: SOURCE,
    level: 'must',
    run: (world, signal) => requireRepeated(world, world.cniVersion, signal),
  },
  {
    name: 'version-repeated-older',
    title: 'VERSION repeats an older version, too',
    rule: 'cniVersion of the answer is the one of the input.',
    source: SOURCE,
    level: 'should',
    skip: ({ versions }) => (versions.length < 2 ? 'the plugin supports one version' : undefined),
    run: (world, signal) => requireRepeated(world, world.versions[0] ?? '', signal),
  },
];

async function requireRepeated(world: CniWorld, version: string, signal: AbortSignal): Promise<void> {
  const { cniVersion } = await asked(world, version, signal);
  expectThat(cniVersion === version, `asked with "${version}", it answers with ${JSON.stringify(cniVersion)}`);
}

async function asked(
  world: CniWorld,
  version: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const end = await world.call('VERSION', { input: JSON.stringify({ cniVersion: version }), signal });
  requireSuccess('VERSION', end);
  try {
    const value: unknown = JSON.parse(end.stdout);
    if (isObject(value)) return value;
  } catch {
    // said below
  }
  throw new Breach(`it prints ${JSON.stringify(end.stdout.slice(0, 200))}, which is no JSON object`);
}
