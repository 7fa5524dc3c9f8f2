import { builtInTypes, defaultFeatures } from '../../src/api/index.ts';
import type { KubernetesVersion } from '../../src/base/index.ts';
import { type SurfaceChange, surfaceChanges, surfaceOf } from '../../src/cli/api/api-surface.ts';
import type { Difference, Outline } from './outline.ts';
import type { ReadObjects } from './published-objects.ts';

export interface ComparedVersion {
  readonly version: KubernetesVersion;
  readonly release: string;
  readonly ours: Outline;
  readonly differences: readonly Difference[];
  readonly objects: ReadObjects;
  /** The features whose defaults differ. */
  readonly features: readonly string[];
}

/** The page of versions: how each compares with its release, and what changed from one to the next. */
export function versionsPage(compared: readonly ComparedVersion[]): string {
  return [
    '# Versions of Kubernetes',
    '',
    'Written by `npm run versions`, which holds the API of each version against the documents of the release (OpenAPI v2 and v3 and',
    'discovery of a server with all of its APIs, from the Go module `k8s.io/kubernetes`) and against its Go types (numbers in protobuf, and what is',
    'written when it is empty). Allowed values are compared with the generated OpenAPI of its sources; texts for people do not count. The last two columns',
    'have the objects with a value in every field that `k8s.io/api` publishes, and how many of them come back from JSON and protobuf byte for byte; and the features with the default of the release. How to choose a version is in the',
    '[guide](../guides/versions.md).',
    '',
    '| version | release | resources, subresources | types | paths | Go types | differences | objects with all fields | features |',
    '|---|---|---|---|---|---|---|---|---|',
    ...compared.map(
      ({ version, release, ours, differences, objects, features }) =>
        `| ${version} | ${release} | ${count(ours.resources)} | ${count(ours.v3.types)} | ${count(ours.v3.paths)} | ${count(ours.wire)} | ${differences.length} | ${objects.count - objects.problems.length} of ${objects.count} | ${defaultFeatures(version).size - features.length} of ${defaultFeatures(version).size} |`,
    ),
    '',
    ...compared.flatMap(({ version, differences }) =>
      differences.map(({ section, name }) => `- ${version}: ${section} \`${name}\` differs`),
    ),
    ...compared
      .slice(1)
      .flatMap((next, index) => changesBetween(compared[index]?.version ?? next.version, next.version)),
  ].join('\n');
}

function count(parts: Readonly<Record<string, string>>): number {
  return Object.keys(parts).length;
}

function changesBetween(from: KubernetesVersion, to: KubernetesVersion): string[] {
  const { resources, fields } = surfaceChanges(surfaceOf(builtInTypes(from)), surfaceOf(builtInTypes(to)));
  return [
    `## From ${from} to ${to}`,
    '',
    ...section('New resources', onlyAfter(resources)),
    ...section('Resources that went', onlyBefore(resources)),
    ...section('Resources that changed', changed(resources)),
    ...section('New fields', onlyAfter(fields)),
    ...section('Fields that went', onlyBefore(fields)),
    ...section('Fields that changed', changed(fields)),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, '', ...lines.map((line) => `- ${line}`), ''];
}

function onlyAfter(changes: readonly SurfaceChange[]): string[] {
  return changes.filter(({ before }) => before === undefined).map(({ place }) => `\`${place}\``);
}

function onlyBefore(changes: readonly SurfaceChange[]): string[] {
  return changes.filter(({ after }) => after === undefined).map(({ place }) => `\`${place}\``);
}

function changed(changes: readonly SurfaceChange[]): string[] {
  return changes.flatMap(({ place, before, after }) =>
    before === undefined || after === undefined ? [] : [`\`${place}\`: ${before} → ${after}`],
  );
}
