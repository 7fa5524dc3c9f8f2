import { duplicate, forbiddenField, invalidValue } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Volume } from '../../api/types/core/v1.d.ts';
import { checkSource } from './volume-source-rules.ts';

/** Sources in the order in which upstream looks at them, with the two names that it spells differently in messages. */
const SOURCES: readonly (readonly [name: keyof Volume, shown: string])[] = [
  ['emptyDir', 'emptyDir'],
  ['hostPath', 'hostPath'],
  ['gitRepo', 'gitRepo'],
  ['gcePersistentDisk', 'gcePersistentDisk'],
  ['awsElasticBlockStore', 'awsElasticBlockStore'],
  ['secret', 'secret'],
  ['nfs', 'nfs'],
  ['iscsi', 'iscsi'],
  ['glusterfs', 'glusterfs'],
  ['flocker', 'flocker'],
  ['persistentVolumeClaim', 'persistentVolumeClaim'],
  ['rbd', 'rbd'],
  ['cinder', 'cinder'],
  ['cephfs', 'cephFS'],
  ['quobyte', 'quobyte'],
  ['downwardAPI', 'downwarAPI'],
  ['fc', 'fc'],
  ['flexVolume', 'flexVolume'],
  ['configMap', 'configMap'],
  ['azureFile', 'azureFile'],
  ['vsphereVolume', 'vsphereVolume'],
  ['photonPersistentDisk', 'photonPersistentDisk'],
  ['portworxVolume', 'portworxVolume'],
  ['azureDisk', 'azureDisk'],
  ['storageos', 'storageos'],
  ['projected', 'projected'],
  ['scaleIO', 'scaleIO'],
  ['csi', 'csi'],
  ['ephemeral', 'ephemeral'],
  ['image', 'image'],
];

/** Names are unique, and each volume comes from one place. */
export function checkVolumes(
  volumes: readonly Volume[],
  field: string,
  { podName, isPod }: { readonly podName?: string; readonly isPod: boolean },
): FieldError[] {
  const names = new Set<string>();
  const created = new Set(
    volumes.flatMap(({ name, ephemeral }) =>
      ephemeral !== undefined && podName !== undefined ? [`${podName}-${name}`] : [],
    ),
  );
  return volumes.flatMap((volume, index) => {
    const at = `${field}[${index}]`;
    const errors = [...checkSource(volume, at, { isPod }), ...checkOneSource(volume, at)];
    if (names.has(volume.name)) errors.push(duplicate(`${at}.name`, volume.name));
    names.add(volume.name);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && created.has(claim)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalidValue(`${at}.persistentVolumeClaim.claimName`, claim, detail));
    }
    return errors;
  });
}

function checkOneSource(volume: Volume, field: string): FieldError[] {
  const given = SOURCES.filter(([name]) => volume[name] !== undefined);
  return given
    .slice(1)
    .map(([, shown]) => forbiddenField(`${field}.${shown}`, 'may not specify more than 1 volume type'));
}
