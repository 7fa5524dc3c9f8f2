import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { readSpecs, selectSpecs } from './specs.ts';

const names = [
  'External Storage [Driver: d] [Testpattern: Dynamic PV (default fs)] volumes should store data',
  'External Storage [Driver: d] [Testpattern: Dynamic PV (ntfs)] [Feature:Windows] volumes should store data',
  'External Storage [Driver: d] [Testpattern: Dynamic PV (ext4)] volumes should store data',
  '[sig-storage] CSI Mock volume attach should attach',
  'External Storage [Driver: d] [Feature:volumegroupsnapshot] should restore',
];
const pattern = /^External Storage /;

describe('the tests of the storage suite', () => {
  test('are read from a dry run with the texts of their containers', () => {
    const specs = [
      { ContainerHierarchyTexts: ['External Storage', 'volumes'], LeafNodeText: 'store data', LeafNodeType: 'It' },
      { ContainerHierarchyTexts: null, LeafNodeText: '', LeafNodeType: 'ReportAfterSuite' },
    ];
    assert.deepEqual(readSpecs(JSON.stringify([{ SpecReports: specs }])), ['External Storage volumes store data']);
  });

  test('that cannot run here are counted by the reason', () => {
    const found = selectSpecs(names, { pattern, focus: undefined, sample: undefined });
    assert.deepEqual(found.names, [names[0], names[2]]);
    assert.deepEqual(
      [...found.leftOut],
      [
        ['needs Windows', 1],
        ['needs a feature gate of the sidecars', 1],
      ],
    );
    const withGroups = selectSpecs(names, { pattern, focus: undefined, sample: undefined, hasGroups: true });
    assert.deepEqual(withGroups.names, [names[0], names[2], names[4]]);
  });

  test('are narrowed by a focus and a sample', () => {
    assert.deepEqual(selectSpecs(names, { pattern, focus: /ext4/, sample: undefined }).names, [names[2]]);
    assert.deepEqual(selectSpecs(names, { pattern, focus: undefined, sample: 1 }).names, [names[0]]);
  });
});
