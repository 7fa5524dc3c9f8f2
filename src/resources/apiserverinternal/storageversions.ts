import type { StorageVersion } from '../../api/types/apiserverinternal/v1alpha1.d.ts';
import { defineKind } from '../kind.ts';

export const storageVersions = defineKind<StorageVersion>({
  group: 'internal.apiserver.k8s.io',
  plural: 'storageversions',
  storedVersion: 'v1alpha1',
  requiresResourceVersion: true,
  statusMetadata: 'owned',
});
