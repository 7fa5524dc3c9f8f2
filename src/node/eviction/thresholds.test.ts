import { describe, expect, test } from 'vitest';
import type { EvictionSignal, Observation } from './signals.ts';
import {
  CALM,
  type EvictionState,
  nextState,
  readThresholds,
  type ThresholdTexts,
  withContainerFilesystem,
} from './thresholds.ts';

const MIB = 1024 * 1024;
const minute = 60_000;

function observed(values: Partial<Readonly<Record<EvictionSignal, number>>>): ReadonlyMap<EvictionSignal, Observation> {
  return new Map(
    Object.entries(values).map(([signal, available]) => [
      signal as EvictionSignal,
      { available, capacity: 1000 * MIB },
    ]),
  );
}

describe('thresholds', () => {
  test('are amounts or parts of the capacity; memory is watched for all pods together as well', () => {
    const texts = {
      evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'imagefs.available': '0%' },
      evictionMinimumReclaim: { 'nodefs.available': '50Mi' },
    };
    expect(readThresholds(texts)).toEqual([
      { signal: 'memory.available', amount: { type: 'quantity', value: 100 * MIB }, graceMs: 0, minReclaim: undefined },
      {
        signal: 'nodefs.available',
        amount: { type: 'share', share: 0.1 },
        graceMs: 0,
        minReclaim: { type: 'quantity', value: 50 * MIB },
      },
      {
        signal: 'allocatableMemory.available',
        amount: { type: 'quantity', value: 100 * MIB },
        graceMs: 0,
        minReclaim: undefined,
      },
    ]);
    expect(readThresholds({}).map(({ signal }) => signal)).toEqual([
      'memory.available',
      'nodefs.available',
      'nodefs.inodesFree',
      'imagefs.available',
      'imagefs.inodesFree',
      'allocatableMemory.available',
    ]);
  });

  test.each<[string, ThresholdTexts]>([
    ['unsupported eviction signal disk.available', { evictionHard: { 'disk.available': '1' } }],
    [
      'grace period must be specified for the soft eviction threshold memory.available',
      { evictionSoft: { 'memory.available': '1Gi' } },
    ],
    [
      'eviction percentage threshold nodefs.available must be > 0% and <= 100%, got -5%',
      { evictionHard: { 'nodefs.available': '-5%' } },
    ],
    ['eviction threshold memory.available must be positive: -1', { evictionHard: { 'memory.available': '-1' } }],
    ['eviction threshold memory.available must be a quantity: lots', { evictionHard: { 'memory.available': 'lots' } }],
  ])('are refused: %s', (message, texts) => {
    expect(() => readThresholds(texts)).toThrow(message);
  });

  test('of the file system of containers are those of the one that it is on', () => {
    const all = readThresholds({
      evictionHard: { 'nodefs.available': '1', 'imagefs.inodesFree': '2', 'containerfs.available': '3' },
    });
    const signals = (hasImageFilesystem: boolean): readonly string[] =>
      withContainerFilesystem(all, { hasImageFilesystem }).map(
        ({ signal, amount }) => `${signal} ${amount.type === 'quantity' ? amount.value : ''}`,
      );
    expect(signals(false)).toEqual(['nodefs.available 1', 'imagefs.inodesFree 2', 'containerfs.available 1']);
    expect(signals(true)).toEqual(['nodefs.available 1', 'imagefs.inodesFree 2', 'containerfs.inodesFree 2']);
  });
});

describe('a node', () => {
  const looks = (
    texts: ThresholdTexts,
    values: readonly (readonly [atMs: number, mebibytes: number])[],
  ): readonly string[] => {
    const thresholds = readThresholds({ ...texts, enforcesAllocatable: false });
    let state: EvictionState = CALM;
    return values.map(([nowMs, mebibytes]) => {
      state = nextState(state, {
        thresholds,
        observations: observed({ 'memory.available': mebibytes * MIB }),
        nowMs,
        transitionMs: 5 * minute,
      });
      return `${[...state.conditions].join()} ${state.met.length > 0 ? 'acts' : ''}`.trim();
    });
  };

  test('acts at once on a hard threshold, and reports the pressure for the transition period after', () => {
    const texts = { evictionHard: { 'memory.available': '100Mi' } };
    expect(
      looks(texts, [
        [0, 100],
        [1, 99],
        [2, 100],
        [5 * minute, 100],
        [5 * minute + 1, 100],
      ]),
    ).toEqual(['', 'MemoryPressure acts', 'MemoryPressure', 'MemoryPressure', '']);
  });

  test('acts on a soft threshold after its grace period, which starts again when the threshold was left', () => {
    const texts = {
      evictionHard: {},
      evictionSoft: { 'memory.available': '100Mi' },
      evictionSoftGrace: { 'memory.available': minute },
    };
    expect(
      looks(texts, [
        [0, 50],
        [minute - 1, 50],
        [minute, 50],
        [minute + 1, 150],
        [minute + 2, 50],
        [2 * minute + 2, 50],
      ]),
    ).toEqual([
      'MemoryPressure',
      'MemoryPressure',
      'MemoryPressure acts',
      'MemoryPressure',
      'MemoryPressure',
      'MemoryPressure acts',
    ]);
  });

  test('goes on until the minimum is reclaimed', () => {
    const texts = {
      evictionHard: { 'memory.available': '100Mi' },
      evictionMinimumReclaim: { 'memory.available': '20Mi' },
    };
    expect(
      looks(texts, [
        [0, 110],
        [1, 90],
        [2, 119],
        [3, 120],
        [4, 110],
      ]),
    ).toEqual(['', 'MemoryPressure acts', 'MemoryPressure acts', 'MemoryPressure', 'MemoryPressure']);
  });
});
