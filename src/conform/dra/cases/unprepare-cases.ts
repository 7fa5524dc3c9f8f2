import { type ConformCase, expectThat } from '../../suite.ts';
import type { DraWorld } from '../dra-world.ts';
import { expectDevice } from './prepare-cases.ts';

export const UNPREPARE = 'DRA v1, NodeUnprepareResources';

export const unprepareCases: readonly ConformCase<DraWorld>[] = [
  {
    name: 'unprepare',
    title: 'a claim is unprepared',
    rule: 'NodeUnprepareResources answers for each claim of the request.',
    source: UNPREPARE,
    level: 'must',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      const calls = await world.connect(signal);
      await calls.prepare(claim);
      await calls.unprepare(claim);
    },
  },
  {
    name: 'unprepare-files',
    title: 'CDI files of a claim go with it',
    rule: 'What was written for a claim is removed when the claim is unprepared, or the folder grows with each pod.',
    source: 'kubeletplugin, PrepareResourceClaims',
    level: 'should',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      const calls = await world.connect(signal);
      await calls.prepare(claim);
      await calls.unprepare(claim);
      const left = await world.claimFiles();
      expectThat(left.length === 0, `after the claim was unprepared, these CDI files are left: ${left.join(', ')}`);
    },
  },
  {
    name: 'unprepare-again',
    title: 'a claim may be unprepared again',
    rule: 'A kubelet that is restarted before it has noted the answer calls again.',
    source: UNPREPARE,
    level: 'must',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      const calls = await world.connect(signal);
      await calls.prepare(claim);
      await calls.unprepare(claim);
      await calls.unprepare(claim);
    },
  },
  {
    name: 'unprepare-unknown',
    title: 'a claim that was never prepared may be unprepared',
    rule: 'A kubelet unprepares claims whose preparation it has begun, whether or not the driver has heard of it.',
    source: UNPREPARE,
    level: 'must',
    async run(world, signal) {
      const calls = await world.connect(signal);
      await calls.unprepare(await world.allocate(signal));
      await calls.unprepare({ uid: 'conform-never', name: 'conform-never', namespace: 'default' });
    },
  },
  {
    name: 'unprepare-deleted',
    title: 'a claim that was deleted is unprepared',
    rule: 'When pods are deleted by force their claims go before the node has stopped them: the driver must know by itself what it has prepared.',
    source: UNPREPARE,
    level: 'must',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      const calls = await world.connect(signal);
      await calls.prepare(claim);
      await world.deleteClaim(claim, signal);
      await calls.unprepare(claim);
    },
  },
  {
    name: 'unprepare-together',
    title: 'claims of one call are all unprepared',
    rule: 'The claims of a pod are unprepared in one call; one that is unknown does not keep the others.',
    source: UNPREPARE,
    level: 'must',
    async run(world, signal) {
      const claim = await world.allocate(signal);
      const calls = await world.connect(signal);
      await calls.prepare(claim);
      const never = { uid: 'conform-never', name: 'conform-never', namespace: 'default' };
      const errors = await calls.unprepareAll([never, claim]);
      expectThat(errors.get(claim.uid) === '', `unpreparing has failed: ${errors.get(claim.uid) ?? 'no answer'}`);
    },
  },
  {
    name: 'prepare-next',
    title: 'a device goes to the next claim when it was unprepared',
    rule: 'Devices are used again and again.',
    source: UNPREPARE,
    level: 'must',
    async run(world, signal) {
      const [device] = await world.freeDevices(signal);
      if (device === undefined) return;
      const calls = await world.connect(signal);
      for (let round = 0; round < ROUNDS; round++) {
        const claim = await world.allocate(signal, { devices: [device] });
        expectDevice(await calls.prepare(claim), device);
        await calls.unprepare(claim);
      }
    },
  },
];

const ROUNDS = 3;
