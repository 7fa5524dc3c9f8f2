import { dns1035LabelProblems, dns1123SubdomainProblems } from '../../api/index.ts';
import type { StorageVersion } from '../../api/types/apiserverinternal/v1alpha1.d.ts';
import { ageColumn, column, each, firstThree, nameColumn, UNSET } from '../columns/column.ts';
import { defineKind } from '../kind.ts';

export const storageVersions = defineKind<StorageVersion>({
  group: 'internal.apiserver.k8s.io',
  plural: 'storageversions',
  columns: [
    nameColumn,
    column(
      'CommonEncodingVersion',
      'Version in which all servers store',
      ({ status }) => status?.commonEncodingVersion ?? UNSET,
    ),
    column('StorageVersions', 'Version in which each server stores', encodingVersions),
    ageColumn,
  ],
  storedVersion: 'v1alpha1',
  checkName: groupAndResource,
  requiresResourceVersion: true,
  statusMetadata: 'owned',
});

function groupAndResource(name: string): readonly string[] {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...dns1123SubdomainProblems(name.slice(0, dot)).map((problem) => `the group segment ${problem}`),
    ...dns1035LabelProblems(name.slice(dot + 1)).map((problem) => `the resource segment ${problem}`),
  ];
}

function encodingVersions({ status }: StorageVersion): string {
  return firstThree(
    each(status?.storageVersions).map(({ apiServerID, encodingVersion }) => `${apiServerID}=${encodingVersion}`),
    UNSET,
  );
}
