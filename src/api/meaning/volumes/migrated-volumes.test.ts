import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PersistentVolume } from '../../types/core/v1.d.ts';
import type { StorageClass } from '../../types/storage/v1.d.ts';
import { inTreeVolume } from './in-tree-volume.ts';
import { translatedClass } from './migrated-class.ts';

/** What k8s.io/csi-translation-lib v0.36.3 makes of classes and volumes. */
interface Recorded {
  readonly name: string;
  readonly error?: boolean;
  readonly class?: StorageClass;
  readonly classOut?: StorageClass;
  readonly plugin?: string;
  readonly volume?: PersistentVolume;
  readonly volumeOut?: PersistentVolume;
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'testdata', 'migrated.json'), 'utf8'),
) as readonly Recorded[];

test.each(recorded)('$name is translated as by csi-translation-lib', (each) => {
  const translate = (): unknown =>
    each.class === undefined ? inTreeVolume(each.volume ?? {}, each.plugin ?? '') : translatedClass(each.class);
  if (each.error === true) expect(translate).toThrow();
  else if (each.class === undefined) expect(translate()).toEqual(each.volumeOut);
  else expect(translate()).toEqual({ parameters: {}, ...each.classOut, provisioner: each.class.provisioner });
});
