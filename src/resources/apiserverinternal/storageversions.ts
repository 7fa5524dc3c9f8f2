import { dns1035LabelProblems, dns1123SubdomainProblems } from '../../api/index.ts';
import type { StorageVersion } from '../../api/types/apiserverinternal/v1alpha1.d.ts';
import { storageVersionColumns } from '../columns/apiserver-columns.ts';
import { defineKind } from '../kind.ts';

export const storageVersions = defineKind<StorageVersion>({
  group: 'internal.apiserver.k8s.io',
  plural: 'storageversions',
  columns: storageVersionColumns,
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
