import type { ResourceInfo } from '../../src/api/index.ts';
import type { Members } from './edits.ts';

/** Kinds whose names are values of their own, so that a copy cannot have another name: their betas stand in betas.yaml. */
const NAMED_BY_VALUE: ReadonlySet<unknown> = new Set(['IPAddress']);
const BETA = /^v\d+beta\d+$/;

/** A base object in the beta versions that its kind has besides, each under a name of its own. */
export function inBetas(object: Members, resources: readonly ResourceInfo[]): readonly Members[] {
  const [version = '', group] = String(object['apiVersion']).split('/').toReversed();
  const { name } = (object['metadata'] ?? {}) as { readonly name?: string };
  if (group === undefined || BETA.test(version) || name === undefined || NAMED_BY_VALUE.has(object['kind'])) return [];
  return resources
    .filter((info) => info.group === group && info.kind === object['kind'] && BETA.test(info.version))
    .filter((info) => info.verbs.includes('create') && group !== 'apiextensions.k8s.io')
    .map(({ version: beta }) => {
      const copy = structuredClone(object);
      const apiVersion = `${group}/${beta}`;
      const metadata = { ...(copy['metadata'] as Members), name: `${name}-${beta}` };
      const older = group === 'resource.k8s.io' && beta === 'v1beta1' ? asFirstBeta(copy) : copy;
      return { ...older, apiVersion, metadata };
    });
}

/** Devices and requests were nested differently in the first beta version of claims. */
function asFirstBeta(value: unknown): Members {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => {
    if (key === 'requests' && isListOfMembers(member))
      return member.map(({ exactly, ...rest }) => ({ ...rest, ...(exactly as Members | undefined) }));
    if (key === 'devices' && isListOfMembers(member) && member.every((device) => 'name' in device))
      return member.map(({ name, ...basic }) => ({ name, ...(Object.keys(basic).length === 0 ? {} : { basic }) }));
    return member;
  }) as Members;
}

function isListOfMembers(value: unknown): value is readonly Members[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
}
